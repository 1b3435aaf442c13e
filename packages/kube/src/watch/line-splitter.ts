import { KubeError } from '../error.ts';

const newline = 0x0a;

/** Cuts a stream of bytes into lines, whatever the chunks; a character may be split as well. */
export class LineSplitter {
  readonly #maxLineBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that end in this chunk. Views of it where they can be. */
  *push(chunk: Buffer): Generator<Buffer> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      if (end < 0) break;
      const rest = chunk.subarray(start, end);
      start = end + 1;
      if (this.#pending.length === 0) {
        this.#check(rest.length);
        yield rest;
        continue;
      }
      this.#keep(rest);
      const line = Buffer.concat(this.#pending, this.#pendingBytes);
      this.#pending = [];
      this.#pendingBytes = 0;
      yield line;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** What came after the last newline. */
  rest(): Buffer {
    return Buffer.concat(this.#pending, this.#pendingBytes);
  }

  #keep(bytes: Buffer): void {
    this.#pendingBytes += bytes.length;
    this.#check(this.#pendingBytes);
    this.#pending.push(bytes);
  }

  #check(size: number): void {
    if (size <= this.#maxLineBytes) return;
    throw new KubeError('WG_KUBE_DECODE', `a line of over ${this.#maxLineBytes} bytes`);
  }
}
