const block = 512;
/** Links, devices and directories have no content, whatever their header says. */
const withoutContent = new Set(['1', '2', '3', '4', '5', '6']);

/**
 * Follows the bytes of a tar archive and knows whether its end was seen: a block of zeros where a
 * header would be. Without one, what looks like the last file may be the last before a cut.
 */
export class TarEnd {
  #isSeen = false;
  #skip = 0;
  #header: Buffer = Buffer.alloc(0);

  /** Whether the archive came to its end. */
  get isWhole(): boolean {
    return this.#isSeen;
  }

  feed(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.#isSeen) {
      if (this.#skip > 0) {
        const passed = Math.min(this.#skip, chunk.length - at);
        this.#skip -= passed;
        at += passed;
        continue;
      }
      const part = chunk.subarray(at, at + block - this.#header.length);
      this.#header = this.#header.length === 0 ? part : Buffer.concat([this.#header, part]);
      at += part.length;
      if (this.#header.length < block) continue;
      this.#isSeen = this.#header.every((byte) => byte === 0);
      const size = withoutContent.has(String.fromCharCode(this.#header[156] ?? 0))
        ? 0
        : sizeIn(this.#header);
      this.#skip = Math.ceil(size / block) * block;
      this.#header = Buffer.alloc(0);
    }
  }
}

/** Octal digits, or a number in binary where those would not do. */
function sizeIn(header: Buffer): number {
  const field = header.subarray(124, 136);
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(field.readBigUInt64BE(4));
  return Number.parseInt(field.toString('latin1').replace(/[^0-7]/g, ' '), 8) || 0;
}
