import { isNoMatch, type KubeClient } from '@waygate/kube';
import { type Clock, createInformer, type SharedInformer, systemClock } from '@waygate/runtime';
import type { DynamicObject, Kind, KubeObject } from '@waygate/schema';
import type { LiveObjects } from './live-objects.ts';
import { contentDigest } from './object-digest.ts';
import { type ObjectId, objectIdOf, printObjectId } from './object-id.ts';

/** What is kept of a live object: enough to see that somebody changed it. */
interface LiveState extends KubeObject {
  readonly digest: string;
}

/** How long an answer may be later than the watch. */
const settleMs = 300;

/** After this long without a change, an object counts as undisturbed. */
const calmMs = 300_000;

interface AppliedState {
  /** Of the object that was asked for. */
  readonly desired: string;
  /** Of the object that the server then had. */
  readonly live: string;
  readonly owner: string;
}

/** Whose objects are followed, and who is told of changes. */
export interface ManagedObjectsOptions {
  readonly client: KubeClient;
  /** Every managed object has this label; its value and that of the next name the owner. */
  readonly nameLabel: string;
  readonly namespaceLabel: string;
  /** Somebody else changed or deleted an object of this owner (`namespace/name`). */
  readonly onDrift: (owner: string, object: ObjectId) => void;
  /** Anything about a managed object changed, its status too. */
  readonly onChange?: ((owner: string) => void) | undefined;
  readonly clock?: Clock | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Follows the objects that were applied, one watch a kind, and keeps of each only a digest. An object
 * that is as it was applied costs no request; one that somebody changes is told at once.
 *
 * ```ts
 * const managed = new ManagedObjects({
 *   client,
 *   nameLabel: 'kustomize.toolkit.fluxcd.io/name',
 *   namespaceLabel: 'kustomize.toolkit.fluxcd.io/namespace',
 *   onDrift: (owner, id) => console.log(owner, printObjectId(id)),
 * });
 * const running = managed.run(signal);
 * ```
 */
export class ManagedObjects implements LiveObjects {
  readonly #options: ManagedObjectsOptions;
  readonly #clock: Clock;
  /** By object id: what was wanted, what the API made of it (both as digests), and whose it is. */
  readonly #applied = new Map<string, AppliedState>();
  /**
   * By kind: one watch, begun with the first object of the kind that was applied, and never given
   * up.
   */
  readonly #watches = new Map<string, SharedInformer<LiveState>>();
  /** Objects that were seen to differ, and are looked at again in a moment. */
  readonly #suspects = new Set<string>();
  /**
   * By object id: how often lately somebody else's change was undone, so that a fight slows down.
   */
  readonly #corrections = new Map<string, { count: number; lastMs: number }>();
  /** The watches' loops; `run` ends when all of them have. */
  readonly #running = new Set<Promise<unknown>>();
  #signal: AbortSignal | undefined;

