import type { KubeClient } from '@waygate/kube';
import type { Kind, KubeObject } from '@waygate/schema';
import { InformerFactory, type InformerFactoryOptions } from './informer-factory.ts';
import { type LazyObject, lazyObjectAccess } from './lazy-object.ts';
import type { ObjectAccess } from './object-access.ts';
import {
  bytesListerWatcher,
  type CachedResourceOptions,
  listerWatcher,
} from './resource-lister-watcher.ts';
import { SharedInformer, type SharedInformerOptions } from './shared-informer.ts';

export interface ClientInformerOptions<T>
  extends Omit<SharedInformerOptions<T>, 'listerWatcher' | 'access'>,
    CachedResourceOptions {}

/**
 * An informer of one kind through a client. With `store: 'bytes'` objects are kept as the bytes that
 * the API sent, and handlers and readers get a `LazyObject`, which parses when it is read.
 *
 * ```ts
 * const pods = createInformer(client, kinds.Pod, { namespace: 'shop', omitManagedFields: true });
 * const many = createInformer(client, kinds.Pod, { store: 'bytes' });
 * ```
 */
export function createInformer<T extends KubeObject>(
  client: KubeClient,
  kind: Kind<T>,
  options?: ClientInformerOptions<T> & { readonly store?: 'objects' },
): SharedInformer<T>;
export function createInformer<T extends KubeObject>(
  client: KubeClient,
  kind: Kind<T>,
  options: ClientInformerOptions<LazyObject<T>> & { readonly store: 'bytes' },
): SharedInformer<LazyObject<T>>;
export function createInformer<T extends KubeObject>(
  client: KubeClient,
  kind: Kind<T>,
  options: (ClientInformerOptions<T> | ClientInformerOptions<LazyObject<T>>) & {
    readonly store?: 'objects' | 'bytes';
  } = {},
): SharedInformer<T> | SharedInformer<LazyObject<T>> {
  const resource = client.resource(kind);
  const described = { description: kind.plural, expectedType: { kind: kind.kind } };
  if (options.store === 'bytes')
    return new SharedInformer<LazyObject<T>>({
      ...described,
      ...(options as ClientInformerOptions<LazyObject<T>>),
      access: lazyObjectAccess as unknown as ObjectAccess<LazyObject<T>>,
      listerWatcher: bytesListerWatcher(resource, scopeOf(options)),
    });
  return new SharedInformer<T>({
    ...described,
    ...(options as ClientInformerOptions<T>),
    listerWatcher: listerWatcher(resource, scopeOf(options)),
  });
}

/** A factory whose informers go through a client, all with the same scope. */
export function createInformerFactory(
  client: KubeClient,
  options: Omit<InformerFactoryOptions, 'listerWatcherOf'> & CachedResourceOptions = {},
): InformerFactory {
  return new InformerFactory({
    ...options,
    listerWatcherOf: (kind) => listerWatcher(client.resource(kind), scopeOf(options)),
  });
}

function scopeOf(options: CachedResourceOptions): CachedResourceOptions {
  const { namespace, labelSelector, fieldSelector, omitManagedFields } = options;
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(omitManagedFields === undefined ? {} : { omitManagedFields }),
  };
}
