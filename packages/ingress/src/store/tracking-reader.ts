import type { KubeObject } from '@waygate/schema';
import type { BackendTlsPolicy } from '../objects/gateway-api.ts';
import type { KindId } from '../objects/kind-id.ts';
import type { ObjectName } from '../objects/object-id.ts';
import type { EndpointSlice } from '../objects/service.ts';
import type { ObjectReader } from './object-reader.ts';
import {
  backendTlsPoliciesReadKey,
  endpointSlicesReadKey,
  listReadKey,
  type ObjectStore,
  objectReadKey,
  type ReadKey,
} from './object-store.ts';

/**
 * Kinds of which a cluster holds many and a configuration needs few: the data of the others is not
 * kept in memory.
 */
const kindsOnDemand = ['ConfigMap', 'Endpoints', 'Secret'] as const;

export type KindOnDemand = (typeof kindsOnDemand)[number];

export function isFetchedOnDemand(kind: KindId): kind is KindOnDemand {
  return (kindsOnDemand as readonly string[]).includes(kind);
}

const fewReads = 16;

/** A reader that notes every look-up, those without an answer too: a later answer changes the result. */
export class TrackingReader implements ObjectReader {
  /** Each once. */
  readonly reads: ReadKey[] = [];
  /** Look-ups without an answer, of kinds whose objects are fetched when they are asked for. */
  readonly misses = new Map<ReadKey, ObjectName>();
  readonly #inner: ObjectStore;
  /** Made when there are many: most units read a handful, which is found faster by looking. */
  #known: Set<ReadKey> | undefined;

  constructor(inner: ObjectStore) {
    this.#inner = inner;
  }

  /** Notes a dependency on something else than an object, such as another unit's outcome. */
  dependOn(key: ReadKey): void {
    const { reads } = this;
    if (this.#known !== undefined) {
      if (this.#known.has(key)) return;
      this.#known.add(key);
    } else if (reads.includes(key)) return;
    else if (reads.length === fewReads) this.#known = new Set([...reads, key]);
    reads.push(key);
  }

  get<T extends KubeObject>(kind: KindId, namespace: string, name: string): T | undefined {
    const key = objectReadKey(kind, namespace, name);
    this.dependOn(key);
    const found = this.#inner.getByKey<T>(kind, key);
    if (found === undefined && isFetchedOnDemand(kind))
      this.misses.set(key, { kind, namespace, name });
    return found;
  }

  list<T extends KubeObject>(kind: KindId): readonly T[] {
    this.dependOn(listReadKey(kind));
    return this.#inner.list<T>(kind);
  }

  endpointSlicesOf(namespace: string, service: string): readonly EndpointSlice[] {
    this.dependOn(endpointSlicesReadKey(namespace, service));
    return this.#inner.endpointSlicesOf(namespace, service);
  }

  backendTlsPoliciesOf(namespace: string, service: string): readonly BackendTlsPolicy[] {
    this.dependOn(backendTlsPoliciesReadKey(namespace, service));
    return this.#inner.backendTlsPoliciesOf(namespace, service);
  }
}
