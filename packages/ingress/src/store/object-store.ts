import type { KubeObject } from '@waygate/schema';
import type { BackendTlsPolicy } from '../objects/gateway-api.ts';
import { type KindId, kindIdOf } from '../objects/kind-id.ts';
import { nameOfObject } from '../objects/object-id.ts';
import { compareByAge, keyOf } from '../objects/reference.ts';
import type { EndpointSlice } from '../objects/service.ts';
import { entryOf } from './entry-of.ts';
import type { ObjectReader } from './object-reader.ts';

const serviceNameLabel = 'kubernetes.io/service-name';

/** A look-up as a text, so that what was read and what changed can be matched. */
export type ReadKey = string;

export function objectReadKey(kind: KindId, namespace: string, name: string): ReadKey {
  return `${kind} ${namespace}/${name}`;
}

export function listReadKey(kind: KindId): ReadKey {
  return `${kind} *`;
}

export function endpointSlicesReadKey(namespace: string, service: string): ReadKey {
  return `EndpointSlice of ${namespace}/${service}`;
}

export function backendTlsPoliciesReadKey(namespace: string, service: string): ReadKey {
  return `BackendTLSPolicy of ${namespace}/${service}`;
}

/**
 * The objects of a cluster by kind and name, with the two indexes that keep a translation linear:
 * slices by their Service, and TLS policies by their target. Objects are never changed in place.
 *
 * ```ts
 * const store = new ObjectStore();
 * store.put({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'shop' } });
 * store.get('Service', 'shop', 'web')?.metadata.name; // 'web'
 * ```
 */
export class ObjectStore implements ObjectReader {
  readonly #byKind = new Map<KindId, Map<ReadKey, KubeObject>>();
  /** Dropped when an object of the kind comes or goes; rebuilt when it is asked for. */
  readonly #sorted = new Map<KindId, readonly KubeObject[]>();
  readonly #slices = new Map<string, Map<string, EndpointSlice>>();
  readonly #policies = new Map<string, Map<string, BackendTlsPolicy>>();

  get<T extends KubeObject>(kind: KindId, namespace: string, name: string): T | undefined {
    return this.getByKey(kind, objectReadKey(kind, namespace, name));
  }

  /** As `get`, for those who have the look-up as a text already. */
  getByKey<T extends KubeObject>(kind: KindId, key: ReadKey): T | undefined {
    return this.#byKind.get(kind)?.get(key) as T | undefined;
  }

