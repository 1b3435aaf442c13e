import { isBadRequest, isNotFound, type KubeClient } from '@waygate/kube';
import { type Clock, lastKnownState, listerWatcherOf, SharedInformer } from '@waygate/runtime';
import type { DynamicObject } from '@waygate/schema';
import type { ObjectChange } from '../translate/incremental/incremental-translator.ts';
import type { WatchedKind } from './watched-kinds.ts';

export interface ClusterFeedOptions {
  readonly client: KubeClient;
  readonly kinds: readonly WatchedKind[];
  /** Only these namespaces; all when empty. */
  readonly namespaces?: readonly string[];
  /** Which Secrets to follow; Helm's releases, which are many and large, never are. */
  readonly secretLabelSelector?: string;
  readonly clock: Clock;
  /** Takes every change, in the order of its kind. */
  readonly onChange: (change: ObjectChange) => void;
  readonly onError: (error: unknown) => void;
}

const notHelmReleases = 'type!=helm.sh/release.v1';

/** How often to look for kinds whose API was not there. */
const discoveryPeriodMs = 30_000;

/** Follows all kinds through informers and hands on what changes. */
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
    const available = await Promise.all(kinds.map((kind) => this.#isServed(kind, signal)));
    this.#missing = kinds.filter((_, index) => !available[index]);
    await Promise.all(
      kinds.filter((_, index) => available[index]).map((kind) => this.#follow(kind, signal)),
    );
  }

  /** Waits for kinds that were missing, until the signal aborts; then for all informers to end. */
  async run(signal: AbortSignal): Promise<void> {
    while (this.#missing.length > 0 && !signal.aborted) {
      await this.#options.clock.sleep(discoveryPeriodMs, signal);
      if (signal.aborted) break;
      const still: WatchedKind[] = [];
      for (const kind of this.#missing) {
        if (await this.#isServed(kind, signal)) await this.#follow(kind, signal);
        else still.push(kind);
      }
      this.#missing = still;
    }
    await Promise.all(this.#running);
  }

  async #isServed({ kind, isOptional }: WatchedKind, signal: AbortSignal): Promise<boolean> {
    if (!isOptional) return true;
    const path = `/apis/${kind.group}/${kind.version}`;
    try {
      const list = await this.#options.client.json<{ resources?: { name: string }[] }>(
        { method: 'GET', path },
        { signal },
      );
      return (list.resources ?? []).some(({ name }) => name === kind.plural);
    } catch (error) {
      if (!isNotFound(error) && !signal.aborted) this.#options.onError(error);
      return false;
    }
  }

  /** Leaves out Helm's releases, if the API can select Secrets by their type. */
  async #secretSelector(
    kind: WatchedKind['kind'],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    try {
      const [namespace] = this.#options.namespaces ?? [];
      await this.#options.client
        .resource(kind)
        .list(
          { fieldSelector: notHelmReleases, limit: 1, ...(namespace && { namespace }) },
          { signal },
        );
      return notHelmReleases;
    } catch (error) {
      if (!isBadRequest(error) && !signal.aborted) this.#options.onError(error);
      return undefined;
    }
  }

  async #follow(watched: WatchedKind, signal: AbortSignal): Promise<void> {
    const { namespaces = [] } = this.#options;
    const isCluster = watched.kind.scope === 'Cluster';
    const scopes = isCluster || namespaces.length === 0 ? [undefined] : namespaces;
    await Promise.all(scopes.map((namespace) => this.#followIn(watched, namespace, signal)));
  }

  async #followIn(
    { kind, id }: WatchedKind,
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock, onChange, onError, secretLabelSelector } = this.#options;
    const isSecret = id === 'Secret';
    const fieldSelector = isSecret ? await this.#secretSelector(kind, signal) : undefined;
    const informer = new SharedInformer<DynamicObject>({
      clock,
      onError,
      description: kind.plural,
      expectedType: { kind: kind.kind },
      transform: withoutManagedFields,
      listerWatcher: listerWatcherOf(client, kind, {
        omitManagedFields: true,
        ...(namespace === undefined ? {} : { namespace }),
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
        ...(isSecret && secretLabelSelector ? { labelSelector: secretLabelSelector } : {}),
      }),
    });
    const registration = informer.addEventHandler({
      onAdd: (object) => onChange({ type: 'put', object }),
      onUpdate: (_, object) => onChange({ type: 'put', object }),
      onDelete: (deleted) => {
        const object = lastKnownState(deleted);
        if (object !== undefined) onChange({ type: 'delete', object });
      },
    });
    this.#running.push(informer.run(signal));
    await registration.waitForSync(signal);
  }
}

function withoutManagedFields(object: DynamicObject): DynamicObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}