  constructor(options: ManagedObjectsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Watches until the signal aborts; ends when every watch has. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.allSettled(this.#running);
  }

  isAsApplied(id: ObjectId, version: string, desiredDigest: string): boolean {
    const known = this.#applied.get(printObjectId(id));
    if (known === undefined || known.desired !== desiredDigest) return false;
    const watch = this.#watches.get(kindKey(id, version));
    if (watch === undefined || !watch.hasSynced) return false;
    const key = id.namespace === '' ? id.name : `${id.namespace}/${id.name}`;
    return watch.indexer.getByKey(key)?.digest === known.live;
  }

  noteApplied(id: ObjectId, version: string, desiredDigest: string, live: KubeObject): void {
    const owner = this.#ownerOf(live);
    if (owner === undefined) return;
    const text = printObjectId(id);
    this.#applied.set(text, { desired: desiredDigest, live: contentDigest(live), owner });
    void this.#follow(id, version, live);
  }

  noteDeleted(id: ObjectId): void {
    this.#applied.delete(printObjectId(id));
    this.#corrections.delete(printObjectId(id));
  }

  async #follow(id: ObjectId, version: string, live: KubeObject): Promise<void> {
    const key = kindKey(id, version);
    const signal = this.#signal;
    if (this.#watches.has(key) || signal === undefined || signal.aborted) return;
    const { client, nameLabel } = this.#options;
    let kind: Kind<DynamicObject>;
    try {
      kind = await client.mapper.resourceOfObject(live, { signal });
    } catch (error) {
      if (!isNoMatch(error) && !signal.aborted) this.#options.onError?.(error);
      return;
    }
    if (this.#watches.has(key) || signal.aborted) return;
    const onError = this.#options.onError;
    const informer = createInformer(client, kind as unknown as Kind<LiveState>, {
      labelSelector: nameLabel,
      transform: reduced,
      clock: this.#clock,
      ...(onError === undefined ? {} : { onError }),
    });
    this.#watches.set(key, informer);
    informer.addEventHandler({
      onUpdate: (_old, object) => this.#seen(object),
      onDelete: (deleted) => {
        const object = 'metadata' in deleted ? deleted : undefined;
        if (object !== undefined) this.#gone(object);
      },
    });
    const running = informer.run(signal).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /**
   * Our own write may be seen here before its answer is noted, so a difference counts only when it
   * is still there a moment later.
   */
  #seen(object: LiveState): void {
    const owner = this.#ownerOf(object);
    if (owner !== undefined) this.#options.onChange?.(owner);
    const id = objectIdOf(object);
    const text = printObjectId(id);
    const known = this.#applied.get(text);
    if (known === undefined || known.live === object.digest || this.#suspects.has(text)) return;
    // It went over to another owner, who now answers for it.
    if (owner !== undefined && owner !== known.owner) return;
    this.#suspects.add(text);
    this.#clock.after(
      this.#patienceWith(text),
      () => {
        this.#suspects.delete(text);
        const now = this.#applied.get(text);
        if (this.#signal?.aborted || now === undefined) return;
        if (this.#digestOf(object) !== now.live) this.#options.onDrift(now.owner, id);
      },
      { isBackground: true },
    );
  }

  /** Who changes an object again and again is corrected less and less often: a fight helps nobody. */
  #patienceWith(text: string): number {
    const now = this.#clock.monotonicMs();
    const known = this.#corrections.get(text);
    const count = known === undefined || now - known.lastMs > calmMs ? 0 : known.count + 1;
    this.#corrections.set(text, { count, lastMs: now });
    return Math.min(settleMs * 2 ** count, calmMs / 2);
  }

  #digestOf(object: LiveState): string | undefined {
    const id = objectIdOf(object);
    const version = (object.apiVersion ?? '').split('/').pop() ?? '';
    const key = id.namespace === '' ? id.name : `${id.namespace}/${id.name}`;
    return this.#watches.get(kindKey(id, version))?.indexer.getByKey(key)?.digest;
  }

  #gone(object: LiveState): void {
    const id = objectIdOf(object);
    const known = this.#applied.get(printObjectId(id));
    if (known === undefined) return;
    this.#applied.delete(printObjectId(id));
    this.#options.onDrift(known.owner, id);
  }

  #ownerOf({ metadata }: KubeObject): string | undefined {
    const { nameLabel, namespaceLabel } = this.#options;
    const name = metadata.labels?.[nameLabel];
    const namespace = metadata.labels?.[namespaceLabel];
    return name === undefined || namespace === undefined ? undefined : `${namespace}/${name}`;
  }
}

/** Keeps what is needed of an object, and forgets the rest at once. */
function reduced(object: LiveState): LiveState {
  if (typeof object.digest === 'string' && 'isReduced' in object) return object;
  const { name, namespace, uid, resourceVersion, labels } = object.metadata;
  const { apiVersion, kind } = object;
  const kept = {
    metadata: { name, namespace, uid, resourceVersion, labels },
    digest: contentDigest(object),
    isReduced: true,
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
  };
  return kept as unknown as LiveState;
}

function kindKey({ group, kind }: ObjectId, version: string): string {
  return `${group}/${version}/${kind}`;
}
