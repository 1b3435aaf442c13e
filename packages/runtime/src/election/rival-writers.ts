import { type Clock, systemClock, type Timer } from '../time/clock.ts';
import type { Rival } from './rival-leases.ts';

/** A write of somebody else, as it was seen. */
export interface RivalWrite {
  /** The field manager that wrote. */
  readonly manager: string;
  /** What it wrote to, for people: kind, namespace and name. */
  readonly object: string;
  /** Where that is; empty for what is in no namespace. */
  readonly namespace: string;
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
  /**
   * In how many namespaces there is something that a part answers for. A controller writes to all of
   * them; who can write only to some is a tenant, and must not end the work for the others. So what is
   * seen counts when it is in more than half of them.
   */
  readonly namespaces: (part: P) => number;
  /** Told when a rival of a part appears, and when it is gone. */
  readonly onChange?: ((part: P, rival: Rival | undefined) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** What was seen in one namespace. */
interface Evidence {
  count: number;
  /** Until when it counts. */
  untilMs: number;
}

/**
 * Knows whether others act, by what they write: who goes on writing the statuses of objects that we
 * answer for does, whether or not it holds a Lease. It is told of such writes by those who know which
 * are their own.
 *
 * ```ts
 * const writers = new RivalWriters<'kustomize'>({ threshold: 2, namespaces: () => 1 });
 * const write = { manager: 'kustomize-controller', object: 'Kustomization a/b', namespace: 'a' };
 * writers.saw('kustomize', { ...write, holdMs: 60_000 });
 * writers.saw('kustomize', { ...write, holdMs: 60_000 });
 * writers.of('kustomize')?.holder; // kustomize-controller
 * ```
 */
export class RivalWriters<P extends string> {
  readonly #options: RivalWritersOptions<P>;
  readonly #clock: Clock;
  /** By namespace. What no longer counts is dropped when it is looked at. */
  readonly #evidence = new Map<P, Map<string, Evidence>>();
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
  saw(part: P, { manager, object, namespace, holdMs }: RivalWrite): void {
    const untilMs = this.#clock.monotonicMs() + holdMs;
    const seen = this.#fresh(part);
    const before = seen.get(namespace);
    seen.set(namespace, {
      count: (before?.count ?? 0) + 1,
      untilMs: Math.max(untilMs, before?.untilMs ?? 0),
    });
    this.#wait(part, seen);
    // The first that convinced us is named until it is gone: a fight would change the name at each write.
    if (this.#rivals.has(part) || !this.#isMost(part, seen)) return;
    const count = [...seen.values()].reduce((sum, one) => sum + one.count, 0);
    if (count >= this.#options.threshold) this.#settle(part, { holder: manager, wrote: object });
  }

  #fresh(part: P): Map<string, Evidence> {
    const nowMs = this.#clock.monotonicMs();
    const all = this.#evidence.get(part) ?? new Map<string, Evidence>();
    for (const [namespace, { untilMs }] of all) if (untilMs <= nowMs) all.delete(namespace);
    this.#evidence.set(part, all);
    return all;
  }

  #isMost(part: P, seen: ReadonlyMap<string, Evidence>): boolean {
    return seen.size * 2 > this.#options.namespaces(part);
  }

  /** Looks again when something of what was seen no longer counts. */
  #wait(part: P, seen: ReadonlyMap<string, Evidence>): void {
    this.#timers.get(part)?.cancel();
    this.#timers.delete(part);
    if (seen.size === 0) return;
    const nextMs = Math.min(...[...seen.values()].map(({ untilMs }) => untilMs));
    const inMs = nextMs - this.#clock.monotonicMs();
    const timer = this.#clock.after(inMs, () => this.#lookAgain(part), { isBackground: true });
    this.#timers.set(part, timer);
  }

  #lookAgain(part: P): void {
    const seen = this.#fresh(part);
    this.#wait(part, seen);
    if (this.#rivals.has(part) && (seen.size === 0 || !this.#isMost(part, seen))) {
      this.#settle(part, undefined);
    }
  }

  #settle(part: P, rival: Rival | undefined): void {
    if (rival === undefined) this.#rivals.delete(part);
    else this.#rivals.set(part, rival);
    this.#options.onChange?.(part, rival);
    for (const listener of this.#listeners) listener(part);
  }
}
