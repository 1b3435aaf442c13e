import { KubeError } from '../error.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const open = 0x7b;
const close = 0x7d;

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
    if (this.#bytes[this.position] !== open) throw broken('not a JSON object');
    this.position++;
  }

  /** Moves to the value of the next field; false, and past the brace, at the object's end. */
  nextKey(): boolean {
    const bytes = this.#bytes;
    this.#skipSpace();
    if (bytes[this.position] === comma) {
      this.position++;
      this.#skipSpace();
    }
    const byte = bytes[this.position];
    if (byte === close) {
      this.position++;
      return false;
    }
    if (byte !== quote) throw broken('an object that is cut or broken');
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
    if (this.#bytes[start] !== quote) return '';
    for (let at = start + 1; at < this.position - 1; at++) {
      const byte = this.#bytes[at] as number;
      if (byte === backslash || byte > 0x7e) return String(this.#parse(start));
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
    if (first === quote) {
      this.position = endOfString(bytes, this.position + 1);
      return;
    }
    // Kept in locals: this loop runs over most of the bytes.
    const { length } = bytes;
    let at = this.position;
    let depth = 0;
    while (at < length) {
      const byte = bytes[at++] as number;
      if (byte === quote) at = endOfString(bytes, at);
      else if ((byte | 0x20) === open) depth++;
      else if ((byte | 0x20) === close) {
        if (depth <= 1) {
          this.position = depth === 0 ? at - 1 : at;
          return;
        }
        depth--;
      } else if (depth === 0 && (byte === comma || byte <= 0x20)) {
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
    if (byte === quote) return at;
    if (byte === backslash) at++;
    if (byte === undefined) throw broken('an object that is cut or broken');
  }
}
