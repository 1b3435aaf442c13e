import { isAscii } from 'node:buffer';
import { KubeError, scanItemKey, scanItemMetadata, scanManagedFields } from '@waygate/kube';
import { apiVersionOf, type Kind, type KubeObject } from '@waygate/schema';
import type { ObjectAccess } from './object-access.ts';

/**
 * An object kept as the JSON bytes that the API sent, and parsed when it is read. Its key, version
 * and labels are known without parsing. A tenth of the objects of a large cache are ever read.
 *
 * What `read` gives is held only weakly: bytes and parsed object are not both kept for long.
 *
 * ```ts
 * const bytes = Buffer.from('{"metadata":{"name":"shop","namespace":"web","labels":{"app":"shop"}},"data":{"a":"1"}}');
 * const object = LazyObject.copyOf(bytes, kinds.ConfigMap, true);
 * [object.key, object.labels.app]; // ['web/shop', 'shop']
 * object.read().data; // { a: '1' }
 * ```
 */
export class LazyObject<T extends KubeObject> {
  /** `namespace/name`, or `name` for what is in no namespace. */
  readonly key: string;
  /** Opaque. */
  readonly resourceVersion: string;
  readonly #bytes: Buffer;
  readonly #kind: Kind<T>;
  #parsed: WeakRef<T> | undefined;

  private constructor(key: string, resourceVersion: string, bytes: Buffer, kind: Kind<T>) {
    this.key = key;
    this.resourceVersion = resourceVersion;
    this.#bytes = bytes;
    this.#kind = kind;
  }

  /**
   * Takes a copy of the bytes, without `metadata.managedFields` if asked: they are often half.
   *
   * @throws KubeError `WG_KUBE_DECODE` when they are no object with a name
   */
  static copyOf<T extends KubeObject>(
    bytes: Buffer,
    kind: Kind<T>,
    omitManagedFields: boolean,
  ): LazyObject<T> {
    const { name, namespace, resourceVersion } = scanItemKey(bytes, kind.scope === 'Namespaced');
    if (name === '') throw new KubeError('WG_KUBE_DECODE', 'an object without a name');
    const key = namespace === '' ? name : `${namespace}/${name}`;
    const cut = omitManagedFields ? scanManagedFields(bytes) : undefined;
    const copy = cut === undefined ? copyOf(bytes) : copyWithout(bytes, cut.start, cut.end);
    return new LazyObject(key, resourceVersion, copy, kind);
  }

  /** A bookmark has a version and annotations, and no name. */
  static bookmark<T extends KubeObject>(bytes: Buffer, kind: Kind<T>): LazyObject<T> {
    return new LazyObject('', scanItemKey(bytes, false).resourceVersion, bytes, kind);
  }

  get name(): string {
    return this.key.slice(this.key.indexOf('/') + 1);
  }

  /** Empty for what is in no namespace. */
  get namespace(): string {
    return this.key.slice(0, Math.max(this.key.indexOf('/'), 0));
  }

  get labels(): Readonly<Record<string, string>> {
    return scanItemMetadata(this.#bytes).labels ?? {};
  }

  get uid(): string {
    return scanItemMetadata(this.#bytes).uid;
  }

  /** How much is kept. */
  get byteLength(): number {
    return this.#bytes.length;
  }

  /** The object itself, parsed now if it is not at hand. It is shared: never change it. */
  read(): T {
    const known = this.#parsed?.deref();
    if (known !== undefined) return known;
    let object: T;
    try {
      object = JSON.parse(this.#bytes.toString(isAscii(this.#bytes) ? 'latin1' : 'utf8')) as T;
    } catch (cause) {
      throw new KubeError('WG_KUBE_DECODE', `${this.key} is not JSON`, { cause });
    }
    // Items of a list do not say what they are.
    object.apiVersion ??= apiVersionOf(this.#kind.group, this.#kind.version);
    object.kind ??= this.#kind.kind;
    this.#parsed = new WeakRef(object);
    return object;
  }
}

/** How a cache reads lazy objects. */
export const lazyObjectAccess: ObjectAccess<LazyObject<KubeObject>> = {
  keyOf: (object) => object.key,
  resourceVersionOf: (object) => object.resourceVersion,
  annotationOf: (object, name) => object.read().metadata.annotations?.[name],
  typeOf: () => ({}),
};

/** Off the pool: a slice of it would keep all of its neighbours alive. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

function copyWithout(bytes: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length - (end - start));
  bytes.copy(copy, 0, 0, start);
  bytes.copy(copy, start, end);
  return copy;
}
