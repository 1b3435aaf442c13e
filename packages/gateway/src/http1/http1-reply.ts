import type { Socket } from 'node:net';
import type { Reply } from '../exchange/reply.ts';
import { checkHead, dateLine, headerLines, statusLine } from './head-text.ts';
import type { RequestHead } from './request-head.ts';

/** What a reply needs of the connection that it belongs to. */
export interface ReplyOwner {
  readonly socket: Socket;
  /** False once this answer is the last. */
  readonly mayContinue: boolean;
  /** Whether all of the request is there. */
  readonly isBodyRead: boolean;
  onReplyDone(isReusable: boolean): void;
  release(): Buffer;
}

/** Bodies up to this are written in one piece with their heads. */
const maximumJoinedBytes = 16 * 1_024;

/** An answer on an HTTP/1 connection. */
export class Http1Reply implements Reply {
  readonly #owner: ReplyOwner;
  readonly #head: RequestHead;
  onDrain: (() => void) | undefined;
  #closeListeners: (() => void)[] = [];
  #isHeadSent = false;
  #isKept: boolean;
  #isChunked = false;
  #isContinueSent = false;
  #hasBody = true;
  #isDone = false;

  constructor(owner: ReplyOwner, head: RequestHead) {
    this.#owner = owner;
    this.#head = head;
    this.#isKept = head.isKeepAlive;
  }

  get isHeadSent(): boolean {
    return this.#isHeadSent;
  }

  sendHead(status: number, headers: string[]): void {
    if (!this.#isHeadSent && !this.#isDone) {
      this.#owner.socket.write(this.#headText(status, headers, undefined), 'latin1');
    }
  }

  sendWhole(status: number, headers: string[], body: Buffer | string): void {
    if (this.#isHeadSent || this.#isDone) return;
    const { socket } = this.#owner;
    const text = this.#headText(status, headers, body.length);
    const sent = this.#hasBody ? body : '';
    if (typeof sent === 'string') {
      socket.write(text + sent, 'latin1');
    } else if (sent.length <= maximumJoinedBytes) {
      socket.write(text + sent.toString('latin1', 0, sent.length), 'latin1');
    } else {
      socket.cork();
      socket.write(text, 'latin1');
      socket.write(sent);
      socket.uncork();
    }
    this.#finish();
  }

  write(chunk: Buffer): boolean {
    const { socket } = this.#owner;
    if (this.#isDone || !this.#hasBody || chunk.length === 0) return true;
    if (!this.#isChunked) return socket.write(chunk);
    socket.cork();
    socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
    socket.write(chunk);
    const isFree = socket.write('\r\n', 'latin1');
    socket.uncork();
    return isFree;
  }

  end(trailers: readonly string[]): void {
    if (this.#isDone) return;
    if (this.#isChunked && this.#hasBody) {
      this.#owner.socket.write(checkHead(`0\r\n${headerLines(trailers)}\r\n`), 'latin1');
    }
    this.#finish();
  }

  sendContinue(): void {
    if (!this.#isHeadSent && !this.#isDone && this.#head.expectsContinue) {
      this.#isContinueSent = true;
      this.#owner.socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1');
    }
  }

  abort(): void {
    // Once an answer is out, be it one of another's, the client is left to read it.
    if (!this.#isDone) this.#owner.socket.destroy();
  }

  closeAfter(): void {
    this.#isKept = false;
  }

  whenClosed(listener: () => void): void {
    if (this.#isDone) {
      listener();
    } else {
      this.#closeListeners.push(listener);
    }
  }

  takeSocket(): { socket: Socket; head: Buffer } | undefined {
    if (this.#isDone || this.#isHeadSent) return undefined;
    this.#isHeadSent = true;
    return { socket: this.#owner.socket, head: this.#owner.release() };
  }

  /** The connection is gone, or belongs to another protocol whose end this is. */
  close(): void {
    if (!this.#isDone) {
      this.#isDone = true;
      this.#tell();
    }
  }

  #headText(status: number, headers: string[], bodyLength: number | undefined): string {
    this.#isHeadSent = true;
    const { version, method } = this.#head;
    let hasLength = false;
    let hasDate = false;
    for (let index = 0; index < headers.length; index += 2) {
      const name = headers[index] ?? '';
      hasLength ||= name.length === 14 && name.toLowerCase() === 'content-length';
      hasDate ||= name.length === 4 && name.toLowerCase() === 'date';
    }
    const mayHaveBody = status >= 200 && status !== 204 && status !== 304;
    this.#hasBody = mayHaveBody && method !== 'HEAD';
    let text = statusLine(status) + headerLines(headers);
    if (!hasDate) text += dateLine(Date.now());
    // What the body of a GET would have is the upstream's to say.
    if (this.#hasBody && !hasLength) {
      if (bodyLength !== undefined) {
        text += `Content-Length: ${bodyLength}\r\n`;
      } else if (version === '1.1') {
        this.#isChunked = true;
        text += 'Transfer-Encoding: chunked\r\n';
      } else {
        this.#isKept = false;
      }
    }
    // A client that was not told to send its body may or may not: what comes next cannot be trusted.
    const isUnclear =
      this.#head.expectsContinue && !this.#isContinueSent && !this.#owner.isBodyRead;
    this.#isKept &&= this.#owner.mayContinue && !isUnclear;
    text += this.#isKept ? 'Connection: keep-alive\r\n\r\n' : 'Connection: close\r\n\r\n';
    return checkHead(text);
  }

  #finish(): void {
    this.#isDone = true;
    this.onDrain = undefined;
    this.#owner.onReplyDone(this.#isKept && this.#isHeadSent);
    this.#tell();
  }

  #tell(): void {
    const listeners = this.#closeListeners;
    this.#closeListeners = [];
    for (const listener of listeners) listener();
  }
}
