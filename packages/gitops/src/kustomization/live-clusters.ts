import { setMaxListeners } from 'node:events';
import type { LiveObjects, ManagedObjects } from '@waygate/apply';
import type { KubeClient } from '@waygate/kube';

interface LiveClustersOptions {
  /** Of the own cluster. */
  readonly client: KubeClient;
  /** Makes what follows the objects that were applied through a client. */
  readonly follow: (client: KubeClient) => ManagedObjects;
}

/**
 * What is known of applied objects in every cluster that Kustomizations apply to, so that drift is
 * corrected there as it is at home. Those who act with rights of others in the own cluster are not
 * followed: what they may see is theirs to know.
 */
export class LiveClusters {
  readonly #options: LiveClustersOptions;
  readonly #byClient = new Map<KubeClient, { live: ManagedObjects; stop: AbortController }>();
  readonly #running = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(options: LiveClustersOptions) {
    this.#options = options;
  }

  /** Follows until the signal aborts; ends when everything that it started has ended. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.of(this.#options.client);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    for (const { stop } of this.#byClient.values()) stop.abort();
    await Promise.allSettled(this.#running);
  }

  /** What is known of objects that are applied through this client; undefined when they are not followed. */
  of(client: KubeClient): LiveObjects | undefined {
    const known = this.#byClient.get(client);
    if (known !== undefined) return known.live;
    const own = this.#options.client;
    const isOwnCluster = client.config.server === own.config.server;
    if (client !== own && isOwnCluster) return undefined;
    if (this.#signal === undefined || this.#signal.aborted) return undefined;
    const live = this.#options.follow(client);
    const stop = new AbortController();
    // One informer for each kind waits for the end: however many there are, that is no leak.
    setMaxListeners(0, stop.signal);
    this.#byClient.set(client, { live, stop });
    const ended = live.run(stop.signal).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
    return live;
  }

  /** The client is closed: nothing can be followed through it any more. */
  forget(client: KubeClient): void {
    this.#byClient.get(client)?.stop.abort();
    this.#byClient.delete(client);
  }
}
