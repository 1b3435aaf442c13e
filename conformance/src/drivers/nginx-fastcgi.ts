/** Reads one FastCGI request, and makes the answer that the recordings' responder gave. */
export class FastCgiRequest {
  readonly #onRequest: (params: Record<string, string>, answer: Buffer) => void;
  #buffer = Buffer.alloc(0);
  #params = Buffer.alloc(0);

  constructor(onRequest: (params: Record<string, string>, answer: Buffer) => void) {
    this.#onRequest = onRequest;
  }

  take(data: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, data]);
    while (this.#buffer.length >= 8) {
      const type = this.#buffer[1];
      const id = this.#buffer.readUInt16BE(2);
      const length = this.#buffer.readUInt16BE(4);
      const end = 8 + length + (this.#buffer[6] ?? 0);
      if (this.#buffer.length < end) return;
      const content = this.#buffer.subarray(8, 8 + length);
      this.#buffer = this.#buffer.subarray(end);
      if (type === 4) this.#params = Buffer.concat([this.#params, content]);
      if (type === 5 && length === 0) this.#onRequest(readPairs(this.#params), answer(id));
    }
  }
}

function readPairs(bytes: Buffer): Record<string, string> {
  const pairs: Record<string, string> = {};
  let at = 0;
  const size = () => {
    const first = bytes[at] ?? 0;
    const isLong = (first & 0x80) !== 0;
    const value = isLong ? bytes.readUInt32BE(at) & 0x7fffffff : first;
    at += isLong ? 4 : 1;
    return value;
  };
  while (at < bytes.length) {
    const [nameSize, valueSize] = [size(), size()];
    const name = bytes.subarray(at, at + nameSize).toString();
    pairs[name] = bytes.subarray(at + nameSize, at + nameSize + valueSize).toString();
    at += nameSize + valueSize;
  }
  return pairs;
}

function answer(id: number): Buffer {
  const record = (type: number, content: Buffer) => {
    const head = [1, type, id >> 8, id & 255, content.length >> 8, content.length & 255, 0, 0];
    return Buffer.concat([Buffer.from(head), content]);
  };
  const body = Buffer.from('Content-Type: text/plain\r\n\r\nfcgi ok\n');
  return Buffer.concat([record(6, body), record(6, Buffer.alloc(0)), record(3, Buffer.alloc(8))]);
}
