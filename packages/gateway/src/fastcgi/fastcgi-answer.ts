/** Who hears what an application answers. */
interface AnswerListener {
  /** Bytes of the answer as HTTP/1.1 has them. Returns false to get no more for now. */
  onBytes(bytes: Buffer): boolean;
  /** What it wrote to its error stream, cut short. */
  onComplaint(text: string): void;
}

const types = { end: 3, stdout: 6, stderr: 7 } as const;
const headBytes = 8;
const maximumHeadBytes = 64 * 1_024;
const maximumComplaintBytes = 2 * 1_024;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** They speak of a connection that the application does not have. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads the records of one FastCGI answer, and says the same as HTTP/1.1: whoever reads answers of
 * upstreams reads these too. Nothing but an incomplete head is held.
 */
export class FastCgiAnswer {
  readonly #listener: AnswerListener;
  /** The head of a record that is not complete. */
  #record = Buffer.alloc(0);
  #type = 0;
  #content = 0;
  #padding = 0;
  /** The head of the answer as far as it came; undefined once it is complete. */
  #head: string | undefined = '';
  /** What is still to come of a body whose length is known; undefined for one in chunks. */
  #left: number | undefined;
  #end = Buffer.alloc(0);
  #complaint = '';

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  /**
   * @returns false to get no more for now
   * @throws Error if this is no answer
   */
  feed(chunk: Buffer): boolean {
    let isFree = true;
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#content > 0) {
        const piece = rest.subarray(0, this.#content);
        this.#content -= piece.length;
        rest = rest.subarray(piece.length);
        isFree = this.#take(piece) && isFree;
      } else if (this.#padding > 0) {
        const skipped = Math.min(rest.length, this.#padding);
        this.#padding -= skipped;
        rest = rest.subarray(skipped);
      } else {
        rest = this.#readRecordHead(rest);
      }
    }
    return isFree;
  }

  #readRecordHead(bytes: Buffer): Buffer {
    const missing = headBytes - this.#record.length;
    this.#record = Buffer.concat([this.#record, bytes.subarray(0, missing)]);
    if (this.#record.length === headBytes) {
      const record = this.#record;
      if (record[0] !== 1) throw new Error('this is no FastCGI');
      this.#type = record[1] ?? 0;
      this.#content = record.readUInt16BE(4);
      this.#padding = record[6] ?? 0;
      this.#record = Buffer.alloc(0);
    }
    return bytes.subarray(missing);
  }

  #take(piece: Buffer): boolean {
    switch (this.#type) {
      case types.stdout:
        return this.#head === undefined ? this.#takeBody(piece) : this.#takeHead(this.#head, piece);
      case types.stderr:
        this.#complain(piece);
        return true;
      case types.end:
        return this.#takeEnd(piece);
      default:
        return true;
    }
  }

  #takeHead(before: string, piece: Buffer): boolean {
    const text = before + piece.toString('latin1');
    // The end may have begun in what came before, by three characters at most.
    const blank = /\r?\n\r?\n/g;
    blank.lastIndex = Math.max(0, before.length - 3);
    const end = blank.exec(text);
    if (end === null) {
      if (text.length > maximumHeadBytes) throw new Error('the head of the answer is too long');
      this.#head = text;
      return true;
    }
    this.#head = undefined;
    const head = readHead(text.slice(0, end.index));
    this.#left = head.length;
    const isFree = this.#listener.onBytes(Buffer.from(head.text, 'latin1'));
    const body = Buffer.from(text.slice(end.index + end[0].length), 'latin1');
    return this.#takeBody(body) && isFree;
  }

  #takeBody(piece: Buffer): boolean {
    if (piece.length === 0) return true;
    if (this.#left === undefined) {
      const size = Buffer.from(`${piece.length.toString(16)}\r\n`, 'latin1');
      return this.#listener.onBytes(Buffer.concat([size, piece, Buffer.from('\r\n')]));
    }
    // More than was announced is nobody's.
    const announced = piece.subarray(0, this.#left);
    this.#left -= announced.length;
    return announced.length === 0 || this.#listener.onBytes(announced);
  }

  #takeEnd(piece: Buffer): boolean {
    this.#end = Buffer.concat([this.#end, piece]).subarray(0, headBytes);
    if (this.#end.length < headBytes) return true;
    if (this.#end[4] !== 0) throw new Error('the application refuses the request');
    if (this.#head !== undefined || (this.#left ?? 0) > 0) {
      throw new Error('the answer ends in the middle');
    }
    return this.#left === undefined ? this.#listener.onBytes(Buffer.from('0\r\n\r\n')) : true;
  }

  #complain(piece: Buffer): void {
    const room = maximumComplaintBytes - this.#complaint.length;
    const text = piece.toString('latin1').slice(0, Math.max(0, room)).trim();
    if (text !== '') {
      this.#complaint += text;
      this.#listener.onComplaint(text);
    }
  }
}

/** Turns the head of a CGI answer into one of HTTP/1.1, with the length that it announces. */
function readHead(head: string): { readonly text: string; readonly length: number | undefined } {
  let status: string | undefined;
  let length: string | undefined;
  let hasLocation = false;
  let lines = '';
  for (const line of head.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    const value = line.slice(colon + 1).trim();
    if (!token.test(name)) throw new Error('a header has no valid name');
    const lower = name.toLowerCase();
    hasLocation ||= lower === 'location';
    if (lower === 'status') {
      status = value.slice(0, 3);
    } else if (lower === 'content-length') {
      if (length !== undefined && length !== value) throw new Error('there are two lengths');
      length = value;
    } else if (!ofConnection.has(lower)) {
      lines += `${name}: ${value}\r\n`;
    }
  }
  const code = status ?? (hasLocation ? '302' : '200');
  if (!/^[2-9]\d\d$/.test(code) || (length !== undefined && !/^\d{1,15}$/.test(length))) {
    throw new Error('the status or the length is no number');
  }
  const framing =
    length === undefined ? 'Transfer-Encoding: chunked\r\n' : `Content-Length: ${length}\r\n`;
  return {
    text: `HTTP/1.1 ${code} \r\n${lines}${framing}Connection: close\r\n\r\n`,
    length: length === undefined ? undefined : Number(length),
  };
}
