import { KubeError, type ListOptions, type ListPage, type WatchOptions } from '@waygate/kube';
import type { KubeObject, Status } from '@waygate/schema';
import type { ListerWatcher, WatchedEvent } from '../cache/lister-watcher.ts';
import { initialEventsEndAnnotation } from '../cache/watch-session.ts';
import type { FakeClock } from '../time/fake-clock.ts';
import { ModelHistory } from './model-history.ts';
import type { SeededRandom } from './seeded-random.ts';

/** How likely each fault is at each occasion for it. */
export interface FaultRates {
  readonly refuse: number;
  readonly tooManyRequests: number;
  readonly internal: number;
  readonly expired: number;
  readonly tooLarge: number;
  readonly stale: number;
  readonly delay: number;
  readonly cut: number;
  readonly garble: number;
  readonly silence: number;
  readonly repeat: number;
  readonly noStreaming: number;
}

/** A watch without news gets a bookmark within this time. */
const bookmarkMs = 120_000;

/**
 * An API server that has one kind, whole history included, and many ways to fail its clients. It is
 * as truthful as Kubernetes promises to be, and no more: a list may be stale within what was asked
 * for, a watch may end at any time, but no event is left out of a watch that goes on.
 */
export class ModelServer implements ListerWatcher<KubeObject> {
  readonly history = new ModelHistory();
  /** Watches that somebody reads. */
  openWatches = 0;
  faults = 0;
  isFaulty = true;
  readonly #clock: FakeClock;
  readonly #random: SeededRandom;
  readonly #rates: FaultRates;
  readonly #refusesOldLists: boolean;

  constructor(clock: FakeClock, random: SeededRandom, rates: FaultRates) {
    this.#clock = clock;
    this.#random = random;
    this.#rates = rates;
    this.#refusesOldLists = random.chance(0.5);
  }

