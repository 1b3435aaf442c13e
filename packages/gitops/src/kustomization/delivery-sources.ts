import type { KubeClient } from '@waygate/kube';
import {
  type Clock,
  informerSource,
  type Operator,
  type Predicate,
  type SharedInformer,
  type Source,
} from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { SourceObject } from '../api/source-objects.ts';
import { wantsReconcile } from '../wake-predicates.ts';
import { configSources } from './config-sources.ts';

/** An object that brings what a source has to the cluster, after others of its kind. */
interface Delivered extends KubeObject {
  readonly spec: {
    readonly dependsOn?:
      | readonly { readonly name: string; readonly namespace?: string | undefined }[]
      | undefined;
  };
}

/** What wakes a delivery, and when. */
interface DeliverySourcesOptions<T extends Delivered> {
  readonly client: KubeClient;
  /** Caches of the kinds of sources that the cluster knows. */
  readonly sources: ReadonlyMap<string, SharedInformer<KubeObject>>;
  /** Which change of a source concerns those who use it. */
  readonly sourceMoved: Predicate<SourceObject>;
  /** Told of a source that moved, with each that uses it, before that one is woken. */
  readonly onSource?: (user: string, source: SourceObject) => void;
  /** Which change of an object concerns those that wait for it. */
  readonly dependencyMoved: Predicate<T>;
  readonly namespace?: string | undefined;
  readonly watchedConfigSelector?: string | false | undefined;
  readonly clock: Clock;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * All that wakes the objects of an informer: a change of their own, of their sources, of what they
 * depend on and of the ConfigMaps and Secrets that they read. The informer has the indexes `source`
 * (`Kind/namespace/name`), `dependency` (`namespace/name`) and `config`.
 */
export function deliverySources<T extends Delivered>(
  operator: Operator,
  informer: SharedInformer<T>,
  options: DeliverySourcesOptions<T>,
): Source<string>[] {
  const { indexer } = informer;
  const configs = configSources(options.client, informer, {
    clock: options.clock,
    onError: options.onError,
    namespace: options.namespace,
    selector: options.watchedConfigSelector,
  });
  for (const runnable of configs.runnables) operator.manager.add(runnable, 'caches');
  return [
    informerSource(informer, { predicates: [wantsReconcile] }),
    informerSource(informer, {
      name: 'dependencies',
      predicates: [options.dependencyMoved],
      map: (object) => indexer.indexKeys('dependency', keyOf(object)),
    }),
    ...[...options.sources].map(([kind, source]) =>
      informerSource(source as SharedInformer<SourceObject>, {
        name: kind,
        predicates: [options.sourceMoved],
        map: (object) => {
          const users = indexer.indexKeys('source', `${kind}/${keyOf(object)}`);
          for (const user of users) options.onSource?.(user, object);
          return users;
        },
      }),
    ),
    ...configs.sources,
  ];
}

/** The keys of what an object waits for. */
export function dependencyKeysOf({ metadata, spec }: Delivered): string[] {
  return (spec.dependsOn ?? []).map(
    ({ name, namespace }) => `${namespace || metadata.namespace}/${name}`,
  );
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}
