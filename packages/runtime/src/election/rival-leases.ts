import { isForbidden, type KubeClient } from '@waygate/kube';
import { kinds, type Lease } from '@waygate/schema';
import { createInformer } from '../cache/create-informer.ts';
import type { SharedInformer } from '../cache/shared-informer.ts';
import { type Clock, systemClock, type Timer } from '../time/clock.ts';

/** Somebody else who acts on what a part of this program would, and how that is known. */
export type Rival = RivalHolder | RivalWriter;

/** One who holds a well-known Lease. */
export interface RivalHolder {
  /** `namespace/name` of the Lease. */
  readonly lease: string;
  readonly holder: string;
}

/** One who goes on writing statuses. */
export interface RivalWriter {
  /** An object that it wrote: kind, namespace and name. */
  readonly wrote: string;
  /** The field manager that it calls itself. */
  readonly holder: string;
}

/** What shows that somebody acts, for people. */
export function rivalText(rival: Rival): string {
  return 'lease' in rival
    ? `${rival.holder} holds the Lease ${rival.lease}`
    : `${rival.holder} goes on writing statuses (${rival.wrote})`;
}

/** Whose Leases are looked for. */
export interface RivalLeasesOptions<P extends string> {
  readonly client: KubeClient;
  /** The names of well-known Leases, each with the part that its holder stands in for. */
  readonly names: ReadonlyMap<string, P>;
  /** Only those of this namespace; of all when absent. */
  readonly namespace?: string | undefined;
  /** Leases of our own, that are no rival's. */
  readonly isOwn?: ((lease: Lease) => boolean) | undefined;
  /** Whether who holds such a Lease acts on the same objects, where its name does not say so. */
  readonly isRival?: ((lease: Lease, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Told when a rival of a part appears, and when the last one is gone. */
  readonly onChange?: ((part: P, rival: RivalHolder | undefined) => void) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** Clocks differ: what should have been renewed a moment ago may have been. */
const toleranceMs = 5_000;

/** What is known of one Lease. */
interface Watched {
  readonly lease: Lease;
  /** When it was seen to change, by our own clock. */
  readonly seenMs: number;
  readonly isFirst: boolean;
}

/**
 * Knows whether others act: who holds a well-known Lease and goes on renewing it does. It is asked by
 * those who would act on the same objects, and tells them when the others are gone.
 *
 * ```ts
 * const names = new Map([['kustomize-controller-leader-election', 'kustomize']]);
 * const rivals = new RivalLeases({ client, names });
 * const watching = rivals.run(signal);
 * await rivals.waitForSync(signal);
 * rivals.of('kustomize')?.holder;
 * ```
 */
export class RivalLeases<P extends string> {
  readonly name = 'rivals';
  readonly needsLeaderElection = false;
  readonly #options: RivalLeasesOptions<P>;
  readonly #clock: Clock;
  readonly #watched = new Map<string, Watched>();
  readonly #rivals = new Map<P, RivalHolder>();
  readonly #listeners = new Set<(part: P) => void>();
  #timer: Timer | undefined;
  #stop: AbortSignal | undefined;
  #markSynced: () => void = () => {};
  readonly #synced: Promise<void>;
  /** Looks that are under way: the latest one counts. */
  #looks = 0;

  constructor(options: RivalLeasesOptions<P>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#synced = new Promise((resolve) => {
      this.#markSynced = resolve;
    });
  }

  /** Who acts in place of a part at this moment. */
  of(part: P): RivalHolder | undefined {
    return this.#rivals.get(part);
  }

  /** Calls back at every change of a part's rivals, until what it gives back is called. */
  onChange(listener: (part: P) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** True once it is known who acts; before that nobody should. */
  async waitForSync(signal: AbortSignal): Promise<boolean> {
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([this.#synced, stopped]);
    return !signal.aborted;
  }

  /** Watches until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#stop = signal;
    const informers: SharedInformer<Lease>[] = [];
    for (const name of this.#options.names.keys()) {
      const informer = await this.#informerOf(name, signal);
      if (informer !== undefined) informers.push(informer);
    }
    const running = informers.map((informer) => informer.run(signal));
    for (const informer of informers) await informer.waitForSync(signal);
    await this.#look();
    this.#markSynced();
    if (!signal.aborted)
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    this.#timer?.cancel();
    await Promise.all(running);
  }

  async #informerOf(name: string, signal: AbortSignal): Promise<SharedInformer<Lease> | undefined> {
    const { client, namespace, onError } = this.#options;
    const scope = {
      fieldSelector: `metadata.name=${name}`,
      ...(namespace === undefined ? {} : { namespace }),
    };
    try {
      await client.resource(kinds.Lease).list({ ...scope, limit: 1 }, { signal });
    } catch (error) {
      if (signal.aborted) return undefined;
      // A role of before: it is said, and nobody is waited for.
      if (isForbidden(error)) {
        const message = `Leases called ${name} may not be listed: whether others act is not known`;
        onError?.(new Error(message, { cause: error }));
        return undefined;
      }
      // The informer tries for as long as it takes.
    }
    const informer = createInformer(client, kinds.Lease, {
      ...scope,
      clock: this.#clock,
      ...(onError === undefined ? {} : { onError }),
    });
    const changed = (lease: Lease, isFirst: boolean) => {
      this.#watched.set(keyOf(lease), { lease, isFirst, seenMs: this.#clock.monotonicMs() });
      this.#lookAgain();
    };
    informer.addEventHandler({
      onAdd: (lease) => changed(lease, true),
      onUpdate: (old, lease) =>
        changed(lease, old.spec?.renewTime === lease.spec?.renewTime && this.#isFirst(lease)),
      onDelete: (deleted) => {
        if ('metadata' in deleted) this.#watched.delete(keyOf(deleted));
        else this.#watched.delete(deleted.key);
        this.#lookAgain();
      },
    });
    return informer;
  }

  #isFirst(lease: Lease): boolean {
    return this.#watched.get(keyOf(lease))?.isFirst ?? true;
  }

  #lookAgain(): void {
    void this.#look().catch((error: unknown) => this.#options.onError?.(error));
  }

  async #look(): Promise<void> {
    const look = ++this.#looks;
    const { names, isOwn = () => false, isRival } = this.#options;
    const signal = this.#stop ?? new AbortController().signal;
    const found = new Map<P, RivalHolder>();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const watched of this.#watched.values()) {
      const { lease } = watched;
      const part = names.get(lease.metadata.name ?? '');
      const leftMs = this.#leftMs(watched);
      if (part === undefined || leftMs <= 0 || isOwn(lease)) continue;
      if (isRival !== undefined && !(await isRival(lease, signal))) continue;
      nextMs = Math.min(nextMs, leftMs);
      found.set(part, { lease: keyOf(lease), holder: lease.spec?.holderIdentity ?? '' });
    }
    if (look !== this.#looks || signal.aborted) return;
    this.#timer?.cancel();
    if (nextMs < Number.POSITIVE_INFINITY)
      this.#timer = this.#clock.after(nextMs + 1, () => this.#lookAgain(), { isBackground: true });
    this.#settle(found);
  }

  /** How long somebody counts as its holder, if nothing more is heard. */
  #leftMs({ lease, seenMs, isFirst }: Watched): number {
    const { holderIdentity = '', renewTime, leaseDurationSeconds = 15 } = lease.spec ?? {};
    if (holderIdentity === '' || renewTime === undefined) return 0;
    const heldMs = leaseDurationSeconds * 1000 + toleranceMs;
    // What was there when we came may be old; from then on it is our own clock that counts.
    const leftMs = seenMs + heldMs - this.#clock.monotonicMs();
    if (!isFirst) return leftMs;
    return Math.min(leftMs, Date.parse(String(renewTime)) + heldMs - this.#clock.now());
  }

  #settle(found: ReadonlyMap<P, RivalHolder>): void {
    for (const part of new Set(this.#options.names.values())) {
      const before = this.#rivals.get(part);
      const now = found.get(part);
      if (before?.lease === now?.lease && before?.holder === now?.holder) continue;
      if (now === undefined) this.#rivals.delete(part);
      else this.#rivals.set(part, now);
      this.#options.onChange?.(part, now);
      for (const listener of this.#listeners) listener(part);
    }
  }
}

function keyOf({ metadata }: Lease): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
