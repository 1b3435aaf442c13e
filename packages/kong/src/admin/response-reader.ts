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
/** The largest body that room is made for on the word of a header alone. */
const trustedLength = 4 * 1024 * 1024;
const nothing = Buffer.alloc(0);

type Part = 'head' | 'counted' | 'until-close' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer';

function broken(reason: string): KongError {
  return new KongError('WG_KONG_ANSWER', `the answer of the Admin API is broken: ${reason}`);
}

/**
 * Reads HTTP/1.1 answers from the pieces in which they arrive, one after another. What it needs of
 * HTTP is little, as the client asks for nothing compressed, upgrades nothing and sends one request
 * at a time. A piece is not kept: whoever reads from the network may use its memory again.
 */
export class ResponseReader {
  readonly #largest: number;
  #isBodiless = false;
  #isIgnored = false;
  #part: Part = 'head';
  /** Bytes of a head or a line that is not whole yet. */
  #rest: Buffer | undefined;
  /** The body so far, in its first `#size` bytes. */
  #body = nothing;
  #size = 0;
  /** Bytes that are still to come of the body or of the chunk. */
  #left = 0;
  #status = 0;
  #retryAfter: string | undefined;
  #keepsAlive = true;
  /** Where in the last piece the answer ended. */
  #endedAt = 0;

  constructor(largest: number) {
    this.#largest = largest;
  }

  /** Begins the next answer: one without a body, or whose body nobody reads unless it is a refusal. */
  begin(isBodiless = false, isIgnored = false): void {
    this.#isBodiless = isBodiless;
    this.#isIgnored = isIgnored;
    this.#part = 'head';
    this.#rest = undefined;
    this.#body = nothing;
    this.#size = 0;
    this.#left = 0;
    this.#status = 0;
    this.#retryAfter = undefined;
    this.#keepsAlive = true;
    this.#endedAt = 0;
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
        this.#rest = Buffer.from(data.subarray(position));
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
    const end = data.indexOf('\r\n\r\n', position, 'latin1');
    if (end === -1) {
      if (data.length - position > largestHead) throw broken('its headers are too long');
      return position;
    }
    const head = data.toString('latin1', position, end);
    const firstEnd = head.indexOf('\r\n');
    const first = firstEnd === -1 ? head : head.slice(0, firstEnd);
    if (!/^HTTP\/1\.[01] \d{3}(?: |$)/.test(first)) throw broken('it is not HTTP');
    this.#status = Number(first.slice(9, 12));
    this.#keepsAlive = first[7] === '1';
    const isDone = this.#readFields(head, first.length + 2);
    this.#endedAt = end + 4;
    return isDone ? undefined : end + 4;
  }

  /** Takes what matters from the headers; says whether the answer ends with them. */
  #readFields(head: string, from: number): boolean {
    let length: number | undefined;
    let isChunked = false;
    for (let start = from; start < head.length; ) {
      const lineEnd = head.indexOf('\r\n', start);
      const end = lineEnd === -1 ? head.length : lineEnd;
      const colon = head.indexOf(':', start);
      if (colon <= start || colon >= end) throw broken('a header has no name');
      const name = knownName(head, start, colon);
      if (name !== undefined) {
        const value = head.slice(colon + 1, end).trim();
        if (name === 'content-length') length = lengthOf(value);
        else if (name === 'transfer-encoding') isChunked = /(?:^|,)\s*chunked$/i.test(value);
        else if (name === 'retry-after') this.#retryAfter = value;
        else if (/\bclose\b/i.test(value)) this.#keepsAlive = false;
        else if (/\bkeep-alive\b/i.test(value)) this.#keepsAlive = true;
      }
      start = end + 2;
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
    this.#keep(data, position, end);
    if (this.#part === 'until-close') return end;
    this.#left -= end - position;
    if (this.#left > 0) return end;
    this.#endedAt = end;
    if (this.#part === 'counted') return undefined;
    this.#part = 'chunk-end';
    return end;
  }

  /** Copies a part of the body to the others, unless nobody is going to read it. */
  #keep(data: Buffer, start: number, end: number): void {
    const size = this.#size + end - start;
    if (!(this.#isIgnored && this.#status < 400)) {
      if (size > this.#body.length) {
        const announced = this.#part === 'counted' ? this.#size + this.#left : 0;
        const room = Math.max(size, this.#body.length * 2, Math.min(announced, trustedLength));
        const larger = Buffer.allocUnsafe(room);
        this.#body.copy(larger, 0, 0, this.#size);
        this.#body = larger;
      }
      data.copy(this.#body, this.#size, start, end);
    }
    this.#size = size;
  }

  #readLine(data: Buffer, position: number): number | undefined {
    const end = data.indexOf('\r\n', position, 'latin1');
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
    const isKept = this.#body.length > 0;
    return {
      status: this.#status,
      retryAfter: this.#retryAfter,
      body: isKept ? this.#body.subarray(0, this.#size) : nothing,
      keepsAlive: this.#keepsAlive,
    };
  }
}

const knownNames = ['content-length', 'transfer-encoding', 'connection', 'retry-after'] as const;
type KnownName = (typeof knownNames)[number];

/** The name of a header if it is one that matters. Most are told apart by their length alone. */
function knownName(head: string, start: number, colon: number): KnownName | undefined {
  for (const name of knownNames) {
    if (name.length === colon - start && head.slice(start, colon).toLowerCase() === name)
      return name;
  }
  return undefined;
}

function lengthOf(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw broken('its length is no number');
  return Number(value);
}
