import { KubeError } from '../error.ts';
import { textOf } from '../transport/json-text.ts';
import { cutManagedFields, isCutRight } from './batch-cut.ts';
import { itemText } from './item-metadata.ts';
import { ListScanner } from './list-scanner.ts';

interface ListParserOptions<T> {
  readonly onItem: (item: T) => void;
  readonly omitManagedFields?: boolean | undefined;
  readonly maxItemBytes?: number | undefined;
  /** How much is parsed at once. */
  readonly batchBytes?: number | undefined;
}

/** The start of an item is learned up to this length. */
const maxPattern = 120;
const defaultMaxItem = 64 * 1024 * 1024;
/**
 * Parsed at once: enough that the calls do not count, little enough to be parsed in a millisecond.
 * A text below 128 KiB is in the young generation with what is parsed from it. As it does not survive,
 * each collection there has less to copy, and is shorter.
 */
const defaultBatch = 96 * 1024;

/**
 * Parses the items of a list as its bytes come in.
 *
 * Scanning every byte for the ends of items is correct and costs a tenth of parsing them. So it is
 * done for the first item only: the others start as it does (`},{"metadata":{`), and up to the last
 * such place of a chunk all items are parsed at once, as an array. A guess that was wrong, because
 * the place is inside an item or a text, leaves brackets or quotes open, so that JSON.parse fails;
 * one that parses was right, as a JSON value has only one end. After a failure all is scanned.
 */
export class ListParser<T extends object> {
  readonly #onItem: (item: T) => void;
  readonly #omitManagedFields: boolean;
  readonly #maxItemBytes: number;
  readonly #batchBytes: number;
  readonly #scanner: ListScanner;
  /** What stands between two items and at the start of the second; undefined: not known yet. */
  #boundary: Buffer | undefined;
  #mode: 'learning' | 'batches' | 'scanning' = 'learning';
  /** In `batches`: the bytes since the start of an item. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Items that were scanned and wait to be parsed together. */
  #texts: string[] = [];
  #textLength = 0;

  constructor(options: ListParserOptions<T>) {
    this.#onItem = options.onItem;
    this.#omitManagedFields = options.omitManagedFields === true;
    this.#maxItemBytes = options.maxItemBytes ?? defaultMaxItem;
    this.#batchBytes = options.batchBytes ?? defaultBatch;
    this.#scanner = new ListScanner({
      onItem: (bytes) => this.#scanned(bytes),
      maxItemBytes: this.#maxItemBytes,
    });
  }

  push(chunk: Buffer): void {
    if (this.#mode === 'batches') {
      this.#pushBatch(chunk);
      return;
    }
    this.#scanner.push(chunk);
    if (this.#mode === 'learning' && this.#boundary !== undefined) this.#startBatches();
  }

  /** The list without its items, as JSON text. */
  finish(): string {
    if (this.#mode === 'batches') this.#scanPending();
    const envelope = this.#scanner.finish();
    this.#parseTexts();
    return envelope;
  }

  #startBatches(): void {
    const partial = this.#scanner.takePartialItem();
    if (partial === undefined) return;
    this.#parseTexts();
    this.#mode = 'batches';
    this.#pending = partial;
    this.#pendingBytes = partial.reduce((sum, bytes) => sum + bytes.length, 0);
  }

  #pushBatch(chunk: Buffer): void {
    const isDue = this.#pendingBytes + chunk.length >= this.#batchBytes;
    const at = isDue ? chunk.lastIndexOf(this.#boundary as Buffer) : -1;
    if (at < 0) {
      this.#keep(chunk);
      return;
    }
    this.#keep(chunk.subarray(0, at + 1));
    const items = this.#parsePending();
    if (items === undefined) {
      this.#scanPending();
      this.#scanner.push(chunk.subarray(at + 1));
      return;
    }
    this.#pending = [];
    this.#pendingBytes = 0;
    // Past the comma, so that what is pending starts with an item again.
    this.#keep(chunk.subarray(at + 2));
    for (const item of items) this.#onItem(item);
  }

  #parsePending(): T[] | undefined {
    const bytes = Buffer.allocUnsafe(this.#pendingBytes + 2);
    bytes[0] = 0x5b;
    let at = 1;
    for (const part of this.#pending) at += part.copy(bytes, at);
    bytes[at] = 0x5d;
    // A partial item that was taken over may stand after the comma of the one before.
    let start = 1;
    while (bytes[start] === 0x2c || (bytes[start] as number) <= 0x20) bytes[start++] = 0x20;
    return this.#omitManagedFields ? this.#parseCut(bytes) : parsed(bytes);
  }

  /** Undefined also when managed fields may have been cut from the wrong place. */
  #parseCut(batch: Buffer): T[] | undefined {
    const boundary = this.#boundary as Buffer;
    const cut = cutManagedFields(batch, boundary);
    const items = cut && parsed<T>(cut.bytes);
    return items && isCutRight(items, cut.itemCount, boundary) ? items : undefined;
  }

  #scanPending(): void {
    this.#mode = 'scanning';
    for (const part of this.#pending) this.#scanner.push(part);
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  #keep(bytes: Buffer): void {
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > this.#maxItemBytes) {
      throw new KubeError('WG_KUBE_DECODE', `an item of over ${this.#maxItemBytes} bytes`);
    }
    this.#pending.push(bytes);
  }

  #scanned(bytes: Buffer): void {
    if (this.#mode === 'learning') this.#boundary ??= boundaryOf(bytes);
    const text = itemText(bytes, this.#omitManagedFields);
    this.#texts.push(text);
    this.#textLength += text.length;
    if (this.#textLength >= this.#batchBytes) this.#parseTexts();
  }

  #parseTexts(): void {
    if (this.#texts.length === 0) return;
    let items: T[];
    try {
      items = JSON.parse(`[${this.#texts.join(',')}]`) as T[];
    } catch (error) {
      throw new KubeError('WG_KUBE_DECODE', 'an item of the list is not JSON', { cause: error });
    }
    this.#texts = [];
    this.#textLength = 0;
    for (const item of items) this.#onItem(item);
  }
}

/** Undefined when the bytes are no JSON array. */
function parsed<T>(bytes: Buffer): T[] | undefined {
  try {
    return JSON.parse(textOf(bytes)) as T[];
  } catch {
    return undefined;
  }
}

/** `},` and the item's start: its first key, and the first value as well when that is a text. */
function boundaryOf(item: Buffer): Buffer | undefined {
  const start = /^\{"[A-Za-z]+":(?:"[^"\\]*"|\{|)/.exec(
    item.toString('latin1', 0, maxPattern),
  )?.[0];
  return start === undefined ? undefined : Buffer.from(`},${start}`, 'latin1');
}
