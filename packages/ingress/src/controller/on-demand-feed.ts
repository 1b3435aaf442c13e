import { isBadRequest, isNotFound, type KubeClient } from '@waygate/kube';
import { ChangeFeed, type Clock, parallelizeUntil, splitMetaNamespaceKey } from '@waygate/runtime';
import type { ObjectName } from '../objects/object-id.ts';
import { type WatchedKind, watchedKindOf } from '../objects/watched-kinds.ts';
import { type ObjectStore, objectReadKey, type ReadKey } from '../store/object-store.ts';
import type { KindOnDemand } from '../store/tracking-reader.ts';
import { caCertificateLabel } from '../translate/ca-certificates.ts';
import { credentialLabel } from '../translate/credentials.ts';
import type { ObjectChange } from '../translate/incremental/cluster-translator.ts';
import {
  type ShelvedObject,
  shelvedListerWatcherOf,
  shelvedObjectAccess,
} from './shelved-object.ts';

interface OnDemandFeedOptions {
  readonly client: KubeClient;
  readonly kinds: readonly WatchedKind[];
  /** Only these namespaces; all when empty. */
  readonly namespaces: readonly string[];
  /** Which objects of a kind to follow at all. */
  readonly labelSelectors: Readonly<Partial<Record<KindOnDemand, string>>>;
  /** Where the contents are that are kept. */
  readonly objects: ObjectStore;
  /** Whether the configuration follows from this object. */
  readonly isRead: (key: ReadKey) => boolean;
  readonly clock: Clock;
  readonly onChange: (change: ObjectChange) => void;
  readonly onError: (error: unknown) => void;
}

const notHelmReleases = 'type!=helm.sh/release.v1';
const concurrentFetches = 16;

/** What makes an object's content worth keeping although nothing refers to it. */
const keptLabels: Readonly<Record<KindOnDemand, readonly string[]>> = {
  ConfigMap: [caCertificateLabel],
  Endpoints: [],
  Secret: [caCertificateLabel, credentialLabel],
};

/**
 * Follows Secrets, ConfigMaps and Endpoints, and hands on those that the configuration needs or that
 * are labelled for it. The content of all others is neither parsed nor kept; when a new reference
 * leads to one of them, it is fetched.
 */
export class OnDemandFeed {
  readonly #options: OnDemandFeedOptions;
  /** All that exist, by their keys; a set for each list and watch. */
  readonly #known: { readonly kind: KindOnDemand; readonly keys: Set<string> }[] = [];
  readonly #running: Promise<unknown>[] = [];

  constructor(options: OnDemandFeedOptions) {
    this.#options = options;
  }

