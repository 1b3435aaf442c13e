import type { KubeClient } from '@waygate/kube';
import type { Kind, KubeObject } from '@waygate/schema';
import { bytesListerWatcherOf } from './bytes-lister-watcher.ts';
import { type ListerWatcherScope, listerWatcherOf } from './client-lister-watcher.ts';
import { InformerFactory, type InformerFactoryOptions } from './informer-factory.ts';
import { type LazyObject, lazyObjectAccess } from './lazy-object.ts';
import type { ObjectAccess } from './object-access.ts';
import { SharedInformer, type SharedInformerOptions } from './shared-informer.ts';

/** What an informer caches, and in which form. */
export interface ClientInformerOptions<T>
  extends Omit<SharedInformerOptions<T>, 'listerWatcher' | 'access'>,
    ListerWatcherScope {}

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
  client: Pick<KubeClient, 'resource' | 'whenReachable'>,
  kind: Kind<T>,
  options?: ClientInformerOptions<T> & { readonly store?: 'objects' },
): SharedInformer<T>;
export function createInformer<T extends KubeObject>(
  client: Pick<KubeClient, 'resource' | 'whenReachable'>,
  kind: Kind<T>,
  options: ClientInformerOptions<LazyObject<T>> & { readonly store: 'bytes' },
): SharedInformer<LazyObject<T>>;
export function createInformer<T extends KubeObject>(
  client: Pick<KubeClient, 'resource' | 'whenReachable'>,
  kind: Kind<T>,
  options: (ClientInformerOptions<T> | ClientInformerOptions<LazyObject<T>>) & {
    readonly store?: 'objects' | 'bytes';
  } = {},
): SharedInformer<T> | SharedInformer<LazyObject<T>> {
  const described = { description: kind.plural, expectedType: { kind: kind.kind } };
  if (options.store === 'bytes')
    return new SharedInformer<LazyObject<T>>({
      ...described,
      ...(options as ClientInformerOptions<LazyObject<T>>),
      access: lazyObjectAccess as unknown as ObjectAccess<LazyObject<T>>,
      listerWatcher: bytesListerWatcherOf(client, kind, scopeOf(options)),
    });
  return new SharedInformer<T>({
    ...described,
    ...(options as ClientInformerOptions<T>),
    listerWatcher: listerWatcherOf(client, kind, scopeOf(options)),
  });
}

/**
 * A factory whose informers go through a client, all with the same scope.
 *
 * ```ts
 * const factory = createInformerFactory(client, { namespace: 'shop', omitManagedFields: true });
 * const pods = factory.informerFor(kinds.Pod);
 * const services = factory.informerFor(kinds.Service);
 * factory.start(signal);
 * await factory.waitForCacheSync(signal);
 * ```
 */
export function createInformerFactory(
  client: Pick<KubeClient, 'resource' | 'whenReachable'>,
  options: Omit<InformerFactoryOptions, 'listerWatcherOf'> & ListerWatcherScope = {},
): InformerFactory {
  return new InformerFactory({
    ...options,
    listerWatcherOf: (kind) => listerWatcherOf(client, kind, scopeOf(options)),
  });
}

function scopeOf(options: ListerWatcherScope): ListerWatcherScope {
  const { namespace, labelSelector, fieldSelector, omitManagedFields } = options;
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(omitManagedFields === undefined ? {} : { omitManagedFields }),
  };
}
