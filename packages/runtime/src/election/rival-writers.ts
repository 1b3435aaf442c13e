import { type Clock, systemClock, type Timer } from '../time/clock.ts';
import type { Rival } from './rival-leases.ts';

/** A write of somebody else, as it was seen. */
export interface RivalWrite {
  /** The field manager that wrote. */
  readonly manager: string;
  /** What it wrote to, for people: kind, namespace and name. */
  readonly object: string;
  /** For how long nothing more may be heard of who wrote before it counts as gone. */
  readonly holdMs: number;
}

/** When writes of others are taken for another controller. */
export interface RivalWritersOptions<P extends string> {
  /**
   * How many writes it takes. One may be the last of a process that has ended, so it is never less
   * than two; who holds a Lease should want more than who does not, so that of two of a kind not both
   * step back.
   */
  readonly threshold: number;
  /** Told when a rival of a part appears, and when it is gone. */
  readonly onChange?: ((part: P, rival: Rival | undefined) => void) | undefined;
  readonly clock?: Clock | undefined;
}

interface Evidence {
  /** How many were seen, and until when they count. */
  count: number;
  untilMs: number;
  rival: Rival;
}

/**
 * Knows whether others act, by what they write: who goes on writing the statuses of objects that we
 * answer for does, whether or not it holds a Lease. It is told of such writes by those who know which
 * are their own.
 *
 * ```ts
 * const writers = new RivalWriters<'kustomize'>({ threshold: 2 });
 * const write = { manager: 'kustomize-controller', object: 'Kustomization a/b', holdMs: 60_000 };
 * writers.saw('kustomize', write);
 * writers.saw('kustomize', write);
 * writers.of('kustomize')?.holder; // kustomize-controller
 * ```
 */
export class RivalWriters<P extends string> {
  readonly #options: RivalWritersOptions<P>;
  readonly #clock: Clock;
  readonly #evidence = new Map<P, Evidence>();
  readonly #rivals = new Map<P, Rival>();
  readonly #timers = new Map<P, Timer>();
  readonly #listeners = new Set<(part: P) => void>();

  constructor(options: RivalWritersOptions<P>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Who acts in place of a part at this moment. */
  of(part: P): Rival | undefined {
    return this.#rivals.get(part);
  }

  /** Calls back at every change of a part's rival, until what it gives back is called. */
  onChange(listener: (part: P) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Somebody else wrote what only this part should. */
  saw(part: P, { manager, object, holdMs }: RivalWrite): void {
    const nowMs = this.#clock.monotonicMs();
    const before = this.#evidence.get(part);
    const isFresh = before !== undefined && before.untilMs > nowMs;
    const untilMs = Math.max(nowMs + holdMs, isFresh ? before.untilMs : 0);
    const count = (isFresh ? before.count : 0) + 1;
    const rival: Rival = { holder: manager, wrote: object };
    this.#evidence.set(part, { count, untilMs, rival });
    this.#timers.get(part)?.cancel();
    this.#timers.set(
      part,
      this.#clock.after(untilMs - nowMs, () => this.#forget(part), { isBackground: true }),
    );
    // The first that convinced us is named until it is gone: a fight would change the name at each write.
    if (count < this.#options.threshold || this.#rivals.has(part)) return;
    this.#settle(part, rival);
  }

  #forget(part: P): void {
    this.#evidence.delete(part);
    this.#timers.delete(part);
    if (this.#rivals.has(part)) this.#settle(part, undefined);
  }

  #settle(part: P, rival: Rival | undefined): void {
    if (rival === undefined) this.#rivals.delete(part);
    else this.#rivals.set(part, rival);
    this.#options.onChange?.(part, rival);
    for (const listener of this.#listeners) listener(part);
  }
}
