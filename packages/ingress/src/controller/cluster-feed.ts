import { isNotFound, type KubeClient } from '@waygate/kube';
import { ChangeFeed, type Clock, listerWatcherOf, splitMetaNamespaceKey } from '@waygate/runtime';
import type { DynamicObject } from '@waygate/schema';
import { inVersion, type WatchedKind } from '../objects/watched-kinds.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { ObjectChange } from '../translate/incremental/cluster-translator.ts';

interface ClusterFeedOptions {
  readonly client: KubeClient;
  readonly kinds: readonly WatchedKind[];
  /** Only these namespaces; all when empty. */
  readonly namespaces?: readonly string[];
  /** Services of these namespaces are followed as well. */
  readonly serviceNamespaces?: readonly string[];
  /** Where the objects are kept; nowhere else. */
  readonly objects: ObjectStore;
  readonly clock: Clock;
  /** Takes every change, in the order of its kind. */
  readonly onChange: (change: ObjectChange) => void;
  readonly onError: (error: unknown) => void;
}

/** How often to look for kinds whose API was not there. */
const discoveryPeriodMs = 30_000;

/** The answers of one round, by path: most kinds share a version of a group with others. */
type Asked = Map<string, Promise<ReadonlySet<string>>>;

/** Follows all kinds and hands on what changes. */
export class ClusterFeed {
  readonly #options: ClusterFeedOptions;
  readonly #running: Promise<unknown>[] = [];
  #missing: WatchedKind[] = [];

  constructor(options: ClusterFeedOptions) {
    this.#options = options;
  }

  /** Starts following; resolves when everything that exists has been handed on. */
  async start(signal: AbortSignal): Promise<void> {
    const { kinds } = this.#options;
    const asked: Asked = new Map();
    const served = await Promise.all(kinds.map((kind) => this.#served(kind, asked, signal)));
    this.#missing = kinds.filter((_, index) => served[index] === undefined);
    await Promise.all(served.map((kind) => kind && this.#follow(kind, signal)));
  }

  /** Waits for kinds that were missing, until the signal aborts; then for all of it to end. */
  async run(signal: AbortSignal): Promise<void> {
    while (this.#missing.length > 0 && !signal.aborted) {
      await this.#options.clock.sleep(discoveryPeriodMs, signal);
      if (signal.aborted) break;
      const still: WatchedKind[] = [];
      const asked: Asked = new Map();
      for (const kind of this.#missing) {
        const served = await this.#served(kind, asked, signal);
        if (served === undefined) still.push(kind);
        else await this.#follow(served, signal);
      }
      this.#missing = still;
    }
    await Promise.all(this.#running);
  }

  /** The kind in the first of its versions that the API serves; undefined when it serves none. */
  async #served(
    watched: WatchedKind,
    asked: Asked,
    signal: AbortSignal,
  ): Promise<WatchedKind | undefined> {
    if (!watched.isOptional) return watched;
    const { group, plural } = watched.kind;
    for (const version of [watched.kind.version, ...watched.otherVersions]) {
      const path = `/apis/${group}/${version}`;
      const names = asked.get(path) ?? this.#namesAt(path, signal);
      asked.set(path, names);
      if ((await names).has(plural)) return inVersion(watched, version);
    }
    return undefined;
  }

  /** The resources of a version of a group; none when the API does not serve it. */
  async #namesAt(path: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    try {
      const list = await this.#options.client.json<{ resources?: { name: string }[] }>(
        { method: 'GET', path },
        { signal },
      );
      return new Set((list.resources ?? []).map(({ name }) => name));
    } catch (error) {
      if (!isNotFound(error) && !signal.aborted) this.#options.onError(error);
      return new Set();
    }
  }

  async #follow(watched: WatchedKind, signal: AbortSignal): Promise<void> {
    const { namespaces = [], serviceNamespaces = [] } = this.#options;
    const isCluster = watched.kind.scope === 'Cluster';
    const more = watched.id === 'Service' ? serviceNamespaces : [];
    const scopes =
      isCluster || namespaces.length === 0 ? [undefined] : new Set([...namespaces, ...more]);
    await Promise.all([...scopes].map((scope) => this.#followIn(watched, scope, signal)));
  }

  async #followIn(
    { id, kind }: WatchedKind,
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock, objects, onChange, onError } = this.#options;
    const feed = new ChangeFeed<DynamicObject>({
      clock,
      onError,
      description: kind.plural,
      expectedType: { kind: kind.kind },
      transform: withoutManagedFields,
      listerWatcher: listerWatcherOf(client, kind, {
        omitManagedFields: true,
        ...(namespace === undefined ? {} : { namespace }),
      }),
      knownKeys: () => objects.keysIn(id, namespace),
      onPut: (object) => onChange({ type: 'put', object }),
      onDelete: (key, last) => {
        const { namespace: where, name } = splitMetaNamespaceKey(key);
        const object = last ?? objects.get(id, where, name);
        if (object !== undefined) onChange({ type: 'delete', object });
      },
    });
    this.#running.push(feed.run(signal));
    await feed.waitForSync(signal);
  }
}

function withoutManagedFields(object: DynamicObject): DynamicObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}
