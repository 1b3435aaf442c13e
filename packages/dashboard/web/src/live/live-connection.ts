import { batch, signal } from '@preact/signals';
import type { StreamMessage, Topic, TopicSnapshot } from '../../../src/protocol/stream.ts';
import { type Api, ApiFailure } from './api.ts';
import { EventStreamReader } from './event-stream.ts';
import type { TopicTables } from './topic-table.ts';

/** `lost`: it was there or should be, and is tried again by itself. */
type ConnectionState = 'connecting' | 'live' | 'lost';

interface LiveConnectionOptions {
  readonly api: Api;
  readonly tables: TopicTables;
  /** Calls back once, when the page may change what it shows. */
  readonly nextFrame: (flush: () => void) => void;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A server that says nothing for so long, not even that it is alive, is gone. */
  readonly silenceMs?: number;
  readonly firstRetryMs?: number;
}

/** How long a topic stays in the stream after the last page that wanted it. */
const lingerMs = 20_000;
const longestRetryMs = 10_000;
const readAgainMs = 3_000;

/**
 * Keeps the tables true: reads what is wanted, then follows the stream from the version that was read, and
 * resumes behind the last event after every loss. Invariant: a table that is `ready` has had every message of
 * its topic up to `#version`, but for those in `#queue`.
 */
export class LiveConnection {
  readonly state = signal<ConnectionState>('connecting');
  readonly #options: LiveConnectionOptions;
  readonly #wanted = new Map<Topic, number>();
  #version: string | undefined;
  #queue: StreamMessage[] = [];
  #isFrameAsked = false;
  #attempts = 0;
  /** Ends the present stream, or the pause before the next. */
  #turn = new AbortController();
  #signal: AbortSignal = this.#turn.signal;
  #streamed = new Set<Topic>();

  constructor(options: LiveConnectionOptions) {
    this.#options = options;
  }

  /** Wants topics until the answer is called. The first one is read first. */
  watch(topics: readonly Topic[]): () => void {
    for (const topic of topics) this.#wanted.set(topic, (this.#wanted.get(topic) ?? 0) + 1);
    if (topics.some((topic) => !this.#streamed.has(topic))) this.retryNow();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      for (const topic of topics) this.#wanted.set(topic, (this.#wanted.get(topic) ?? 1) - 1);
      setTimeout(() => this.#leaveUnwanted(), lingerMs);
    };
  }

  /** Does not wait any longer, and reads anew what failed. */
  retryNow(): void {
    this.#turn.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#turn.abort();
      this.#turn = new AbortController();
      const turn = AbortSignal.any([signal, this.#turn.signal]);
      this.#signal = turn;
      try {
        await this.#stay(turn);
      } catch {
        // However it ended, it is opened anew; the state says so.
      }
      this.#stopReading();
      // A page that wants other topics is no loss.
      if (turn.aborted) continue;
      this.state.value = 'lost';
      await this.#options.wait(this.#pause(), turn).catch(() => {});
    }
  }

  #pause(): number {
    const first = this.#options.firstRetryMs ?? 400;
    const longest = Math.min(longestRetryMs, first * 2 ** this.#attempts++);
    return longest * (0.7 + 0.3 * Math.random());
  }

  async #stay(turn: AbortSignal): Promise<void> {
    const topics = [...this.#wanted].filter(([, count]) => count > 0).map(([topic]) => topic);
    this.#streamed = new Set(topics);
    for (const table of Object.values(this.#options.tables))
      if (!this.#streamed.has(table.topic)) table.forget();
    const [first] = topics;
    if (first === undefined) return untilAborted(turn);
    const unread = topics.filter(
      (topic) => this.#options.tables[topic].state.value !== 'ready' || this.#version === undefined,
    );
    for (const topic of unread) this.#options.tables[topic].beginReading();
    if (this.#version === undefined) {
      unread.splice(unread.indexOf(first), 1);
      this.#version = await this.#readOnce(first, turn);
    }
    const query = new URLSearchParams({ topics: topics.join(','), since: this.#version });
    const response = await this.#options.api.open(`stream?${query}`, {
      headers: { accept: 'text/event-stream', 'last-event-id': this.#version },
      signal: turn,
    });
    this.state.value = 'live';
    for (const topic of unread) void this.#read(topic, turn);
    await this.#follow(response);
  }

  async #follow(response: Response): Promise<void> {
    const body = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!body) return;
    const events = new EventStreamReader();
    const silenceMs = this.#options.silenceMs ?? 45_000;
    try {
      for (;;) {
        const chunk = await within(body.read(), silenceMs);
        if (chunk.done) return;
        this.#attempts = 0;
        for (const event of events.push(chunk.value)) {
          const message = JSON.parse(event.data) as StreamMessage;
          // Of several that belong together only the last has one: cut off before it, all come again.
          if (event.id !== '') this.#version = event.id;
          this.#queue.push(message);
        }
        this.#askFrame();
      }
    } finally {
      void body.cancel().catch(() => {});
    }
  }

  #askFrame(): void {
    if (this.#isFrameAsked || this.#queue.length === 0) return;
    this.#isFrameAsked = true;
    this.#options.nextFrame(() => {
      this.#isFrameAsked = false;
      const messages = this.#queue;
      this.#queue = [];
      batch(() => {
        for (const message of messages) this.#take(message);
      });
    });
  }

  #take(message: StreamMessage): void {
    const table = this.#options.tables[message.topic];
    if ('reset' in message) {
      table.beginReading();
      void this.#read(message.topic, this.#signal);
    } else {
      table.take(message as never);
    }
  }

  /** Until it is there. A failure is shown meanwhile. */
  async #read(topic: Topic, turn: AbortSignal): Promise<void> {
    while (!turn.aborted) {
      try {
        await this.#readOnce(topic, turn);
        return;
      } catch {
        await this.#options.wait(readAgainMs, turn).catch(() => {});
        if (!turn.aborted) this.#options.tables[topic].beginReading();
      }
    }
  }

  async #readOnce(topic: Topic, turn: AbortSignal): Promise<string> {
    const table = this.#options.tables[topic];
    try {
      const snapshot = await this.#options.api.get<TopicSnapshot>(topic, turn);
      turn.throwIfAborted();
      batch(() => table.replace(snapshot.items as never));
      return snapshot.version;
    } catch (error) {
      if (error instanceof ApiFailure) table.fail(error);
      throw error;
    }
  }

  #stopReading(): void {
    for (const table of Object.values(this.#options.tables))
      if (table.state.value === 'reading') table.forget();
  }

  #leaveUnwanted(): void {
    const isSame = [...this.#streamed].every((topic) => (this.#wanted.get(topic) ?? 0) > 0);
    if (!isSame) this.retryNow();
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ApiFailure(0, silent)), ms);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}

const silent = { code: 'silent', message: 'The server went silent.' };
