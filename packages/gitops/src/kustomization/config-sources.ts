import type { KubeClient } from '@waygate/kube';
import {
  type Clock,
  createInformer,
  informerSource,
  type Runnable,
  resourceVersionChanged,
  type SharedInformer,
  type Source,
} from '@waygate/runtime';
import { type Kind, type KubeObject, kinds } from '@waygate/schema';
import type { Kustomization } from '../api/kustomization-object.ts';

/** ConfigMaps and Secrets with this label wake the Kustomizations that refer to them. */
const watchedConfigSelector = 'reconcile.fluxcd.io/watch=Enabled';

/** The keys of what a Kustomization reads from the cluster: `ConfigMap/namespace/name`, … */
export function configKeysOf({ metadata, spec }: Kustomization): string[] {
  const keys: string[] = [];
  const add = (kind: string, name: string | undefined) => {
    if (name !== undefined) keys.push(`${kind}/${metadata.namespace}/${name}`);
  };
  for (const { kind, name } of spec.postBuild?.substituteFrom ?? []) add(kind, name);
  add('Secret', spec.kubeConfig?.secretRef?.name);
  add('ConfigMap', spec.kubeConfig?.configMapRef?.name);
  add('Secret', spec.decryption?.secretRef?.name);
  return keys;
}

/**
 * Caches of labelled ConfigMaps and Secrets, of which only the names are kept. They wake whoever has
 * their keys in the index `config`.
 */
export function configSources<T extends KubeObject>(
  client: KubeClient,
  users: SharedInformer<T>,
  options: {
    readonly clock: Clock;
    readonly onError?: ((error: unknown) => void) | undefined;
    /** Only those of this namespace. */
    readonly namespace?: string | undefined;
    /** Only those with these labels; false: none at all. */
    readonly selector?: string | false | undefined;
    /** Which are followed: both by default. */
    readonly kinds?: readonly Kind<KubeObject>[];
  },
): { readonly sources: Source<string>[]; readonly runnables: Runnable[] } {
  const sources: Source<string>[] = [];
  const runnables: Runnable[] = [];
  const { namespace, selector = watchedConfigSelector } = options;
  if (selector === false) return { sources, runnables };
  const both = [kinds.ConfigMap, kinds.Secret] as readonly Kind<KubeObject>[];
  for (const kind of options.kinds ?? both) {
    const informer = createInformer(client, kind, {
      labelSelector: selector,
      ...(namespace === undefined ? {} : { namespace }),
      transform: ({ metadata: { name, namespace, resourceVersion, uid } }) => ({
        metadata: { name, namespace, resourceVersion, uid } as KubeObject['metadata'],
      }),
      clock: options.clock,
      ...(options.onError === undefined ? {} : { onError: options.onError }),
    });
    sources.push(
      informerSource(informer, {
        name: kind.plural,
        predicates: [
          resourceVersionChanged,
          (event) => event.type !== 'add' || !event.isInInitialList,
        ],
        map: ({ metadata }) =>
          users.indexer.indexKeys('config', `${kind.kind}/${metadata.namespace}/${metadata.name}`),
      }),
    );
    runnables.push({
      name: `watched-${kind.plural}`,
      needsLeaderElection: false,
      run: (signal) => informer.run(signal),
      waitForSync: (signal) => informer.waitForSync(signal),
    });
  }
  return { sources, runnables };
}