  list<T extends KubeObject>(kind: KindId): readonly T[] {
    let sorted = this.#sorted.get(kind);
    if (sorted === undefined) {
      sorted = [...(this.#byKind.get(kind)?.values() ?? [])].sort(compareByAge);
      this.#sorted.set(kind, sorted);
    }
    return sorted as readonly T[];
  }

  /** The objects of a kind in no particular order: cheaper than a list after every change. */
  values<T extends KubeObject>(kind: KindId): Iterable<T> {
    return (this.#byKind.get(kind)?.values() ?? []) as Iterable<T>;
  }

  /** The keys of the objects of a kind, of all namespaces or of one. */
  *keysIn(kind: KindId, namespace: string | undefined): Iterable<string> {
    for (const object of this.values(kind))
      if (namespace === undefined || object.metadata.namespace === namespace) yield keyOf(object);
  }

  endpointSlicesOf(namespace: string, service: string): readonly EndpointSlice[] {
    return sortedByName(this.#slices.get(`${namespace}/${service}`));
  }

  backendTlsPoliciesOf(namespace: string, service: string): readonly BackendTlsPolicy[] {
    return sortedByName(this.#policies.get(`${namespace}/${service}`));
  }

  *all(): Iterable<KubeObject> {
    for (const objects of this.#byKind.values()) yield* objects.values();
  }

  /** Stores an object and says which look-ups may answer differently now. */
  put(object: KubeObject): ReadKey[] {
    const kind = kindIdOf(object);
    if (kind === undefined) return [];
    const key = storeKey(kind, object);
    const objects = this.#objects(kind);
    const previous = objects.get(key);
    if (previous === object) return [];
    objects.set(key, object);
    this.#sorted.delete(kind);
    if (previous !== undefined && isSameWish(kind, previous, object)) return [];
    const touched = [key, listReadKey(kind)];
    if (previous !== undefined) this.#index(kind, previous, false, touched);
    this.#index(kind, object, true, touched);
    return touched;
  }

  delete(object: KubeObject): ReadKey[] {
    const kind = kindIdOf(object);
    if (kind === undefined) return [];
    const objects = this.#objects(kind);
    const key = storeKey(kind, object);
    const previous = objects.get(key);
    if (previous === undefined) return [];
    objects.delete(key);
    this.#sorted.delete(kind);
    const touched = [key, listReadKey(kind)];
    this.#index(kind, previous, false, touched);
    return touched;
  }

  #objects(kind: KindId): Map<ReadKey, KubeObject> {
    return entryOf(this.#byKind, kind, () => new Map<ReadKey, KubeObject>());
  }

  /** Puts an object into the indexes, or takes it out. */
  #index(kind: KindId, object: KubeObject, isThere: boolean, touched: ReadKey[]): void {
    const { name = '', namespace = '', labels } = object.metadata;
    if (kind === 'EndpointSlice') {
      const service = labels?.[serviceNameLabel];
      if (service === undefined) return;
      const slice = isThere ? (object as EndpointSlice) : undefined;
      setIn(this.#slices, `${namespace}/${service}`, name, slice);
      touched.push(endpointSlicesReadKey(namespace, service));
    } else if (kind === 'BackendTLSPolicy') {
      const policy = isThere ? (object as BackendTlsPolicy) : undefined;
      for (const service of targetsOf(object as BackendTlsPolicy)) {
        setIn(this.#policies, `${namespace}/${service}`, name, policy);
        touched.push(backendTlsPoliciesReadKey(namespace, service));
      }
    }
  }
}

/** Kinds whose status a translation never looks at. The status of a Gateway or route counts. */
const statusIsOutcome: ReadonlySet<KindId> = new Set([
  'BackendTLSPolicy',
  'Ingress',
  'KnativeIngress',
  'KongClusterPlugin',
  'KongConsumer',
  'KongConsumerGroup',
  'KongCustomEntity',
  'KongPlugin',
  'KongUpstreamPolicy',
  'KongVault',
  'TCPIngress',
  'UDPIngress',
]);

/** Only the status differs, which we wrote ourselves most of the time: nothing follows from it. */
export function isSameWish(kind: KindId, before: KubeObject, after: KubeObject): boolean {
  if (!statusIsOutcome.has(kind)) return false;
  const { metadata: was } = before;
  const { metadata: is } = after;
  return (
    is.generation !== undefined &&
    is.generation === was.generation &&
    is.uid === was.uid &&
    JSON.stringify(is.annotations) === JSON.stringify(was.annotations) &&
    JSON.stringify(is.labels) === JSON.stringify(was.labels)
  );
}

function storeKey(kind: KindId, object: KubeObject): ReadKey {
  const { namespace, name } = nameOfObject(kind, object);
  return objectReadKey(kind, namespace, name);
}

function targetsOf(policy: BackendTlsPolicy): string[] {
  return (policy.spec?.targetRefs ?? [])
    .filter(({ group, kind }) => (group ?? '') === '' && (kind ?? 'Service') === 'Service')
    .map(({ name }) => name);
}

/** Without a value, the name is taken out. */
function setIn<T>(
  index: Map<string, Map<string, T>>,
  key: string,
  name: string,
  value: T | undefined,
): void {
  const entry = entryOf(index, key, () => new Map<string, T>());
  if (value === undefined) entry.delete(name);
  else entry.set(name, value);
  if (entry.size === 0) index.delete(key);
}

function sortedByName<T>(entry: Map<string, T> | undefined): readonly T[] {
  if (entry === undefined) return [];
  if (entry.size === 1) return [...entry.values()];
  return [...entry].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, value]) => value);
}
