import type { Clock } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { ObjectName } from '../objects/object-id.ts';
import { watchedKinds } from '../objects/watched-kinds.ts';
import { isFetchedOnDemand } from '../store/tracking-reader.ts';
import type { ObjectChange } from '../translate/incremental/cluster-translator.ts';
import { ClusterFeed } from './cluster-feed.ts';
import type { ConfigurationLoop } from './configuration-loop.ts';
import type { IngressControllerOptions } from './controller-options.ts';
import { OnDemandFeed } from './on-demand-feed.ts';

/** What brings the objects of a cluster to the loop: all of some kinds, and of others those that are read. */
export class ControllerFeeds {
  readonly #loop: ConfigurationLoop;
  readonly #feed: ClusterFeed;
  readonly #onDemand: OnDemandFeed;
  #isSynced: (isSynced: boolean) => void = () => {};
  readonly #synced = new Promise<boolean>((resolve) => {
    this.#isSynced = resolve;
  });

  constructor(
    options: IngressControllerOptions,
    loop: ConfigurationLoop,
    clock: Clock,
    onError: (error: unknown) => void,
  ) {
    this.#loop = loop;
    const { client, watchNamespaces = [], secretLabelSelector } = options;
    const { configMapLabelSelector, publishService, publishServiceUdp } = options;
    const disabled = new Set(options.disabledControllers ?? []);
    const kinds = watchedKinds.filter(({ flag }) => flag === undefined || !disabled.has(flag));
    const shared = {
      client,
      namespaces: watchNamespaces,
      clock,
      objects: loop.objects,
      onError,
      onChange: (change: ObjectChange) => {
        if (!isOtherGateway(change.object, options.gatewayToReconcile)) loop.change(change);
      },
    };
    this.#feed = new ClusterFeed({
      ...shared,
      kinds: kinds.filter(({ id }) => !isFetchedOnDemand(id)),
      serviceNamespaces: [publishService, publishServiceUdp].flatMap((key) =>
        key ? [key.slice(0, key.indexOf('/'))] : [],
      ),
    });
    this.#onDemand = new OnDemandFeed({
      ...shared,
      kinds: kinds.filter(({ id }) => isFetchedOnDemand(id)),
      labelSelectors: {
        ...(secretLabelSelector && { Secret: secretLabelSelector }),
        ...(configMapLabelSelector && { ConfigMap: configMapLabelSelector }),
      },
      isRead: (key) => loop.isRead(key),
    });
  }

  /** How many objects are known that are fetched on demand, and of how many the content is kept. */
  get counts(): OnDemandFeed['counts'] {
    return this.#onDemand.counts;
  }

  /** Follows until the signal aborts, and ends when nothing is left running. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#feed.start(signal);
    // Which of the others are needed is known when these have been looked at.
    this.#loop.prepare();
    if (!signal.aborted) await this.#onDemand.start(signal);
    this.#isSynced(!signal.aborted);
    await Promise.all([this.#feed.run(signal), this.#onDemand.run()]);
  }

  /** Resolves with true once everything that exists has been handed on. */
  waitForSync(_signal: AbortSignal): Promise<boolean> {
    return this.#synced;
  }

  fetch(names: Iterable<ObjectName>, signal: AbortSignal): Promise<boolean> {
    return this.#onDemand.fetch(names, signal);
  }

  sweep(): void {
    this.#onDemand.sweep();
  }
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
