import type { Socket } from 'node:net';
import type { ConnectionFacts } from '../exchange/client-facts.ts';
import { type ClientLimits, defaultClientLimits } from '../exchange/client-limits.ts';
import type { Reply } from '../exchange/reply.ts';
import type { ServerRequest } from '../exchange/server-request.ts';
import { createBodyDecoder } from './body-decoder.ts';
import { HeaderSyntaxError } from './header-block.ts';
import { Http1Body } from './http1-body.ts';
import { Http1Reply, type ReplyOwner } from './http1-reply.ts';
import { Http1Request } from './http1-request.ts';
import { type RefusalPage, refusal } from './refusal.ts';
import { parseRequestHead, type RefusedHead, type RequestHead } from './request-head.ts';
import {
  headEnd,
  http2Preface,
  incompleteProblem,
  maximumHeadBytes,
  skipEmptyLines,
  startsAsHttp2,
} from './request-start.ts';
import { linger, unsentBytes } from './socket-end.ts';

/** Who takes the requests of a connection. */
export interface RequestHandler {
  handle(request: ServerRequest, reply: Reply, connection: ConnectionFacts): void;
}

/** A client may send ahead this much before it is made to wait. */
const maximumAheadBytes = 64 * 1_024;

/**
 * One client's HTTP/1 connection: reads requests one after the other, and has each answered before it
 * looks at the next. What cannot be understood in exactly one way is refused, and ends the connection.
 */
export class ServerConnection implements ReplyOwner {
  readonly socket: Socket;
  readonly #handler: RequestHandler;
  readonly #facts: () => ConnectionFacts;
  readonly #limits: ClientLimits;
  /** Takes the connection of a client that starts to speak HTTP/2 without asking. */
  readonly #onHttp2: ((socket: Socket) => void) | undefined;
  readonly #refusalPage: (() => RefusalPage | undefined) | undefined;
  /** Bytes that came and are not used yet. */
  #ahead: Buffer | undefined;
  #reply: Http1Reply | undefined;
  #body: Http1Body | undefined;
  #isReading = false;
  #isLast = false;
  #isReleased = false;
  #isPaused = false;
  /** On the clock of `performance.now()`: when something last came, or the state changed. */
  #activeAt = performance.now();
  /** When the first byte of the head that is not complete came: all of it has to come in time. */
  #headStartedAt = this.#activeAt;
  /** When the last answer was out. */
  #answeredAt = 0;
  #requests = 0;
  /** Bytes that wait for the client to take them, and when there last were others. */
  #unsent = 0;
  #sentAt = this.#activeAt;
  /** When the client said that nothing more comes, or got something after that; 0 before. */
  #endedAt = 0;
  #written = 0;

