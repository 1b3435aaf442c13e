import {
  isConnectionRefused,
  isExpiredOrGone,
  isInternalError,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  type ListOptions,
  type ListPage,
  type WatchOptions,
} from '@waygate/kube';
import { RuntimeError } from '../runtime-error.ts';
import { Backoff, reflectorBackoff } from '../time/backoff.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { TurnKeeper } from '../time/turn-keeper.ts';
import type { Transform } from './delta.ts';
import { collectInitialEvents } from './initial-events.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { kubeObjectAccess, type ObjectAccess } from './object-access.ts';
import { defaultPageSize, Pager } from './pager.ts';
import { RecoveryPause } from './recovery-pause.ts';
import type { ReflectorStore } from './reflector-store.ts';
import { ResyncTimer } from './resync-timer.ts';
import { RetryWithDeadline } from './retry-with-deadline.ts';
import { refuseTable, transformedPage } from './transformed-page.ts';
import { guardedReporter, reportWarning } from './watch-error-handler.ts';
import { WatchSession, type WatchSessionOptions, type WatchSink } from './watch-session.ts';

/** A server that is told to close a watch sooner than this wears itself out with reconnections. */
const leastWatchTimeoutMs = 300_000;
/** A pause this long between internal errors begins a new series of them. */
const internalErrorResetMs = 60_000;
/** A version that expires sooner after a list is a sign of trouble: the next list waits its turn. */
const soonExpiredMs = 10_000;

/** What is reflected into which store, and how. */
export interface ReflectorOptions<T> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly store: ReflectorStore<T>;
  /** For messages, e.g. `pods`. */
  readonly description?: string;
  readonly expectedType?: { readonly apiVersion?: string; readonly kind: string };
  readonly access?: ObjectAccess<T>;
  /** 0, the default, never resyncs. */
  readonly resyncPeriodMs?: number;
  /** Asked at each resync; without it the answer is yes. */
  readonly shouldResync?: () => boolean;
  /** Also pages lists at a version, which keeps the server from answering from its cache. */
  readonly watchListPageSize?: number;
  /** Watches last between this and twice this; less than five minutes is not honoured. */
  readonly minWatchTimeoutMs?: number;
  /** How long a series of internal errors is met by watching again instead of listing again. */
  readonly maxInternalErrorRetryMs?: number;
  /**
   * Runs on each object of a list as it comes in, so that what it drops is never held for the whole
   * list. Events of a watch go through the transform of the FIFO behind.
   */
  readonly transform?: Transform<T>;
  /** Get lists as a stream of watch events where the server can. */
  readonly useWatchList?: boolean;
  /** Errors are information: the reflector never stops by itself. */
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly backoff?: Backoff;
}

/**
 * Keeps a store equal to what the API has of one kind: lists, then watches from the version of the
 * list, and lists again when the watch cannot go on.
 *
 * ```ts
 * const store = new RealFifo<Pod>({ keyFunction: metaNamespaceKey });
 * const reflector = new Reflector({ listerWatcher: listerWatcherOf(client, kinds.Pod), store });
 * await reflector.run(signal);
 * ```
 */
export class Reflector<T> {
  readonly #options: ReflectorOptions<T>;
  readonly #listerWatcher: ListerWatcher<T>;
  readonly #store: ReflectorStore<T>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #pause: RecoveryPause;
  readonly #report: (error: unknown) => void;
  readonly #session: WatchSessionOptions<T>;
  /** When the last list, event or bookmark came. */
  #heardMs: number | undefined;
  #listedMs: number | undefined;
  /** Of the last event or list that was accepted. Opaque. */
  #resourceVersion: string;
  #isResourceVersionUnavailable = false;
  /** The first list came in pages: the server has no cache to be spared, so later lists page too. */
  #isListPaginated = false;

  constructor(options: ReflectorOptions<T>, resourceVersion = '') {
    this.#options = options;
    this.#listerWatcher = options.listerWatcher;
    this.#store = options.store;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    const clock = this.#clock;
    this.#pause = new RecoveryPause({
      clock,
      backoff: options.backoff ?? new Backoff({ ...reflectorBackoff, clock, random: this.#random }),
      whenReachable: this.#listerWatcher.whenReachable?.bind(this.#listerWatcher),
    });
    this.#report = guardedReporter(options.onError ?? reportWarning);
    this.#resourceVersion = resourceVersion;
    this.#session = {
      clock: this.#clock,
      turns: TurnKeeper.of(this.#clock),
      access: options.access ?? (kubeObjectAccess as unknown as ObjectAccess<T>),
      expectedType: options.expectedType,
      onError: this.#report,
    };
  }

