import { errorFromStatus, isConnectionError, type WatchOptions } from '@waygate/kube';
import { RuntimeError } from '../runtime-error.ts';
import type { Clock, Timer } from '../time/clock.ts';
import type { TurnKeeper } from '../time/turn-keeper.ts';
import type { ListerWatcher, WatchedEvent, WatchedEvents } from './lister-watcher.ts';
import type { ObjectAccess } from './object-access.ts';

/** The annotation of the bookmark that ends the initial events of a streaming list. */
export const initialEventsEndAnnotation = 'k8s.io/initial-events-end';

/** A watch that the server should have closed is given this much longer, then it counts as dead. */
const overdueMs = 30_000;
/** A watch that ends sooner without an event is a sign of trouble, not an ordinary end. */
const veryShortWatchMs = 1_000;

/** Where the events of a watch go. A method that throws loses that event only. */
export interface WatchSink<T> {
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  setResourceVersion(resourceVersion: string, isBookmark: boolean): void;
  ready?(): Promise<void> | undefined;
}

export interface WatchSessionOptions<T> {
  readonly clock: Clock;
  readonly turns: TurnKeeper;
  readonly access: ObjectAccess<T>;
  readonly expectedType?: { readonly apiVersion?: string; readonly kind: string } | undefined;
  /** What was skipped, and why. */
  readonly onError: (error: unknown) => void;
}

/** How following a watch ended. */
type WatchEnd =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'initialEventsEnd' }
  | { readonly kind: 'error'; readonly error: unknown };

/** One watch that is open. It ends when its own controller aborts, and always is ended by `close`. */
export class WatchSession<T> {
  readonly #options: WatchSessionOptions<T>;
  readonly #stream: WatchedEvents<T>;
  readonly #iterator: AsyncIterator<WatchedEvent<T>>;
  readonly #controller: AbortController;
  readonly #detach: () => void;
  readonly #overdueTimer: Timer | undefined;
  readonly #startedMs: number;
  /** At no version in particular the first objects come in no particular order of theirs. */
  #isInitialOrderKnown: boolean;
  #eventCount = 0;
  #isStopped = false;
  /** The iteration is over by itself; else it has to be returned from. */
  #isEnded = false;
  #failure: unknown;

  private constructor(
    options: WatchSessionOptions<T>,
    request: WatchOptions,
    stream: WatchedEvents<T>,
    controller: AbortController,
    startedMs: number,
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#stream = stream;
    this.#iterator = stream[Symbol.asyncIterator]();
    this.#controller = controller;
    this.#startedMs = startedMs;
    this.#isInitialOrderKnown = !isUnspecific(request.resourceVersion);
    const onAbort = () => {
      this.#isStopped = true;
      controller.abort();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#detach = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    if (request.timeoutSeconds !== undefined)
      this.#overdueTimer = options.clock.after(
        request.timeoutSeconds * 1_000 + overdueMs,
        () => controller.abort(),
        { isBackground: true },
      );
  }

