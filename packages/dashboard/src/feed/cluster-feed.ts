import { isForbidden, isNoMatch, type KubeClient } from '@waygate/kube';
import { ChangeFeed, type Clock, listerWatcherOf, metaNamespaceKey } from '@waygate/runtime';
import { apiVersionOf, type DynamicObject, type Kind } from '@waygate/schema';
import { type SeenObject, seenObject } from '../view/seen-object.ts';
import { slimObject } from './slim-object.ts';

interface ClusterFeedOptions {
  readonly client: KubeClient;
  readonly kinds: readonly Kind[];
  /** Only this namespace: for those who may not read the others. */
  readonly namespace?: string | undefined;
  readonly clock: Clock;
  readonly onChange: (key: string, seen: SeenObject | undefined) => void;
  readonly onError: (error: unknown) => void;
}

/** How often it is asked whether a kind that the cluster did not know has been installed. */
const absentMs = 30_000;

/** Follows objects of many kinds, and tells of each as much as the view needs. */
export class ClusterFeed {
  readonly #options: ClusterFeedOptions;
  /** Resolves when everything that is there, and that may be read, has been told once. */
  readonly synced: Promise<void>;
  #isSynced: () => void = () => undefined;

  constructor(options: ClusterFeedOptions) {
    this.#options = options;
    this.synced = new Promise((resolve) => {
      this.#isSynced = resolve;
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const followed = this.#options.kinds.map((kind) => this.#follow(kind, signal));
    void Promise.all(followed.map(({ synced }) => synced)).then(this.#isSynced);
    await Promise.all(followed.map(({ running }) => running));
  }

  #follow(kind: Kind, signal: AbortSignal) {
    let isSynced = (_: boolean): void => undefined;
    const synced = new Promise<boolean>((resolve) => {
      isSynced = resolve;
    });
    signal.addEventListener('abort', () => isSynced(false), { once: true });
    return { synced, running: this.#followWhenKnown(kind, signal, isSynced) };
  }

  async #followWhenKnown(
    kind: Kind,
    signal: AbortSignal,
    isSynced: (isWell: boolean) => void,
  ): Promise<void> {
    const { client, clock, onError } = this.#options;
    while (!signal.aborted) {
      try {
        await client.mapper.resourceOf(kind, { signal });
        // An informer would ask for ever what it may not list.
        await client.resource(kind).list({ ...this.#scopeOf(kind), limit: 1 }, { signal });
        await this.#inform(kind, signal, isSynced);
        return;
      } catch (error) {
        if (signal.aborted) return;
        // A kind that is not there, or not ours to read, keeps nobody waiting.
        isSynced(false);
        if (!isNoMatch(error) && !isForbidden(error)) onError(error);
        await clock.sleep(absentMs, signal);
      }
    }
  }

  async #inform(
    kind: Kind,
    signal: AbortSignal,
    isSynced: (isWell: boolean) => void,
  ): Promise<void> {
    const { client, clock, onChange, onError } = this.#options;
    const apiVersion = apiVersionOf(kind.group, kind.version);
    // By namespace and name, what the view knows them by. Objects are kept nowhere: the view has its own of each.
    const known = new Map<string, string>();
    const feed = new ChangeFeed<DynamicObject>({
      clock,
      onError,
      description: kind.plural,
      expectedType: { kind: kind.kind },
      transform: slimObject,
      listerWatcher: listerWatcherOf(client, kind, {
        omitManagedFields: true,
        ...this.#scopeOf(kind),
      }),
      knownKeys: () => known.keys(),
      onPut: (object) => {
        const now = seenObject({ ...object, apiVersion, kind: kind.kind });
        known.set(metaNamespaceKey(object), now.key);
        onChange(now.key, now);
      },
      onDelete: (key) => {
        const gone = known.get(key);
        known.delete(key);
        if (gone !== undefined) onChange(gone, undefined);
      },
    });
    void feed.waitForSync(signal).then(isSynced);
    await feed.run(signal);
  }

  #scopeOf({ scope }: Kind): { readonly namespace?: string } {
    const { namespace } = this.#options;
    return namespace === undefined || scope === 'Cluster' ? {} : { namespace };
  }
}
