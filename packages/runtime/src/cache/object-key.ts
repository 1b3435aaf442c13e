import type { ObjectMeta } from '@waygate/schema';
import { RuntimeError } from '../runtime-error.ts';
import { type Deleted, DeletedFinalStateUnknown } from './deleted-final-state-unknown.ts';

/** Names an object in a store. Throws when it cannot. */
export type KeyFunction<T> = (object: T) => string;

interface HasMetadata {
  readonly metadata?: Pick<ObjectMeta, 'name' | 'namespace'>;
}

/**
 * `namespace/name`, or `name` for what is in no namespace.
 *
 * ```ts
 * metaNamespaceKey({ metadata: { namespace: 'shop', name: 'web' } }); // 'shop/web'
 * ```
 */
export function metaNamespaceKey(object: HasMetadata): string {
  const metadata = object.metadata;
  const name = metadata?.name;
  if (name === undefined)
    throw new RuntimeError('WG_RUNTIME_KEY', 'the object has no metadata.name');
  const namespace = metadata!.namespace;
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * As `metaNamespaceKey`, and takes the key of a tombstone from the tombstone.
 *
 * ```ts
 * const tombstone = new DeletedFinalStateUnknown<Pod>('shop/web', undefined);
 * deletionHandlingMetaNamespaceKey(tombstone); // 'shop/web'
 * ```
 */
export function deletionHandlingMetaNamespaceKey<T extends HasMetadata>(
  deleted: Deleted<T>,
): string {
  return deleted instanceof DeletedFinalStateUnknown ? deleted.key : metaNamespaceKey(deleted);
}

/**
 * Takes a key apart. The namespace is empty for what is in none.
 *
 * ```ts
 * splitMetaNamespaceKey('shop/web'); // { namespace: 'shop', name: 'web' }
 * ```
 */
export function splitMetaNamespaceKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/');
  if (slash < 0) return { namespace: '', name: key };
  if (key.includes('/', slash + 1))
    throw new RuntimeError('WG_RUNTIME_KEY', `unexpected key format: ${JSON.stringify(key)}`);
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
