import type { Clock } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { watchedKinds } from '../objects/watched-kinds.ts';
import { isFetchedOnDemand } from '../store/tracking-reader.ts';
import type { ObjectChange } from '../translate/incremental/cluster-translator.ts';
import { ClusterFeed } from './cluster-feed.ts';
import type { ConfigurationLoop } from './configuration-loop.ts';
import type { IngressControllerOptions } from './controller-options.ts';
import { OnDemandFeed } from './on-demand-feed.ts';

/** What brings the objects of a cluster to the loop: all of some kinds, and of others those that are read. */
export function makeFeeds(
  options: IngressControllerOptions,
  loop: ConfigurationLoop,
  clock: Clock,
  onError: (error: unknown) => void,
): { feed: ClusterFeed; onDemand: OnDemandFeed } {
  const { client, watchNamespaces = [], secretLabelSelector } = options;
  const { configMapLabelSelector, publishService, publishServiceUdp } = options;
  const disabled = new Set(options.disabledControllers ?? []);
  const kinds = watchedKinds.filter(({ flag }) => flag === undefined || !disabled.has(flag));
  const shared = {
    client,
    namespaces: watchNamespaces,
    clock,
    onError,
    onChange: (change: ObjectChange) => {
      if (!isOtherGateway(change.object, options.gatewayToReconcile)) loop.change(change);
    },
  };
  const feed = new ClusterFeed({
    ...shared,
    kinds: kinds.filter(({ id }) => !isFetchedOnDemand(id)),
    serviceNamespaces: [publishService, publishServiceUdp].flatMap((key) =>
      key ? [key.slice(0, key.indexOf('/'))] : [],
    ),
  });
  const onDemand = new OnDemandFeed({
    ...shared,
    kinds: kinds.filter(({ id }) => isFetchedOnDemand(id)),
    labelSelectors: {
      ...(secretLabelSelector && { Secret: secretLabelSelector }),
      ...(configMapLabelSelector && { ConfigMap: configMapLabelSelector }),
    },
    isRead: (key) => loop.isRead(key),
  });
  return { feed, onDemand };
}

/** With one Gateway to look after, the others are not there: no route can hang on them. */
function isOtherGateway(
  { kind, apiVersion, metadata }: KubeObject,
  looksAfter: string | undefined,
): boolean {
  if (looksAfter === undefined || kind !== 'Gateway') return false;
  if (!apiVersion?.startsWith('gateway.networking.k8s.io/')) return false;
  return `${metadata.namespace}/${metadata.name}` !== looksAfter;
}
