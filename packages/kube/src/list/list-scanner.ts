import { KubeError } from '../error.ts';

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
/** `{` and `[`, `}` and `]` differ in bit 5 only. */
const open = 0x7b;
const close = 0x7d;
const bracketOpen = 0x5b;
const bracketClose = 0x5d;
const itemsKey = Buffer.from('items');

/** What becomes of the items of a list. */
export interface ListScannerOptions {
  /** Called once an item, in order. The bytes are valid only during the call: copy to keep. */
  readonly onItem: (bytes: Buffer) => void;
  /** The largest item that is taken. Default 64 MiB. */
  readonly maxItemBytes?: number | undefined;
  /** The largest rest of the list around its items. Default 4 MiB. */
  readonly maxEnvelopeBytes?: number | undefined;
}

/**
 * Finds the items of a list in its bytes, whatever the chunks. Nothing but the brackets and quotes
 * is looked at, so it costs about a nanosecond a byte; whether an item is JSON at all is for the one
 * who parses it. What stands around the items (kind, metadata) is kept and given by `finish`.
 *
 * ```ts
 * const scanner = new ListScanner({ onItem: (bytes) => console.log(bytes.length) });
 * scanner.push(Buffer.from('{"kind":"PodList","items":[{},{}]}'));
 * scanner.finish(); // '{"kind":"PodList","items":[]}'
 * ```
 */
export class ListScanner {
  readonly #onItem: (bytes: Buffer) => void;
  readonly #maxItemBytes: number;
  readonly #maxEnvelopeBytes: number;

  /** In the text around the items, between two of them, or inside one. Ends where it began. */
  #phase: 'envelope' | 'items' | 'item' = 'envelope';
  /** Brackets that are open, of the envelope or of the item. */
  #depth = 0;
  /** Inside quotes brackets mean nothing; after a backslash a quote does not either. */
  #inString = false;
  #escaped = false;

  /** The item so far, when it began in an earlier chunk. */
  #pending: Buffer[] = [];
  /** The sum of `#pending`, at most `maxItemBytes`. */
  #pendingBytes = 0;

  readonly #envelope: Buffer[] = [];
  #envelopeBytes = 0;
  /** The text of the string that is open, or was the last, in the envelope; bounded. */
  #key: number[] = [];
  /** True from a key `items` of the list itself until its value starts. */
  #expectsItems = false;

  constructor(options: ListScannerOptions) {
    this.#onItem = options.onItem;
    this.#maxItemBytes = options.maxItemBytes ?? 64 * 1024 * 1024;
    this.#maxEnvelopeBytes = options.maxEnvelopeBytes ?? 4 * 1024 * 1024;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#phase === 'envelope') at = this.#scanEnvelope(chunk, at);
      else if (this.#phase === 'items') at = this.#scanBetween(chunk, at);
      else at = this.#scanItem(chunk, at);
    }
  }

  /**
   * The list without its items, as JSON text.
   *
   * @throws KubeError `WG_KUBE_DECODE` when the list is not complete
   */
  finish(): string {
    if (this.#phase !== 'envelope' || this.#depth !== 0 || this.#envelopeBytes === 0) {
      throw new KubeError('WG_KUBE_DECODE', 'the list ended in the middle');
    }
    return Buffer.concat(this.#envelope).toString('utf8');
  }

  /**
   * Gives up the item that is under way: its bytes so far, with the scanner back between items.
   * Undefined outside of the items.
   */
  takePartialItem(): Buffer[] | undefined {
    if (this.#phase === 'envelope') return undefined;
    const partial = this.#pending;
    this.#phase = 'items';
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#pending = [];
    this.#pendingBytes = 0;
    return partial;
  }

  #scanEnvelope(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#inString) this.#scanEnvelopeString(byte);
      else if (byte === quote) {
        this.#inString = true;
        this.#key = [];
        this.#expectsItems = false;
      } else if (byte === colon) {
        this.#expectsItems = this.#depth === 1 && itemsKey.equals(Uint8Array.from(this.#key));
      } else if ((byte | 0x20) === open) {
        this.#depth++;
        if (this.#expectsItems && byte === bracketOpen) {
          this.#keepEnvelope(chunk.subarray(from, at + 1));
          this.#phase = 'items';
          this.#expectsItems = false;
          return at + 1;
        }
        this.#expectsItems = false;
      } else if ((byte | 0x20) === close) this.#depth--;
    }
    this.#keepEnvelope(chunk.subarray(from, at));
    return at;
  }

