import type { RouteTraffic } from '../protocol/routes.ts';
import type { RouteCounters } from './prometheus-text.ts';

/** One slot of a route's ring. */
interface Slot {
  readonly requests: number;
  readonly errors: number;
  readonly p50: number | null;
  readonly p99: number | null;
}

/** What pages reckon rates from. */
const lastMinuteMs = 60_000;
const idle: Slot = { requests: 0, errors: 0, p50: null, p99: null };

interface Followed {
  last: RouteCounters;
  /** Oldest first, at most as many as are shown. */
  readonly slots: Slot[];
  /** Slots since the last one with a request. */
  quiet: number;
}

/** What went over each route lately, from what a gateway has counted: the difference of two looks is a slot. */
export class TrafficModel {
  readonly slotMs: number;
  readonly #most: number;
  readonly #routes = new Map<string, Followed>();
  #endedAt = 0;
  #hasLooked = false;

  constructor(slotMs = 10_000, most = 30) {
    this.slotMs = slotMs;
    this.#most = most;
  }

  /**
   * Takes a look in. Gives the names of routes whose last minute is other now, the busiest first: they had
   * requests in the slot, or had some in those just before; and of routes that have had none for so long that
   * there is nothing to show.
   */
  look(
    counted: ReadonlyMap<string, RouteCounters>,
    nowMs: number,
  ): { readonly moved: readonly string[]; readonly gone: readonly string[] } {
    this.#endedAt = nowMs;
    const moved: [string, number][] = [];
    const gone: string[] = [];
    for (const [name, counters] of counted) this.#take(name, counters);
    for (const [name, followed] of this.#routes) {
      if (!counted.has(name)) this.#push(followed, idle);
      const { quiet, slots } = followed;
      const isGone = quiet === this.#most;
      if (isGone) gone.push(name);
      if (isGone && !counted.has(name)) this.#routes.delete(name);
      const isMoved = quiet < slots.length && quiet * this.slotMs <= lastMinuteMs;
      if (isMoved) moved.push([name, slots.at(-1)!.requests]);
    }
    this.#hasLooked = true;
    moved.sort((left, right) => right[1] - left[1]);
    return { moved: moved.map(([name]) => name), gone };
  }

  /** The last minutes of a route; undefined when nothing went over it. */
  trafficOf(name: string, id: string): RouteTraffic | undefined {
    const followed = this.#routes.get(name);
    if (followed === undefined || followed.quiet >= followed.slots.length) return undefined;
    const { slots } = followed;
    return {
      id,
      slotMs: this.slotMs,
      endedAt: this.#endedAt,
      requests: slots.map(({ requests }) => requests),
      errors: slots.map(({ errors }) => errors),
      p50: slots.map(({ p50 }) => p50),
      p99: slots.map(({ p99 }) => p99),
    };
  }

  #take(name: string, counters: RouteCounters): void {
    const followed = this.#routes.get(name);
    if (followed === undefined) {
      // What was counted before the first look belongs to no slot; what comes new later, to this one.
      const first = this.#hasLooked ? slotOf(none, counters) : idle;
      const slots = [first];
      this.#routes.set(name, { last: counters, slots, quiet: first.requests > 0 ? 0 : 1 });
      return;
    }
    // A gateway that was started again counts from nothing.
    const before = counters.requests < followed.last.requests ? none : followed.last;
    const slot = slotOf(before, counters);
    followed.last = counters;
    this.#push(followed, slot);
  }

  #push(followed: Followed, slot: Slot): void {
    followed.slots.push(slot);
    if (followed.slots.length > this.#most) followed.slots.shift();
    followed.quiet = slot.requests > 0 ? 0 : followed.quiet + 1;
  }
}

const none: RouteCounters = { requests: 0, errors: 0, buckets: new Map() };

function slotOf(before: RouteCounters, after: RouteCounters): Slot {
  const requests = after.requests - before.requests;
  if (requests <= 0) return idle;
  const bounds = [...after.buckets.keys()].sort((left, right) => left - right);
  const counts = bounds.map(
    (bound) => (after.buckets.get(bound) ?? 0) - (before.buckets.get(bound) ?? 0),
  );
  return {
    requests,
    errors: Math.max(after.errors - before.errors, 0),
    p50: quantile(0.5, bounds, counts),
    p99: quantile(0.99, bounds, counts),
  };
}

/** As Prometheus reckons it: evenly spread between two bounds, and never beyond the last finite one. */
function quantile(
  share: number,
  bounds: readonly number[],
  counts: readonly number[],
): number | null {
  const total = counts.at(-1) ?? 0;
  if (total <= 0) return null;
  const rank = share * total;
  const index = counts.findIndex((count) => count >= rank);
  const upper = bounds[index]!;
  const lower = index === 0 ? 0 : bounds[index - 1]!;
  if (upper === Number.POSITIVE_INFINITY) return lower;
  const below = index === 0 ? 0 : counts[index - 1]!;
  const within = counts[index]! - below;
  return (
    Math.round((lower + (upper - lower) * (within === 0 ? 1 : (rank - below) / within)) * 10) / 10
  );
}