  get lastSyncResourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Since the last list, event or bookmark; undefined before the first. */
  get secondsSinceLastEvent(): number | undefined {
    return this.#heardMs === undefined
      ? undefined
      : (this.#clock.monotonicMs() - this.#heardMs) / 1_000;
  }

  /** Whether lists come as a stream of watch events. */
  get usesWatchList(): boolean {
    return this.#options.useWatchList === true && this.#listerWatcher.supportsWatchList !== false;
  }

  /**
   * Lists and watches until the signal aborts, with a growing pause after each time that it ends. A
   * version that expired in the course of things, as during an outage, is no reason to wait.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let failure: unknown;
      try {
        if ((await this.listAndWatch(signal)) === 'expired') continue;
      } catch (error) {
        if (signal.aborted) return;
        this.#report(error);
        if (isExpiredOrGone(error) && this.#isListOld()) continue;
        failure = error;
      }
      await this.#pause.wait(signal, failure);
    }
  }

  /**
   * One round. Returns when the watch has to be begun anew, `expired` when that may be at once;
   * throws what has to be reported.
   */
  async listAndWatch(signal: AbortSignal): Promise<'ended' | 'expired'> {
    const initial = this.usesWatchList ? await this.#watchList(signal) : 'list';
    if (initial === 'list') await this.#list(signal);
    if (signal.aborted) {
      if (initial instanceof WatchSession) await initial.close();
      return 'ended';
    }
    return this.watch(signal, initial instanceof WatchSession ? initial : undefined);
  }

  /** Watches from the last version, again and again, until only a list can help. */
  async watch(signal: AbortSignal, first?: WatchSession<T>): Promise<'ended' | 'expired'> {
    const retry = new RetryWithDeadline(
      this.#options.maxInternalErrorRetryMs ?? 0,
      internalErrorResetMs,
      isInternalError,
      this.#clock,
    );
    const resync = new ResyncTimer(this.#options, this.#clock);
    let session = first;
    resync.start();
    try {
      while (!signal.aborted) {
        const opened: WatchSession<T> | 'again' = session ?? (await this.#openWatch(signal));
        session = undefined;
        if (opened === 'again') continue;
        resync.onError = (error) => opened.fail(error);
        const end = await this.#followWatch(opened, retry, signal);
        if (end !== 'again') return end;
      }
      return 'ended';
    } finally {
      resync.stop();
      await session?.close();
    }
  }

  async #openWatch(signal: AbortSignal): Promise<WatchSession<T> | 'again'> {
    const request = { ...this.#watchRequest(), resourceVersion: this.#resourceVersion };
    try {
      return await WatchSession.open(this.#listerWatcher, request, this.#session, signal);
    } catch (error) {
      if (signal.aborted) return 'again';
      if (!isWorthAnotherWatch(error)) throw error;
      await this.#pause.wait(signal, error);
      return 'again';
    }
  }

  async #followWatch(
    session: WatchSession<T>,
    retry: RetryWithDeadline,
    signal: AbortSignal,
  ): Promise<'again' | 'ended' | 'expired'> {
    let end: Awaited<ReturnType<WatchSession<T>['follow']>>;
    try {
      end = await session.follow(this.#sink);
    } finally {
      await session.close();
    }
    if (end.kind !== 'error') return end.kind === 'stopped' ? 'ended' : 'again';
    retry.after(end.error);
    if (isTooManyRequests(end.error)) {
      await this.#pause.wait(signal, end.error);
      return 'again';
    }
    if (!isExpiredOrGone(end.error) && isInternalError(end.error) && retry.shouldRetry())
      return 'again';
    this.#report(end.error);
    return isExpiredOrGone(end.error) && this.#isListOld() ? 'expired' : 'ended';
  }

  #isListOld(): boolean {
    return (
      this.#listedMs !== undefined && this.#clock.monotonicMs() - this.#listedMs > soonExpiredMs
    );
  }

  /** Where the events of an ordinary watch go. */
  readonly #sink: WatchSink<T> = {
    add: (object) => this.#store.add(object),
    update: (object) => this.#store.update(object),
    delete: (object) => this.#store.delete(object),
    setResourceVersion: (resourceVersion, isBookmark) => {
      this.#heardMs = this.#clock.monotonicMs();
      this.#resourceVersion = resourceVersion;
      if (isBookmark) this.#store.bookmark?.(resourceVersion);
    },
    ready: () => this.#store.ready?.(),
  };

  async #list(signal: AbortSignal): Promise<void> {
    const resourceVersion = this.#relistResourceVersion();
    const pager = new Pager<T>((options, abort) => this.#listPage(options, abort), {
      pageSize: this.#pageSizeAt(resourceVersion),
    });
    let result = await pager.tryList({ resourceVersion }, signal);
    if ('error' in result && isVersionUnavailable(result.error)) {
      this.#isResourceVersionUnavailable = true;
      result = await pager.tryList({ resourceVersion: this.#relistResourceVersion() }, signal);
    }
    if (signal.aborted) return;
    if ('error' in result) throw this.#listError(result.error);
    refuseTable(result.list);
    if (resourceVersion === '0' && result.isPaginated) this.#isListPaginated = true;
    this.#isResourceVersionUnavailable = false;
    const turns = this.#replaceStore(result.list.items, result.list.resourceVersion);
    if (turns !== undefined) await turns;
  }

  #listPage(options: ListOptions, signal: AbortSignal): Promise<ListPage<T>> {
    return transformedPage(this.#listerWatcher, options, signal, {
      transform: this.#options.transform,
      turns: this.#session.turns,
      report: this.#report,
    });
  }