  async list(options: ListOptions, signal: AbortSignal): Promise<ListPage<KubeObject>> {
    await this.#travel(signal);
    if (options.continue) return this.#nextPage(options);
    const asked = options.resourceVersion ?? '';
    if (asked !== '' && asked !== '0') {
      // Some servers keep no old versions: asking for one again never helps.
      const isGone = this.#refusesOldLists && this.#isTooOld(Number(asked));
      if (isGone || this.#fails('expired')) throw apiError(expired);
      if (this.#fails('tooLarge')) throw apiError(tooLarge);
    }
    const version = this.#versionFor(asked);
    const page = this.#pageAt(version, 0, options.limit);
    await this.#travel(signal);
    return page;
  }

  async watch(
    options: WatchOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<WatchedEvent<KubeObject>>> {
    await this.#travel(signal);
    if (options.sendInitialEvents) {
      if (this.#fails('noStreaming')) throw apiError({ code: 422, reason: 'Invalid' });
      const asked = options.resourceVersion ?? '';
      if (asked !== '' && this.#fails('tooLarge')) throw apiError(tooLarge);
      return this.#stream(this.#versionFor(asked), true, options, signal);
    }
    const version = Number(options.resourceVersion);
    if (this.#isTooOld(version) && this.#random.chance(0.5)) throw apiError(expired);
    return this.#stream(version, false, options, signal);
  }

  async *#stream(
    from: number,
    withInitialEvents: boolean,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncGenerator<WatchedEvent<KubeObject>> {
    this.openWatches++;
    try {
      if (withInitialEvents) yield* this.#initialEvents(from);
      const closesAtMs = this.#clock.monotonicMs() + (options.timeoutSeconds ?? 300) * 1_000;
      let position = from;
      while (!signal.aborted) {
        const now = this.#clock.monotonicMs();
        if (now >= closesAtMs) break;
        if (this.#isTooOld(position) || this.#fails('expired')) {
          yield { type: 'ERROR', object: expired };
          return;
        }
        const change = this.history.at(position);
        if (change === undefined) {
          const waitMs = Math.min(this.#random.between(1, bookmarkMs), closesAtMs - now);
          const hasNews = await this.history.news(this.#clock, waitMs, signal);
          if (!hasNews && !signal.aborted) yield bookmark(position);
          continue;
        }
        if (this.#fails('silence')) await never(signal);
        if (signal.aborted || this.#fails('cut')) throw connectionError('ECONNRESET');
        if (this.#fails('garble')) {
          yield { type: 'ERROR', object: garbled };
          return;
        }
        if (this.#fails('delay')) await this.#clock.sleep(this.#random.between(1, 5_000), signal);
        yield { type: change.type, object: change.object };
        // A proxy that sends its buffer again after it reconnected.
        if (change.type !== 'DELETED' && this.#fails('repeat'))
          yield { type: 'MODIFIED', object: change.object };
        position++;
      }
      if (this.#random.chance(0.2)) throw connectionError('ECONNRESET');
    } finally {
      this.openWatches--;
    }
  }

  *#initialEvents(version: number): Generator<WatchedEvent<KubeObject>> {
    for (const object of this.history.objectsAt(version).values()) {
      if (this.#fails('cut')) throw connectionError('ECONNRESET');
      yield { type: 'ADDED', object };
    }
    const end = bookmark(version).object;
    end.metadata.annotations = { [initialEventsEndAnnotation]: 'true' };
    yield { type: 'BOOKMARK', object: end };
  }

  /** A version that the asker has to be content with. */
  #versionFor(asked: string): number {
    const newest = this.history.version;
    if (asked === '') return newest;
    if (!this.#fails('stale')) return newest;
    return this.#random.between(Number(asked), newest);
  }

  #pageAt(version: number, offset: number, limit: number | undefined): ListPage<KubeObject> {
    const objects = [...this.history.objectsAt(version).values()];
    // The page size is the server's to choose; a small one makes for more to go wrong.
    const size = limit === undefined || this.#random.chance(0.5) ? objects.length : 2;
    const end = Math.min(offset + Math.max(size, 1), objects.length);
    return {
      resourceVersion: String(version),
      continue: end < objects.length ? `${version}:${end}` : '',
      items: objects.slice(offset, end),
    };
  }

  #nextPage(options: ListOptions): ListPage<KubeObject> {
    const [version, offset] = options.continue!.split(':').map(Number) as [number, number];
    if (this.#isTooOld(version) || this.#fails('expired')) throw apiError(expired);
    return this.#pageAt(version, offset, options.limit);
  }

  #isTooOld(version: number): boolean {
    return version < this.history.compactedVersion;
  }

  /** What may happen to any request on its way. */
  async #travel(signal: AbortSignal): Promise<void> {
    if (this.#fails('delay')) await this.#clock.sleep(this.#random.between(1, 3_000), signal);
    if (signal.aborted) throw signal.reason;
    if (this.#fails('refuse')) throw connectionError('ECONNREFUSED');
    if (this.#fails('cut')) throw connectionError('ECONNRESET');
    if (this.#fails('tooManyRequests')) throw apiError(tooManyRequests);
    if (this.#fails('internal')) throw apiError({ code: 500, reason: 'InternalError' });
  }

  #fails(fault: keyof FaultRates): boolean {
    if (!this.isFaulty || !this.#random.chance(this.#rates[fault])) return false;
    this.faults++;
    return true;
  }
}

const expired: Status = { code: 410, reason: 'Expired', message: 'too old resource version' };
const garbled: Status = { code: 500, reason: 'InternalError', message: 'cannot decode an event' };
const tooManyRequests: Status = {
  code: 429,
  reason: 'TooManyRequests',
  details: { retryAfterSeconds: 1 },
};
const tooLarge: Status = {
  code: 504,
  reason: 'Timeout',
  details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
};

function apiError(status: Status): KubeError {
  return new KubeError('WG_KUBE_API', status.message ?? status.reason ?? '', { status });
}

function connectionError(code: string): KubeError {
  const cause = Object.assign(new Error(code), { code });
  return new KubeError('WG_KUBE_CONNECTION', code, { cause });
}

function bookmark(version: number) {
  const object: KubeObject = { metadata: { resourceVersion: String(version) } };
  return { type: 'BOOKMARK', object } as const;
}

/** A half-open connection: nothing comes, and nobody says that it is gone. */
function never(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
