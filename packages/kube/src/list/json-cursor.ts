import { KubeError } from '../error.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** What is said of bytes that are not the JSON they should be. */
export function broken(problem: string): KubeError {
  return new KubeError('WG_KUBE_DECODE', problem);
}

/** A reader of JSON bytes that skips what nobody asks for. */
export class JsonCursor {
  readonly #bytes: Buffer;
  position: number;
  #keyStart = 0;
  #keyEnd = 0;

  constructor(bytes: Buffer, start = 0) {
    this.#bytes = bytes;
    this.position = start;
  }

  enterObject(): void {
    this.#skipSpace();
    if (this.#bytes[this.position] !== OPEN) throw broken('not a JSON object');
    this.position++;
  }

  /** Moves to the value of the next field; false, and past the brace, at the object's end. */
  nextKey(): boolean {
    const bytes = this.#bytes;
    this.#skipSpace();
    if (bytes[this.position] === COMMA) {
      this.position++;
      this.#skipSpace();
    }
    const byte = bytes[this.position];
    if (byte === CLOSE) {
      this.position++;
      return false;
    }
    if (byte !== QUOTE) throw broken('an object that is cut or broken');
    this.#keyStart = this.position + 1;
    this.position = endOfString(bytes, this.position + 1);
    this.#keyEnd = this.position - 1;
    this.#skipSpace();
    if (bytes[this.position++] !== 0x3a) throw broken('an object that is cut or broken');
    this.#skipSpace();
    return true;
  }

  keyIs(name: string): boolean {
    const length = this.#keyEnd - this.#keyStart;
    if (length !== name.length) return false;
    for (let at = 0; at < length; at++) {
      if (this.#bytes[this.#keyStart + at] !== name.charCodeAt(at)) return false;
    }
    return true;
  }

  /** The value, which is a string; null counts as empty. */
  text(): string {
    const start = this.position;
    this.skipValue();
    if (this.#bytes[start] !== QUOTE) return '';
    for (let at = start + 1; at < this.position - 1; at++) {
      const byte = this.#bytes[at] as number;
      if (byte === BACKSLASH || byte > 0x7e) return String(this.#parse(start));
    }
    return this.#bytes.toString('latin1', start + 1, this.position - 1);
  }

  json(): unknown {
    const start = this.position;
    this.skipValue();
    return this.#parse(start);
  }

  skipValue(): void {
    const bytes = this.#bytes;
    const first = bytes[this.position] as number;
    if (first === QUOTE) {
      this.position = endOfString(bytes, this.position + 1);
      return;
    }
    // Kept in locals: this loop runs over most of the bytes.
    const { length } = bytes;
    let at = this.position;
    let depth = 0;
    while (at < length) {
      const byte = bytes[at++] as number;
      if (byte === QUOTE) at = endOfString(bytes, at);
      else if ((byte | 0x20) === OPEN) depth++;
      else if ((byte | 0x20) === CLOSE) {
        if (depth <= 1) {
          this.position = depth === 0 ? at - 1 : at;
          return;
        }
        depth--;
      } else if (depth === 0 && (byte === COMMA || byte <= 0x20)) {
        this.position = at - 1;
        return;
      }
    }
    throw broken('an object that is cut or broken');
  }

  #parse(start: number): unknown {
    try {
      return JSON.parse(this.#bytes.toString('utf8', start, this.position));
    } catch (error) {
      throw new KubeError('WG_KUBE_DECODE', 'metadata that is not JSON', { cause: error });
    }
  }

  #skipSpace(): void {
    while (this.position < this.#bytes.length && (this.#bytes[this.position] as number) <= 0x20) {
      this.position++;
    }
  }
}

/** The index after the quote that closes the string which `from` is in. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = from; ; ) {
    const byte = bytes[at++];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
    if (byte === undefined) throw broken('an object that is cut or broken');
  }
}