  /** Starts following; resolves when everything that exists has been seen. */
  async start(signal: AbortSignal): Promise<void> {
    const { kinds, namespaces } = this.#options;
    const scopes = namespaces.length === 0 ? [undefined] : namespaces;
    await Promise.all(
      kinds.flatMap((kind) => scopes.map((scope) => this.#follow(kind, scope, signal))),
    );
  }

  async run(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** How many objects are known, and of how many the content is kept. */
  get counts(): { readonly known: number; readonly kept: number } {
    const { kinds, objects } = this.#options;
    const known = this.#known.reduce((count, { keys }) => count + keys.size, 0);
    const kept = kinds.reduce((count, { id }) => count + [...objects.values(id)].length, 0);
    return { known, kept };
  }

  /** Brings objects that look-ups did not find, where they exist; says whether any was brought. */
  async fetch(names: Iterable<ObjectName>, signal: AbortSignal): Promise<boolean> {
    const wanted = [...names].filter((name) => this.#exists(name));
    if (wanted.length === 0) return false;
    let brought = 0;
    const load = { workers: concurrentFetches, pieces: wanted.length, signal };
    await parallelizeUntil(load, async (index) => {
      if (await this.#bring(wanted[index]!, signal)) brought += 1;
    });
    return brought > 0;
  }

  /** Lets go of contents that nothing needs any more. */
  sweep(): void {
    const { kinds, objects, onChange } = this.#options;
    for (const { id } of kinds) {
      for (const object of [...objects.values(id)]) {
        const { namespace = '', name = '', labels = {} } = object.metadata;
        if (!this.#isWanted(id as KindOnDemand, namespace, name, labels))
          onChange({ type: 'delete', object });
      }
    }
  }

  #exists({ kind, namespace, name }: ObjectName): boolean {
    const key = `${namespace}/${name}`;
    return this.#known.some((one) => one.kind === kind && one.keys.has(key));
  }

  #isWanted(
    kind: KindOnDemand,
    namespace: string,
    name: string,
    labels: Readonly<Record<string, string>>,
  ): boolean {
    if (keptLabels[kind].some((label) => Object.hasOwn(labels, label))) return true;
    return this.#options.isRead(objectReadKey(kind, namespace, name));
  }

  async #bring(wanted: ObjectName, signal: AbortSignal): Promise<boolean> {
    const { client, objects, onChange, onError } = this.#options;
    const { kind: id, namespace, name } = wanted;
    const before = objects.get(id, namespace, name);
    try {
      const { kind } = watchedKindOf(id);
      const object = await client.resource(kind).get(name, { namespace }, { signal });
      const { managedFields: _, ...metadata } = object.metadata;
      // What the watch told meanwhile is newer.
      if (!this.#exists(wanted)) return false;
      if (objects.get(id, namespace, name) === before)
        onChange({ type: 'put', object: { ...object, metadata } });
      return true;
    } catch (error) {
      if (!isNotFound(error) && !signal.aborted) onError(error);
      return false;
    }
  }

  async #follow(
    { id, kind }: WatchedKind,
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock, onError, labelSelectors } = this.#options;
    const onDemand = id as KindOnDemand;
    const labelSelector = labelSelectors[onDemand];
    const fieldSelector =
      id === 'Secret' ? await this.#secretSelector(kind, namespace, signal) : undefined;
    const keys = new Set<string>();
    this.#known.push({ kind: onDemand, keys });
    const feed = new ChangeFeed<ShelvedObject>({
      clock,
      onError,
      description: kind.plural,
      access: shelvedObjectAccess,
      listerWatcher: shelvedListerWatcherOf(
        client,
        kind,
        {
          ...(namespace === undefined ? {} : { namespace }),
          ...(fieldSelector === undefined ? {} : { fieldSelector }),
          ...(labelSelector ? { labelSelector } : {}),
        },
        (where, name, labels) => this.#isWanted(onDemand, where, name, labels),
      ),
      knownKeys: () => keys,
      onPut: (shelved) => {
        keys.add(shelvedObjectAccess.keyOf(shelved));
        this.#put({ ...shelved, kind: onDemand }, shelved.content, signal);
      },
      onDelete: (key) => {
        keys.delete(key);
        this.#drop({ kind: id, ...splitMetaNamespaceKey(key) });
      },
    });
    this.#running.push(feed.run(signal));
    await feed.waitForSync(signal);
  }

  #put(name: ObjectName, content: ShelvedObject['content'], signal: AbortSignal): void {
    if (content !== undefined) this.#options.onChange({ type: 'put', object: content });
    // It was not needed when it was seen, and is by now.
    else if (this.#options.isRead(objectReadKey(name.kind, name.namespace, name.name)))
      void this.#bring(name, signal);
    else this.#drop(name);
  }

  #drop({ kind, namespace, name }: ObjectName): void {
    const object = this.#options.objects.get(kind, namespace, name);
    if (object !== undefined) this.#options.onChange({ type: 'delete', object });
  }

  /** Leaves out Helm's releases, which are many and large, if the API can select Secrets by type. */
  async #secretSelector(
    kind: WatchedKind['kind'],
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    try {
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
}
