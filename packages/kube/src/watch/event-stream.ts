import { KubeError } from '../error.ts';
import { LineSplitter } from './line-splitter.ts';

/**
 * The events of a watch. Many come with one chunk, and what is there already can be taken without
 * waiting: a promise for each event would cost as much as all else that is done with it.
 */
export interface WatchStream<E> extends AsyncIterableIterator<E> {
  /** The next event if it is there already. */
  poll(): E | undefined;
  return(): Promise<IteratorResult<E, undefined>>;
}

/** What becomes of the lines of a watch. */
interface LineDecoder<E> {
  readonly decode: (line: Buffer) => E;
  /** The event for a stream that cannot be understood any more. */
  readonly undecodable: (problem: string) => E;
  /** Nothing after this event counts. */
  readonly isLast: (event: E) => boolean;
}

const defaultMaxLine = 64 * 1024 * 1024;

/** Cuts chunks into lines, and decodes each when it is asked for. */
export class EventStream<E> implements WatchStream<E> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #decoder: LineDecoder<E>;
  readonly #splitter: LineSplitter;
  /** Of the chunk that came last. */
  #lines: Iterator<Buffer> | undefined;
  #isEnded = false;
  /** While a chunk is being waited for. */
  #reading: Promise<IteratorResult<E, undefined>> | undefined;

  constructor(
    chunks: AsyncIterable<Uint8Array>,
    decoder: LineDecoder<E>,
    maxLineBytes = defaultMaxLine,
  ) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#decoder = decoder;
    this.#splitter = new LineSplitter(maxLineBytes);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  poll(): E | undefined {
    if (this.#lines === undefined || this.#isEnded) return undefined;
    try {
      for (let line = this.#lines.next(); line.done !== true; line = this.#lines.next())
        if (!isBlank(line.value)) return this.#taken(this.#decoder.decode(line.value));
    } catch (error) {
      if (!(error instanceof KubeError) || error.code !== 'WG_KUBE_DECODE') throw error;
      return this.#taken(this.#decoder.undecodable(error.message));
    }
    this.#lines = undefined;
    return undefined;
  }

  next(): Promise<IteratorResult<E, undefined>> {
    if (this.#reading !== undefined) {
      const again = () => this.next();
      return this.#reading.then(again, again);
    }
    const event = this.poll();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async return(): Promise<IteratorResult<E, undefined>> {
    this.#isEnded = true;
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }

  async #read(): Promise<IteratorResult<E, undefined>> {
    while (!this.#isEnded) {
      const event = await this.#nextEvent();
      if (event !== undefined) return { done: false, value: event };
    }
    return this.return();
  }

  async #nextEvent(): Promise<E | undefined> {
    try {
      const chunk = await this.#chunks.next();
      return chunk.done === true ? this.#rest() : this.#firstOf(chunk.value);
    } catch (error) {
      this.#isEnded = true;
      throw error;
    }
  }

  #firstOf(chunk: Uint8Array): E | undefined {
    this.#lines = this.#splitter.push(asBuffer(chunk));
    return this.poll();
  }

  /** What stands after the last newline counts if it is whole. */
  #rest(): E | undefined {
    this.#isEnded = true;
    const rest = this.#splitter.rest();
    if (isBlank(rest)) return undefined;
    if (isJson(rest)) return this.#decoder.decode(rest);
    throw new KubeError('WG_KUBE_CONNECTION', 'the watch broke off in the middle of an event', {
      cause: Object.assign(new Error('unexpected end of the stream'), { code: 'ECONNRESET' }),
    });
  }

  #taken(event: E): E {
    if (this.#decoder.isLast(event)) this.#isEnded = true;
    return event;
  }
}

/**
 * The same stream with other events.
 *
 * ```ts
 * const events = await client.resource(kinds.Pod).watch({});
 * for await (const type of mapEvents(events, (event) => event.type)) console.log(type);
 * ```
 */
export function mapEvents<E, F>(stream: WatchStream<E>, change: (event: E) => F): WatchStream<F> {
  const changed = (result: IteratorResult<E, undefined>): IteratorResult<F, undefined> =>
    result.done === true ? result : { done: false, value: change(result.value) };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    poll() {
      const event = stream.poll();
      return event === undefined ? undefined : change(event);
    },
    next: async () => changed(await stream.next()),
    return: async () => changed(await stream.return()),
  };
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk)
    ? chunk
    : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length < 16 && line.toString('latin1').trim() === '');
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
