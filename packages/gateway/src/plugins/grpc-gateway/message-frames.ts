/** The messages of a gRPC body, taken out of it as they become whole. */
export class MessageFrames {
  readonly #mostBytes: number;
  /** What came since the last whole message; joined only when that is enough for the next one. */
  #pieces: Buffer[] = [];
  #length = 0;
  #needed = headBytes;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  push(bytes: Buffer): Buffer[] {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    const messages: Buffer[] = [];
    while (this.#length >= this.#needed) {
      const all =
        this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
      this.#pieces = [all];
      const end = headBytes + all.readUInt32BE(1);
      // Nobody waits for more than anybody would send: the rest goes through as it is.
      if (end > this.#mostBytes) this.#needed = Number.POSITIVE_INFINITY;
      else if (end > all.length) this.#needed = end;
      else {
        messages.push(all.subarray(headBytes, end));
        this.#pieces = [all.subarray(end)];
        this.#length -= end;
        this.#needed = headBytes;
      }
    }
    return messages;
  }

  /** What is left at the end and is no message. */
  rest(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

/** A flag and the length. */
const headBytes = 5;

/** A message as it stands in a body; `flag` tells trailers and compressed ones from others. */
export function framed(message: Buffer, flag = 0): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(flag, 0);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
