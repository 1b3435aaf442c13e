import { type KeyKind, keyKind, kindOf, type TextKey } from './text-key.ts';

/** Where in a link's record its parts are. The length of a text and the kind of its key share one. */
const place = { offset: 0, host: 1, path: 2 } as const;
/** A power of two, so that no record stands in two lines of memory. */
const recordSize = 4;
const kindBits = 2;

/**
 * Links between the keys of a host and a path and the candidate that asks for both. They stand in a few
 * long arrays instead of objects: with a hundred thousand routes every object that a look-up goes
 * through is a miss of the processor's caches, and these arrays stay in them.
 */
export class LinkStore<T> {
  #records = new Int32Array(64 * recordSize);
  /** The texts of all links, one after the other: that of the host, then that of the path. */
  #texts: Uint8Array | Uint16Array = new Uint8Array(1_024);
  #textsEnd = 0;
  #garbage = 0;
  readonly #candidates: (T | undefined)[] = [];
  readonly #free: number[] = [];
  #size = 0;

  add(candidate: T, host: TextKey | null, path: TextKey | null): number {
    const link = this.#free.pop() ?? this.#grow();
    const at = link * recordSize;
    const [hostText, pathText] = [host?.text ?? '', path?.text ?? ''];
    this.#records[at + place.host] = (hostText.length << kindBits) | kindOf(host);
    this.#records[at + place.path] = (pathText.length << kindBits) | kindOf(path);
    this.#records[at + place.offset] = this.#write(hostText, pathText);
    this.#candidates[link] = candidate;
    return link;
  }

  remove(link: number): void {
    this.#garbage += this.#lengthOf(link);
    this.#candidates[link] = undefined;
    this.#free.push(link);
    if (this.#garbage > 65_536 && this.#garbage > this.#textsEnd / 2) {
      this.#compact();
    }
  }

  candidate(link: number): T {
    return this.#candidates[link] as T;
  }

  /** Whether a host and a path are as the keys of a link ask for. */
  fits(link: number, host: string, path: string): boolean {
    const at = link * recordSize;
    const offset = this.#records[at + place.offset] ?? 0;
    const hostPart = this.#records[at + place.host] ?? 0;
    const pathPart = this.#records[at + place.path] ?? 0;
    return (
      this.#fitsText(hostPart, offset, host) &&
      this.#fitsText(pathPart, offset + (hostPart >> kindBits), path)
    );
  }

  isOf(link: number, candidate: T, host: TextKey | null, path: TextKey | null): boolean {
    const at = link * recordSize;
    const offset = this.#records[at + place.offset] ?? 0;
    const hostPart = this.#records[at + place.host] ?? 0;
    const pathPart = this.#records[at + place.path] ?? 0;
    return (
      this.#candidates[link] === candidate &&
      this.#isKey(hostPart, offset, host) &&
      this.#isKey(pathPart, offset + (hostPart >> kindBits), path)
    );
  }

  /** How much of the path the link's key stands for; undefined without a key. */
  pathLength(link: number): number | undefined {
    const part = this.#records[link * recordSize + place.path] ?? 0;
    return (part & 3) === keyKind.any ? undefined : part >> kindBits;
  }

  #fitsText(part: number, offset: number, text: string): boolean {
    const kind = (part & 3) as KeyKind;
    const length = part >> kindBits;
    if (kind === keyKind.any) {
      return true;
    }
    if (kind === keyKind.equal ? text.length !== length : text.length < length) {
      return false;
    }
    const start = kind === keyKind.suffix ? text.length - length : 0;
    const texts = this.#texts;
    for (let index = 0; index < length; index += 1) {
      if (texts[offset + index] !== text.charCodeAt(start + index)) {
        return false;
      }
    }
    return true;
  }

  #isKey(part: number, offset: number, key: TextKey | null): boolean {
    const text = key?.text ?? '';
    return (
      (part & 3) === kindOf(key) &&
      part >> kindBits === text.length &&
      this.#fitsText((text.length << kindBits) | keyKind.equal, offset, text)
    );
  }

  #lengthOf(link: number): number {
    const at = link * recordSize;
    return (
      ((this.#records[at + place.host] ?? 0) >> kindBits) +
      ((this.#records[at + place.path] ?? 0) >> kindBits)
    );
  }

  #grow(): number {
    const link = this.#size;
    this.#size += 1;
    if (this.#size * recordSize > this.#records.length) {
      const records = new Int32Array(this.#records.length * 2);
      records.set(this.#records);
      this.#records = records;
    }
    return link;
  }

  #write(host: string, path: string): number {
    const offset = this.#textsEnd;
    const text = host + path;
    const end = offset + text.length;
    const isWide = this.#texts instanceof Uint16Array || hasWideCharacter(text);
    if (end > this.#texts.length || isWide !== this.#texts instanceof Uint16Array) {
      const length = end > this.#texts.length ? end * 2 : this.#texts.length;
      const texts = isWide ? new Uint16Array(length) : new Uint8Array(length);
      texts.set(this.#texts);
      this.#texts = texts;
    }
    for (let index = 0; index < text.length; index += 1) {
      this.#texts[offset + index] = text.charCodeAt(index);
    }
    this.#textsEnd = end;
    return offset;
  }

  /** Closes the gaps that removed links left among the texts. */
  #compact(): void {
    const texts = this.#texts.slice();
    let end = 0;
    for (let link = 0; link < this.#size; link += 1) {
      if (this.#candidates[link] === undefined) {
        continue;
      }
      const at = link * recordSize;
      const offset = this.#records[at + place.offset] ?? 0;
      const length = this.#lengthOf(link);
      texts.set(this.#texts.subarray(offset, offset + length), end);
      this.#records[at + place.offset] = end;
      end += length;
    }
    this.#texts = texts;
    this.#textsEnd = end;
    this.#garbage = 0;
  }
}

/** Whether a text has a character that takes more than a byte. */
function hasWideCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0xff) {
      return true;
    }
  }
  return false;
}
