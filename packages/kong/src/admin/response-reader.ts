import { KongError } from '../kong-error.ts';

/** An answer of the Admin API, whole. */
export interface RawAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
  /** Whether the connection may carry another request. */
  readonly keepsAlive: boolean;
}

/** No server needs more for its headers; one that sends more is not one of ours. */
const largestHead = 64 * 1024;
const longestChunkLine = 1024;

type Part = 'head' | 'counted' | 'until-close' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer';

function broken(reason: string): KongError {
  return new KongError('WG_KONG_ANSWER', `the answer of the Admin API is broken: ${reason}`);
}

/**
 * Reads one HTTP/1.1 answer from the pieces in which it arrives. What it needs of HTTP is little, as
 * the client asks for nothing compressed, upgrades nothing and sends one request at a time.
 */
export class ResponseReader {
  readonly #isBodiless: boolean;
  readonly #largest: number;
  #part: Part = 'head';
  /** Bytes of a head or a line that is not whole yet. */
  #rest: Buffer | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes that are still to come of the body or of the chunk. */
  #left = 0;
  #status = 0;
  #retryAfter: string | undefined;
  #keepsAlive = true;
  /** Where in the last piece the answer ended. */
  #endedAt = 0;

  constructor(isBodiless: boolean, largest: number) {
    this.#isBodiless = isBodiless;
    this.#largest = largest;
  }

  /** Takes a piece; gives the answer when it is whole. Throws when it is no HTTP or too large. */
  push(piece: Buffer): RawAnswer | undefined {
    let data = piece;
    if (this.#rest !== undefined) {
      data = Buffer.concat([this.#rest, piece]);
      this.#rest = undefined;
    }
    let position = 0;
    while (position < data.length) {
      const next = this.#read(data, position);
      if (next === undefined) {
        // More than was asked for: whatever it is, it must not be taken for the next answer.
        if (this.#endedAt < data.length) this.#keepsAlive = false;
        return this.#answer();
      }
      if (next === position) {
        this.#rest = position === 0 ? data : data.subarray(position);
        return undefined;
      }
      position = next;
    }
    return undefined;
  }

  /** The connection has ended: the answer, if that was its end. */
  end(): RawAnswer | undefined {
    if (this.#part !== 'until-close') return undefined;
    this.#keepsAlive = false;
    return this.#answer();
  }

  /** Reads on from a position: where it got to, the same when more is needed, undefined at the end. */
  #read(data: Buffer, position: number): number | undefined {
    switch (this.#part) {
      case 'head':
        return this.#readHead(data, position);
      case 'counted':
      case 'until-close':
      case 'chunk':
        return this.#readBody(data, position);
      default:
        return this.#readLine(data, position);
    }
  }

  #readHead(data: Buffer, position: number): number | undefined {
    const end = data.indexOf('\r\n\r\n', position);
    if (end === -1) {
      if (data.length - position > largestHead) throw broken('its headers are too long');
      return position;
    }
    const lines = data.toString('latin1', position, end).split('\r\n');
    const status = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(lines[0] ?? '');
    if (status === null) throw broken('it is not HTTP');
    this.#status = Number(status[2]);
    this.#keepsAlive = status[1] === '1';
    const isDone = this.#readFields(lines);
    this.#endedAt = end + 4;
    return isDone ? undefined : end + 4;
  }

  /** Takes what matters from the headers; says whether the answer ends with them. */
  #readFields(lines: readonly string[]): boolean {
    let length: number | undefined;
    let isChunked = false;
    for (let index = 1; index < lines.length; index += 1) {
      const line = lines[index] as string;
      const colon = line.indexOf(':');
      if (colon < 1) throw broken('a header has no name');
      const value = () => line.slice(colon + 1).trim();
      switch (line.slice(0, colon).toLowerCase()) {
        case 'content-length':
          length = Number(/^\d{1,15}$/.exec(value())?.[0] ?? Number.NaN);
          if (Number.isNaN(length)) throw broken('its length is no number');
          break;
        case 'transfer-encoding':
          isChunked = /(?:^|,)\s*chunked$/i.test(value());
          break;
        case 'connection':
          if (/\bclose\b/i.test(value())) this.#keepsAlive = false;
          else if (/\bkeep-alive\b/i.test(value())) this.#keepsAlive = true;
          break;
        case 'retry-after':
          this.#retryAfter = value();
          break;
        default:
      }
    }
    if (this.#status >= 100 && this.#status < 200) return false;
    if (this.#isBodiless || this.#status === 204 || this.#status === 304) return true;
    if (isChunked) this.#part = 'chunk-size';
    else if (length === undefined) this.#part = 'until-close';
    else {
      this.#checkSize(length);
      this.#left = length;
      this.#part = 'counted';
      return length === 0;
    }
    return false;
  }

  #readBody(data: Buffer, position: number): number | undefined {
    const end =
      this.#part === 'until-close' ? data.length : Math.min(data.length, position + this.#left);
    this.#checkSize(this.#size + end - position);
    this.#size += end - position;
    this.#chunks.push(position === 0 && end === data.length ? data : data.subarray(position, end));
    if (this.#part === 'until-close') return end;
    this.#left -= end - position;
    if (this.#left > 0) return end;
    this.#endedAt = end;
    if (this.#part === 'counted') return undefined;
    this.#part = 'chunk-end';
    return end;
  }

  #readLine(data: Buffer, position: number): number | undefined {
    const end = data.indexOf('\r\n', position);
    if (end === -1) {
      if (data.length - position > longestChunkLine) throw broken('a chunk has no length');
      return position;
    }
    this.#endedAt = end + 2;
    if (this.#part === 'trailer') return end === position ? undefined : end + 2;
    if (this.#part === 'chunk-end') {
      if (end !== position) throw broken('a chunk is longer than it says');
      this.#part = 'chunk-size';
      return end + 2;
    }
    const size = /^([0-9a-fA-F]{1,12})\s*(?:;|$)/.exec(data.toString('latin1', position, end))?.[1];
    if (size === undefined) throw broken('a chunk has no length');
    this.#left = Number.parseInt(size, 16);
    this.#part = this.#left === 0 ? 'trailer' : 'chunk';
    return end + 2;
  }

  #checkSize(size: number): void {
    if (size <= this.#largest) return;
    throw new KongError('WG_KONG_ANSWER', 'the answer of the Admin API is too large');
  }

  #answer(): RawAnswer {
    const [only] = this.#chunks;
    const body =
      this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    return {
      status: this.#status,
      retryAfter: this.#retryAfter,
      body,
      keepsAlive: this.#keepsAlive,
    };
  }
}