  #replaceStore(objects: T[], resourceVersion: string): Promise<void> | undefined {
    this.#heardMs = this.#clock.monotonicMs();
    this.#listedMs = this.#heardMs;
    const replaced = this.#store.replace(objects, resourceVersion);
    const done = () => {
      this.#resourceVersion = resourceVersion;
    };
    if (replaced instanceof Promise) return replaced.then(done);
    done();
    return undefined;
  }

  /**
   * Gets the list as a watch. `list` means that this server cannot; the session goes on as an
   * ordinary watch. Undefined when stopped.
   */
  async #watchList(signal: AbortSignal): Promise<WatchSession<T> | 'list' | undefined> {
    while (!signal.aborted) {
      let session: WatchSession<T> | undefined;
      try {
        session = await WatchSession.open(
          this.#listerWatcher,
          this.#watchListRequest(),
          this.#session,
          signal,
        );
        const collected = await collectInitialEvents(session, {
          keyOf: this.#session.access.keyOf,
          transform: this.#options.transform,
          clock: this.#clock,
          report: this.#report,
        });
        if (collected !== undefined) {
          this.#isResourceVersionUnavailable = false;
          const turns = this.#replaceStore(collected.objects, collected.resourceVersion);
          if (turns !== undefined) await turns;
          return session;
        }
        await session.close();
      } catch (error) {
        await session?.close();
        if (signal.aborted) return undefined;
        if (isWorthAnotherWatch(error)) await this.#pause.wait(signal, error);
        else if (isVersionUnavailable(error)) this.#isResourceVersionUnavailable = true;
        else {
          this.#report(error);
          return 'list';
        }
      }
    }
    return undefined;
  }

  #watchRequest(): WatchOptions {
    const leastMs = Math.max(this.#options.minWatchTimeoutMs ?? 0, leastWatchTimeoutMs);
    return {
      allowWatchBookmarks: true,
      timeoutSeconds: Math.floor((leastMs / 1_000) * (1 + this.#random())),
    };
  }

  #watchListRequest(): WatchOptions {
    return {
      ...this.#watchRequest(),
      resourceVersion: this.#isResourceVersionUnavailable ? '' : this.#resourceVersion,
      resourceVersionMatch: 'NotOlderThan',
      sendInitialEvents: true,
    };
  }

  /** Any version will do at first; later never one older than what was seen; else the newest. */
  #relistResourceVersion(): string {
    if (this.#isResourceVersionUnavailable) return '';
    return this.#resourceVersion === '' ? '0' : this.#resourceVersion;
  }

  #pageSizeAt(resourceVersion: string): number {
    if (this.#options.watchListPageSize) return this.#options.watchListPageSize;
    if (this.#isListPaginated || resourceVersion === '' || resourceVersion === '0')
      return defaultPageSize;
    return 0;
  }

  #listError(cause: unknown): RuntimeError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const what = this.#options.description ?? this.#options.expectedType?.kind ?? 'objects';
    return new RuntimeError('WG_RUNTIME_LIST', `failed to list ${what}: ${reason}`, { cause });
  }
}

/** Nothing is known to be wrong with the version that was asked for: a list would tell nothing new. */
function isWorthAnotherWatch(error: unknown): boolean {
  if (isVersionUnavailable(error)) return false;
  return isConnectionRefused(error) || isTimeout(error) || isTooManyRequests(error);
}

function isVersionUnavailable(error: unknown): boolean {
  return isExpiredOrGone(error) || isTooLargeResourceVersion(error);
}