  constructor(
    socket: Socket,
    handler: RequestHandler,
    facts: () => ConnectionFacts,
    limits: ClientLimits = defaultClientLimits,
    onHttp2?: (socket: Socket) => void,
    refusalPage?: () => RefusalPage | undefined,
  ) {
    this.socket = socket;
    this.#handler = handler;
    this.#facts = facts;
    this.#limits = limits;
    this.#onHttp2 = onHttp2;
    this.#refusalPage = refusalPage;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onClose);
    socket.on('drain', this.#onDrain);
    socket.on('error', this.#onError);
  }

  get mayContinue(): boolean {
    return !this.#isLast;
  }

  get isBodyRead(): boolean {
    return this.#body === undefined || this.#body.decoder.isDone;
  }

  /** Ends now if nothing is under way, otherwise after the answer. */
  drain(): void {
    this.#isLast = true;
    if (this.#reply === undefined && !this.#isReleased) this.socket.destroy();
  }

  /** Whether it only waits for another request, or is on its way out. */
  get isIdle(): boolean {
    const isWaiting = this.#reply === undefined && this.#ahead === undefined && !this.#isReleased;
    return isWaiting || this.socket.destroyed;
  }

  /** Ends connections that hold on for too long. Called now and then. */
  checkTime(now: number): void {
    if (this.#isReleased || this.socket.writableEnded) return;
    const { sendTimeoutMs, bodyTimeoutMs } = this.#limits;
    if (this.#isNotTaken(now, sendTimeoutMs)) {
      this.socket.destroy();
    } else if (this.#reply === undefined) {
      this.#checkIdle(now);
    } else if (!this.isBodyRead && !this.#isPaused && now - this.#activeAt > bodyTimeoutMs) {
      this.#refuseBody(408, new Error('the body did not come in time'));
    } else if (this.#endedAt > 0 && this.#isLeft(now)) {
      this.socket.destroy();
    }
  }

  /** Whether a client that says no more got nothing for so long that it may as well be gone. */
  #isLeft(now: number): boolean {
    const { bytesWritten } = this.socket;
    if (bytesWritten !== this.#written) {
      this.#written = bytesWritten;
      this.#endedAt = now;
    }
    return now - this.#endedAt > this.#limits.sendTimeoutMs;
  }

  /** Whether the client has taken nothing for so long of what waits for it. */
  #isNotTaken(now: number, timeoutMs: number): boolean {
    const unsent = this.socket.writableLength === 0 ? 0 : unsentBytes(this.socket);
    if (unsent === 0 || unsent !== this.#unsent) {
      this.#unsent = unsent;
      this.#sentAt = now;
    }
    return now - this.#sentAt > timeoutMs;
  }

  #checkIdle(now: number): void {
    const { headTimeoutMs, bodyTimeoutMs, keepAliveMs, lingerMs } = this.#limits;
    if (this.#body !== undefined) {
      const isStalled = !this.#isPaused && now - this.#activeAt > bodyTimeoutMs;
      if (isStalled || now - this.#answeredAt > lingerMs) this.socket.destroy();
    } else if (this.#ahead !== undefined) {
      if (now - this.#headStartedAt > headTimeoutMs) this.#refuse(408);
    } else if (now - this.#activeAt > (this.#requests === 0 ? headTimeoutMs : keepAliveMs)) {
      this.socket.destroy();
    }
  }

  onReplyDone(isReusable: boolean): void {
    this.#reply = undefined;
    this.#activeAt = performance.now();
    this.#answeredAt = this.#activeAt;
    if (!isReusable || this.#isLast) {
      this.#endSocket();
      return;
    }
    if (this.#body !== undefined && !this.#body.decoder.isDone) {
      this.#body.discard();
      return;
    }
    this.#body = undefined;
    this.#headStartedAt = this.#activeAt;
    if (this.#ahead !== undefined && !this.#isReading) this.#readRequests();
    if (!this.socket.writableNeedDrain) this.#unpause();
  }

  /** Gives the socket away; returns what the client sent behind its request. */
  release(): Buffer {
    this.#isReleased = true;
    const { socket } = this;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('drain', this.#onDrain);
    socket.pause();
    const head = this.#ahead ?? Buffer.alloc(0);
    this.#ahead = undefined;
    return head;
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#activeAt = performance.now();
    if (this.#ahead === undefined) {
      this.#headStartedAt = this.#activeAt;
      this.#ahead = chunk;
    } else {
      this.#ahead = Buffer.concat([this.#ahead, chunk]);
    }
    if (this.#body !== undefined) this.#readBody(this.#body);
    if (this.#reply === undefined && this.#body === undefined) this.#readRequests();
    if ((this.#ahead?.length ?? 0) > maximumAheadBytes) this.#pause();
  };

  readonly #onEnd = (): void => {
    this.#isLast = true;
    this.#endedAt = performance.now();
    if (!this.isBodyRead) {
      this.socket.destroy();
    } else if (this.#reply === undefined) {
      this.socket.end();
    }
  };

  readonly #onDrain = (): void => {
    this.#reply?.onDrain?.();
    // A client that takes its answers gets the next ones.
    if (this.#reply === undefined && this.#body === undefined && !this.#isReading) {
      this.#readRequests();
      this.#unpause();
    }
  };

  readonly #onError = (): void => {
    this.socket.destroy();
  };

  readonly #onClose = (): void => {
    const body = this.#body;
    if (body !== undefined && !body.decoder.isDone) {
      body.destroy(new Error('the client closed the connection'));
    }
    this.#reply?.close();
    this.#reply = undefined;
    this.#ahead = undefined;
  };

  /** As many as are there and can be answered at once; a loop, since clients may send very many. */
  #readRequests(): void {
    this.#isReading = true;
    while (
      this.#ahead !== undefined &&
      this.#reply === undefined &&
      this.#body === undefined &&
      !this.socket.destroyed &&
      !this.socket.writableEnded &&
      !this.socket.writableNeedDrain &&
      this.#readRequest(this.#ahead)
    ) {
      // The next one is read in the condition.
    }
    this.#isReading = false;
  }

  /** False if the request is not complete. */
  #readRequest(bytes: Buffer): boolean {
    if (this.#requests === 0 && this.#onHttp2 !== undefined && startsAsHttp2(bytes)) {
      if (bytes.length >= http2Preface.length) {
        this.socket.unshift(this.release());
        this.#onHttp2(this.socket);
      }
      return false;
    }
    const start = skipEmptyLines(bytes);
    const end = bytes.indexOf(headEnd, start);
    if (end === -1 || end - start > maximumHeadBytes) {
      const problem = incompleteProblem(bytes, start);
      if (problem !== undefined) this.#refuse(problem);
      return false;
    }
    const head = parseRequestHead(bytes.toString('latin1', start, end));
    if ('method' in head) {
      const rest = end + headEnd.length;
      this.#ahead = rest === bytes.length ? undefined : bytes.subarray(rest);
      this.#handle(head);
      return true;
    }
    this.#refuse((head satisfies RefusedHead).status);
    return false;
  }

  #handle(head: RequestHead): void {
    const { framing } = head;
    if (framing.kind !== 'none') {
      this.#body = new Http1Body(createBodyDecoder(framing), () => this.#unpause());
    }
    this.#requests += 1;
    if (this.#requests >= this.#limits.keepAliveRequests) this.#isLast = true;
    const reply = new Http1Reply(this, head);
    this.#reply = reply;
    const request = new Http1Request(head, this.#body);
    if (this.#body !== undefined && this.#ahead !== undefined) this.#readBody(this.#body);
    if (!this.socket.destroyed && this.#reply === reply) {
      this.#handler.handle(request, reply, this.#facts());
    }
  }

  #readBody(body: Http1Body): void {
    const bytes = this.#ahead;
    if (bytes === undefined) return;
    try {
      const { used, isFull } = body.feed(bytes);
      this.#ahead = used === bytes.length ? undefined : bytes.subarray(used);
      if (isFull) this.#pause();
    } catch (error) {
      if (!(error instanceof HeaderSyntaxError)) throw error;
      this.#refuseBody(400, error);
      return;
    }
    if (body.decoder.isDone && this.#reply === undefined) this.#body = undefined;
  }

  /** A body that cannot be read, or does not come: the answer, if none is out, says so. */
  #refuseBody(status: number, error: Error): void {
    const reply = this.#reply;
    this.#body?.destroy(error);
    if (reply === undefined || reply.isHeadSent) {
      this.socket.destroy();
      return;
    }
    this.#reply = undefined;
    this.#refuse(status);
    reply.close();
  }

  #refuse(status: number): void {
    this.#isLast = true;
    this.#ahead = undefined;
    this.socket.off('data', this.#onData);
    if (this.socket.writable) this.socket.write(refusal(status, this.#refusalPage?.()), 'latin1');
    this.#endSocket();
  }

  /** What the client still sends is read and dropped, so that it gets the answer and no reset. */
  #endSocket(): void {
    const { socket } = this;
    if (!socket.writableEnded) socket.end();
    this.#isLast = true;
    this.#ahead = undefined;
    socket.off('data', this.#onData);
    linger(socket, this.#limits);
    if (socket.readableEnded) socket.destroySoon();
  }

  #pause(): void {
    if (!this.#isPaused) {
      this.#isPaused = true;
      this.socket.pause();
    }
  }

  #unpause(): void {
    if (this.#isPaused && !this.#isReleased) {
      this.#isPaused = false;
      this.#activeAt = performance.now();
      this.socket.resume();
    }
  }
}
