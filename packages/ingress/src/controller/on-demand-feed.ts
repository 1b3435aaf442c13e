import { isBadRequest, isNotFound, type KubeClient } from '@waygate/kube';
import { type Clock, lastKnownState, parallelizeUntil, SharedInformer } from '@waygate/runtime';
import type { DynamicObject } from '@waygate/schema';
import type { WatchedKind } from '../objects/watched-kinds.ts';
import { objectReadKey, type ReadKey } from '../store/object-store.ts';
import type { KindOnDemand } from '../store/tracking-reader.ts';
import { caCertificateLabel } from '../translate/ca-certificates.ts';
import { credentialLabel } from '../translate/credentials.ts';
import type { ObjectChange } from '../translate/incremental/cluster-translator.ts';
import {
  type ShelvedObject,
  shelvedListerWatcherOf,
  shelvedObjectAccess,
} from './shelved-object.ts';

export interface OnDemandFeedOptions {
  readonly client: KubeClient;
  readonly kinds: readonly WatchedKind[];
  /** Only these namespaces; all when empty. */
  readonly namespaces: readonly string[];
  /** Which objects of a kind to follow at all. */
  readonly labelSelectors: Readonly<Partial<Record<KindOnDemand, string>>>;
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
  readonly #informers = new Map<KindOnDemand, SharedInformer<ShelvedObject>[]>();
  readonly #running: Promise<unknown>[] = [];
  #signal: AbortSignal | undefined;

  constructor(options: OnDemandFeedOptions) {
    this.#options = options;
  }

  /** Starts following; resolves when everything that exists has been seen. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
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
    let known = 0;
    let kept = 0;
    for (const [, shelved] of this.#all()) {
      known += 1;
      if (shelved.content !== undefined) kept += 1;
    }
    return { known, kept };
  }

  /** Brings objects that look-ups did not find, where they exist; says whether any was brought. */
  async fetch(keys: Iterable<ReadKey>, signal: AbortSignal): Promise<boolean> {
    const wanted: [WatchedKind, ShelvedObject][] = [];
    for (const key of keys) {
      const space = key.indexOf(' ');
      const watched = this.#options.kinds.find(({ id }) => id === key.slice(0, space));
      const shelved = watched && this.#find(watched.id as KindOnDemand, key.slice(space + 1));
      if (watched !== undefined && shelved !== undefined) wanted.push([watched, shelved]);
    }
    if (wanted.length === 0) return false;
    let brought = 0;
    const load = { workers: concurrentFetches, pieces: wanted.length, signal };
    await parallelizeUntil(load, async (index) => {
      const [watched, shelved] = wanted[index]!;
      if (await this.#bring(watched, shelved, signal)) brought += 1;
    });
    return brought > 0;
  }

  /** Lets go of contents that nothing needs any more. */
  sweep(): void {
    for (const [kind, shelved] of this.#all()) {
      const { content } = shelved;
      if (content === undefined) continue;
      const { namespace, name } = shelved;
      if (this.#isWanted(kind, namespace, name, content.metadata.labels ?? {})) continue;
      shelved.content = undefined;
      this.#options.onChange({ type: 'delete', object: content });
    }
  }

  *#all(): Iterable<[KindOnDemand, ShelvedObject]> {
    for (const [kind, informers] of this.#informers)
      for (const informer of informers)
        for (const shelved of informer.indexer.list()) yield [kind, shelved];
  }

  #find(kind: KindOnDemand, key: string): ShelvedObject | undefined {
    for (const informer of this.#informers.get(kind) ?? []) {
      const found = informer.indexer.getByKey(key);
      if (found !== undefined) return found;
    }
    return undefined;
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

  async #bring(
    { kind }: WatchedKind,
    shelved: ShelvedObject,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, onChange, onError } = this.#options;
    const { name, namespace } = shelved;
    try {
      if (shelved.content === undefined) {
        const object = await client.resource(kind).get(name, { namespace }, { signal });
        const { managedFields: _, ...metadata } = object.metadata;
        shelved.content = { ...object, metadata };
      }
      onChange({ type: 'put', object: shelved.content });
      return true;
    } catch (error) {
      if (!isNotFound(error) && !signal.aborted) onError(error);
      return false;
    }
  }

  async #follow(
    watched: WatchedKind,
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock, onError, labelSelectors } = this.#options;
    const { kind } = watched;
    const id = watched.id as KindOnDemand;
    const labelSelector = labelSelectors[id];
    const fieldSelector =
      id === 'Secret' ? await this.#secretSelector(kind, namespace, signal) : undefined;
    const informer = new SharedInformer<ShelvedObject>({
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
        (where, name, labels) => this.#isWanted(id, where, name, labels),
      ),
    });
    this.#informers.set(id, [...(this.#informers.get(id) ?? []), informer]);
    const registration = informer.addEventHandler({
      onAdd: (shelved) => this.#put(watched, shelved, undefined),
      onUpdate: (before, shelved) => this.#put(watched, shelved, before),
      onDelete: (deleted) => {
        const shelved = lastKnownState(deleted);
        if (shelved !== undefined) this.#delete(watched, shelved);
      },
    });
    this.#running.push(informer.run(signal));
    await registration.waitForSync(signal);
  }

  #put(watched: WatchedKind, shelved: ShelvedObject, before: ShelvedObject | undefined): void {
    const { content, namespace, name } = shelved;
    const key = objectReadKey(watched.id, namespace, name);
    if (content !== undefined) this.#options.onChange({ type: 'put', object: content });
    else if (this.#options.isRead(key)) {
      // It was not needed when it was seen, and is by now.
      const signal = this.#signal;
      if (signal !== undefined) void this.#bring(watched, shelved, signal);
    } else if (before?.content !== undefined)
      this.#options.onChange({ type: 'delete', object: before.content });
  }

  #delete({ kind }: WatchedKind, { content, namespace, name }: ShelvedObject): void {
    const object: DynamicObject = content ?? {
      apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: { namespace, name },
    };
    this.#options.onChange({ type: 'delete', object });
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
