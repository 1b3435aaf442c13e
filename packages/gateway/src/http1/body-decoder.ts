import type { BodyFraming } from './content-length.ts';
import { HeaderSyntaxError, isCleanHead, readHeaderLines } from './header-block.ts';

const maximumSizeLineBytes = 512;
const maximumTrailerBytes = 8 * 1_024;
const sizeLine = /^([0-9A-Fa-f]{1,12})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/;

/** Finds the end of a body in the bytes of a connection, and takes chunks out of their wrapping. */
export interface BodyDecoder {
  readonly isDone: boolean;
  /** Name, value… that came behind the body. */
  readonly trailers: readonly string[];
  /**
   * Takes bytes, hands on what of them is body, and returns how many it used: what follows belongs to
   * the next message.
   *
   * @throws {@link HeaderSyntaxError} if chunks are not framed properly
   */
  feed(bytes: Buffer, onData: (data: Buffer) => void): number;
}

export function createBodyDecoder(framing: BodyFraming): BodyDecoder {
  switch (framing.kind) {
    case 'chunked':
      return new ChunkedDecoder();
    case 'length':
      return new LengthDecoder(framing.length);
    case 'close':
      return new LengthDecoder(Number.POSITIVE_INFINITY);
    case 'none':
      return new LengthDecoder(0);
  }
}

class LengthDecoder implements BodyDecoder {
  readonly trailers: readonly string[] = [];
  #missing: number;

  constructor(length: number) {
    this.#missing = length;
  }

  get isDone(): boolean {
    return this.#missing === 0;
  }

  feed(bytes: Buffer, onData: (data: Buffer) => void): number {
    const used = Math.min(bytes.length, this.#missing);
    if (used > 0) {
      this.#missing -= used;
      onData(used === bytes.length ? bytes : bytes.subarray(0, used));
    }
    return used;
  }
}

type ChunkState = 'size' | 'data' | 'data-end' | 'trailers' | 'done';

class ChunkedDecoder implements BodyDecoder {
  #state: ChunkState = 'size';
  #line = '';
  #missing = 0;
  #trailers: string[] = [];

  get isDone(): boolean {
    return this.#state === 'done';
  }

  get trailers(): readonly string[] {
    return this.#trailers;
  }

  feed(bytes: Buffer, onData: (data: Buffer) => void): number {
    let at = 0;
    while (at < bytes.length && this.#state !== 'done') {
      switch (this.#state) {
        case 'data': {
          const end = Math.min(bytes.length, at + this.#missing);
          this.#missing -= end - at;
          onData(bytes.subarray(at, end));
          at = end;
          if (this.#missing === 0) this.#state = 'data-end';
          break;
        }
        case 'data-end':
          at = this.#readLine(bytes, at, 2, (line) => {
            if (line !== '') throw new HeaderSyntaxError('a chunk is longer than it says');
            this.#state = 'size';
          });
          break;
        case 'size':
          at = this.#readLine(bytes, at, maximumSizeLineBytes, (line) => this.#startChunk(line));
          break;
        case 'trailers':
          at = this.#readTrailers(bytes, at);
          break;
      }
    }
    return at;
  }

  #startChunk(line: string): void {
    const digits = sizeLine.exec(line)?.[1];
    if (digits === undefined) throw new HeaderSyntaxError('a chunk has no valid size');
    this.#missing = Number.parseInt(digits, 16);
    this.#state = this.#missing === 0 ? 'trailers' : 'data';
  }

  /** Gathers a line that may come in pieces, and hands it on without its end. */
  #readLine(bytes: Buffer, at: number, limit: number, use: (line: string) => void): number {
    const newline = bytes.indexOf(0x0a, at);
    const end = newline === -1 ? bytes.length : newline + 1;
    this.#line += bytes.toString('latin1', at, end);
    if (this.#line.length > limit + 2) {
      throw new HeaderSyntaxError('a line between chunks is too long');
    }
    if (newline !== -1) {
      const line = this.#line;
      this.#line = '';
      if (!line.endsWith('\r\n')) {
        throw new HeaderSyntaxError('a line between chunks does not end in CR LF');
      }
      use(line.slice(0, -2));
    }
    return end;
  }

  #readTrailers(bytes: Buffer, at: number): number {
    return this.#readLine(bytes, at, maximumTrailerBytes, (line) => {
      if (line === '') {
        this.#state = 'done';
        return;
      }
      const size = this.#trailers.reduce((sum, text) => sum + text.length, line.length);
      if (size > maximumTrailerBytes || !isCleanHead(line) || /^[ \t]/.test(line)) {
        throw new HeaderSyntaxError('a trailer is not valid');
      }
      readHeaderLines(line, 0, (name, lower, value) => {
        if (!untrustedTrailers.has(lower)) this.#trailers.push(name, value);
      });
    });
  }
}

/** What decides on framing, routing or who the client is must come before the body, or not at all. */
const untrustedTrailers: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]);