  /** Opens a watch. Throws what the server, or the way to it, says against it. */
  static async open<T>(
    listerWatcher: ListerWatcher<T>,
    request: WatchOptions,
    options: WatchSessionOptions<T>,
    signal: AbortSignal,
  ): Promise<WatchSession<T>> {
    const startedMs = options.clock.monotonicMs();
    const controller = new AbortController();
    const onAbort = () => controller.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const stream = await listerWatcher.watch(request, controller.signal);
      return new WatchSession(options, request, stream, controller, startedMs, signal);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Ends the watch from outside, for a reason that `follow` then gives. */
  fail(error: unknown): void {
    this.#failure = error;
    this.#controller.abort();
  }

  /** Passes events on until the watch ends, or until the initial events have, if asked to. */
  async follow(sink: WatchSink<T>, untilInitialEventsEnd = false): Promise<WatchEnd> {
    for (;;) {
      let event = this.#stream.poll?.();
      if (event === undefined) {
        if (this.#isStopped) return { kind: 'stopped' };
        let next: IteratorResult<WatchedEvent<T>>;
        try {
          next = await this.#iterator.next();
          this.#isEnded = next.done === true;
        } catch (error) {
          this.#isEnded = true;
          return this.#endedBy(error);
        }
        if (next.done !== true) event = next.value;
      }
      if (this.#isStopped) return { kind: 'stopped' };
      if (this.#failure !== undefined) return { kind: 'error', error: this.#failure };
      if (event === undefined) return this.#ended();
      if (event.type === 'ERROR') return { kind: 'error', error: errorFromStatus(event.object) };
      if (this.#accept(event, sink) && untilInitialEventsEnd) return { kind: 'initialEventsEnd' };
      const wait = sink.ready?.() ?? this.#options.turns.step();
      if (wait !== undefined) await wait;
    }
  }

  /** Ends the watch and leaves nothing behind. */
  async close(): Promise<void> {
    this.#detach();
    this.#overdueTimer?.cancel();
    this.#controller.abort();
    if (this.#isEnded) return;
    try {
      await this.#iterator.return?.();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** Takes one event; true if it ends the initial events. */
  #accept(event: Exclude<WatchedEvent<T>, { type: 'ERROR' }>, sink: WatchSink<T>): boolean {
    const { access, onError } = this.#options;
    const { type, object } = event;
    let resourceVersion: string | undefined;
    let isInitialEventsEnd = false;
    try {
      if (type !== 'BOOKMARK' && !this.#isExpected(object)) return false;
      resourceVersion = access.resourceVersionOf(object);
      if (type === 'ADDED') sink.add(object);
      else if (type === 'MODIFIED') sink.update(object);
      else if (type === 'DELETED') sink.delete(object);
      else if (type === 'BOOKMARK')
        isInitialEventsEnd = access.annotationOf(object, initialEventsEndAnnotation) === 'true';
      else throw new RuntimeError('WG_RUNTIME_WATCH', `unknown watch event type ${String(type)}`);
    } catch (error) {
      onError(error);
    }
    if (type !== 'ADDED') this.#isInitialOrderKnown = true;
    this.#eventCount++;
    if (resourceVersion !== undefined && this.#isInitialOrderKnown)
      sink.setResourceVersion(resourceVersion, type === 'BOOKMARK');
    return isInitialEventsEnd;
  }

  #isExpected(object: T): boolean {
    const { expectedType, access, onError } = this.#options;
    const { apiVersion, kind } = access.typeOf(object);
    if (kind === undefined) return true;
    if (kind === 'Table' && apiVersion?.startsWith('meta.k8s.io/')) {
      onError(new RuntimeError('WG_RUNTIME_WATCH', 'a watch of Tables cannot be cached'));
      return false;
    }
    if (expectedType === undefined) return true;
    const isRightVersion =
      apiVersion === undefined ||
      expectedType.apiVersion === undefined ||
      apiVersion === expectedType.apiVersion;
    if (kind === expectedType.kind && isRightVersion) return true;
    onError(
      new RuntimeError(
        'WG_RUNTIME_WATCH',
        `expected ${expectedType.kind}, but the watch sent ${apiVersion ?? ''} ${kind}`,
      ),
    );
    return false;
  }

  #ended(): WatchEnd {
    const durationMs = this.#options.clock.monotonicMs() - this.#startedMs;
    if (this.#eventCount > 0 || durationMs >= veryShortWatchMs) return { kind: 'closed' };
    const error = new RuntimeError(
      'WG_RUNTIME_VERY_SHORT_WATCH',
      'very short watch: it ended within a second and without an event',
    );
    return { kind: 'error', error };
  }

  #endedBy(error: unknown): WatchEnd {
    if (this.#isStopped) return { kind: 'stopped' };
    if (this.#failure !== undefined) return { kind: 'error', error: this.#failure };
    if (this.#controller.signal.aborted) return this.#ended();
    if (!isConnectionError(error)) return { kind: 'error', error };
    // A cut connection is an ordinary end: the next watch goes on from the last version.
    this.#options.onError(error);
    return this.#ended();
  }
}

function isUnspecific(resourceVersion: string | undefined): boolean {
  return resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0';
}