  #scanEnvelopeString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) {
      this.#inString = false;
      return;
    }
    if (this.#key.length <= itemsKey.length) this.#key.push(byte);
  }

  #keepEnvelope(bytes: Buffer): void {
    this.#envelopeBytes += bytes.length;
    if (this.#envelopeBytes > this.#maxEnvelopeBytes) {
      throw new KubeError(
        'WG_KUBE_DECODE',
        `a list with over ${this.#maxEnvelopeBytes} bytes around its items`,
      );
    }
    this.#envelope.push(Buffer.from(bytes));
  }

  #scanBetween(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (byte === open) {
        this.#phase = 'item';
        this.#depth = 0;
        return at;
      }
      if (byte === bracketClose) {
        this.#phase = 'envelope';
        this.#depth = 1;
        this.#keepEnvelope(chunk.subarray(at, at + 1));
        return at + 1;
      }
      // Space and commas stand between items.
      if (byte > 0x20 && byte !== 0x2c) {
        throw new KubeError('WG_KUBE_DECODE', 'a list with an item that is no object');
      }
    }
    return chunk.length;
  }

  #scanItem(chunk: Buffer, from: number): number {
    const end = this.#endOfItem(chunk, from);
    if (end < 0) {
      this.#keepPending(chunk.subarray(from));
      return chunk.length;
    }
    this.#phase = 'items';
    if (this.#pending.length === 0) {
      this.#onItem(chunk.subarray(from, end));
      return end;
    }
    this.#keepPending(chunk.subarray(from, end));
    const bytes = Buffer.concat(this.#pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#onItem(bytes);
    return end;
  }

  #keepPending(bytes: Buffer): void {
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > this.#maxItemBytes) {
      throw new KubeError('WG_KUBE_DECODE', `an item of over ${this.#maxItemBytes} bytes`);
    }
    this.#pending.push(bytes);
  }

  /** The index after the item's last bracket, or -1 when the chunk ends before. The hot loop. */
  #endOfItem(chunk: Buffer, from: number): number {
    const { length } = chunk;
    let at = from;
    let depth = this.#depth;
    if (this.#inString) {
      at = this.#endOfString(chunk, at);
      if (at < 0) return -1;
    }
    while (at < length) {
      const byte = chunk[at++] as number;
      if (byte === quote) {
        for (;;) {
          if (at >= length) {
            this.#inString = true;
            this.#depth = depth;
            return -1;
          }
          const inner = chunk[at++] as number;
          if (inner === quote) break;
          if (inner === backslash && at++ >= length) {
            this.#inString = true;
            this.#escaped = true;
            this.#depth = depth;
            return -1;
          }
        }
      } else if ((byte | 0x20) === open) depth++;
      else if ((byte | 0x20) === close && --depth === 0) {
        this.#depth = 0;
        return at;
      }
    }
    this.#depth = depth;
    return -1;
  }

  /** Goes on in a string that began in an earlier chunk. */
  #endOfString(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#escaped && at < chunk.length) {
      this.#escaped = false;
      at++;
    }
    while (at < chunk.length) {
      const byte = chunk[at++];
      if (byte === quote) {
        this.#inString = false;
        return at;
      }
      if (byte === backslash && at++ >= chunk.length) {
        this.#escaped = true;
        return -1;
      }
    }
    return -1;
  }
}
