import type { Socket } from 'node:net';
import { afterArrivals } from '@waygate/text';
import { type BodyDecoder, createBodyDecoder } from './body-decoder.ts';
import { parseResponseHead, type ResponseHead } from './response-head.ts';
import { UpstreamError } from './upstream-error.ts';

/** Who hears an upstream's answer. */
export interface ResponseListener {
  onHead(head: ResponseHead): void;
  /**
   * A piece of the body; its memory is used again after the call. Returns false to hold the rest back
   * until {@link UpstreamConnection.resume}.
   */
  onData(chunk: Buffer): boolean;
  onEnd(trailers: readonly string[]): void;
  /** The connection speaks another protocol from here on, and is the listener's. */
  onUpgrade(head: ResponseHead, socket: Socket, rest: Buffer): void;
  onError(error: UpstreamError): void;
}

/** What a connection asks of the pool that it came from. */
export interface ConnectionOwner {
  onIdle(connection: UpstreamConnection): void;
  onGone(connection: UpstreamConnection): void;
}

/** More than this is no head. */
const maximumHeadBytes = 64 * 1_024;
/** Interim answers (100, 103) before the answer itself: more are none. */
const maximumInterim = 32;
const headEnd = Buffer.from('\r\n\r\n');

/** A connection to an upstream that carries one request after the other. */
export class UpstreamConnection {
  readonly socket: Socket;
  readonly #owner: ConnectionOwner;
  #listener: ResponseListener | undefined;
  #method = 'GET';
  /** Part of a head that is not complete. */
  #partial: Buffer | undefined;
  #head: ResponseHead | undefined;
  #decoder: BodyDecoder | undefined;
  #isRequestSent = false;
  #isGone = false;
  #timeoutMs = 0;
  #interim = 0;
  #isUpgraded = false;
  #onData: ((chunk: Buffer) => void) | undefined;
  /** Whether the listener holds the answer back. */
  #isHeld = false;
  /** True from the second request on: the upstream may have closed it without our knowing. */
  isReused = false;
  /** Whether any byte of an answer came to the request of now. */
  hasAnswered = false;
  requests = 0;
  /** Pieces of answers that came, of all requests. */
  #pieces = 0;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.socket = socket;
    this.#owner = owner;
  }

  /** For connections that bring their bytes as events; `take` may read them before this does. */
  listen(take: (chunk: Buffer) => boolean): void {
    this.#onData = (chunk) => {
      if (!take(chunk)) this.socket.pause();
    };
    this.socket.on('data', this.#onData);
  }

  /** Starts a request. The rest of it, if there is one, goes through {@link write}. */
  send(
    text: string,
    method: string,
    isWhole: boolean,
    timeoutMs: number,
    listener: ResponseListener,
  ): void {
    this.#listener = listener;
    this.#method = method;
    this.#isRequestSent = isWhole;
    this.#head = undefined;
    this.hasAnswered = false;
    this.#interim = 0;
    this.#isHeld = false;
    this.requests += 1;
    this.setTimeout(timeoutMs);
    this.socket.write(text, 'latin1');
  }

  write(chunk: Buffer | string): boolean {
    return typeof chunk === 'string'
      ? this.socket.write(chunk, 'latin1')
      : this.socket.write(chunk);
  }

  /** All of the request is out. */
  finish(timeoutMs: number): void {
    this.#isRequestSent = true;
    this.setTimeout(timeoutMs);
    if (this.#listener === undefined && this.#head !== undefined) this.#release();
  }

  /** Longest silence before the request counts as failed. */
  setTimeout(ms: number): void {
    if (ms !== this.#timeoutMs) {
      this.#timeoutMs = ms;
      this.socket.setTimeout(ms);
    }
  }

  resume(): void {
    if (this.#isHeld) {
      this.#isHeld = false;
      this.socket.setTimeout(this.#timeoutMs);
    }
    this.socket.resume();
  }

  /** Nobody waits for the answer any more. */
  abort(): void {
    this.#listener = undefined;
    this.#discard();
  }

  /** What came cannot be an answer. */
  refuse(cause: unknown): void {
    this.#fail(new UpstreamError('WG_GATEWAY_INVALID', 'the answer is not valid', { cause }));
  }

  /** Takes bytes of the socket. Returns false to get no more for now. */
  readonly take = (chunk: Buffer): boolean => {
    const listener = this.#listener;
    if (listener === undefined) {
      // An upstream that speaks unasked cannot be trusted with the next request.
      this.#discard();
      return true;
    }
    this.hasAnswered = true;
    this.#pieces += 1;
    try {
      const isFree =
        this.#decoder === undefined
          ? this.#readHead(chunk, listener)
          : this.#readBody(chunk, listener);
      this.#isHeld = !isFree;
      return isFree;
    } catch (error) {
      this.refuse(error);
      return true;
    }
  };

  onTimeout(): void {
    const { requests } = this;
    const pieces = this.#pieces;
    afterArrivals(() => {
      if (this.#pieces === pieces && this.requests === requests) this.#onSilence();
    });
  }

  #onSilence(): void {
    if (this.#isGone) return;
    if (this.#listener === undefined) {
      this.#discard();
      return;
    }
    // The client does not take the answer, or does not send its body: nothing is wrong with the upstream.
    if (this.#isHeld || (!this.#isRequestSent && !this.socket.writableNeedDrain)) {
      this.socket.setTimeout(this.#timeoutMs);
      return;
    }
    this.#fail(new UpstreamError('WG_GATEWAY_TIMEOUT', 'the upstream was silent for too long'));
  }

  /** The upstream says no more; one that speaks another protocol by now may still be spoken to. */
  onEnd(): void {
    if (!this.#isUpgraded) this.socket.destroy();
  }

  onClose(error: Error | undefined): void {
    const wasGone = this.#isGone;
    this.#isGone = true;
    if (!wasGone) this.#owner.onGone(this);
    const listener = this.#listener;
    if (listener === undefined) return;
    if (error === undefined && this.#head?.framing.kind === 'close') {
      this.#listener = undefined;
      listener.onEnd([]);
      return;
    }
    this.#fail(
      new UpstreamError('WG_GATEWAY_BROKEN', 'the upstream closed the connection', {
        cause: error,
      }),
    );
  }

  #readHead(chunk: Buffer, listener: ResponseListener): boolean {
    const bytes = this.#partial === undefined ? chunk : Buffer.concat([this.#partial, chunk]);
    const end = bytes.indexOf(headEnd);
    if (end === -1) {
      if (bytes.length > maximumHeadBytes) throw new Error('the head of the answer is too long');
      this.#partial = bytes === chunk ? Buffer.from(chunk) : bytes;
      return true;
    }
    this.#partial = undefined;
    const head = parseResponseHead(bytes.toString('latin1', 0, end), this.#method);
    const rest = bytes.subarray(end + headEnd.length);
    if (head.status === 101) {
      this.#upgrade(head, rest, listener);
      return true;
    }
    if (head.status < 200) {
      // Interim answers say nothing that the client waits for.
      this.#interim += 1;
      if (this.#interim > maximumInterim) throw new Error('there is no end of interim answers');
      return rest.length === 0 || this.#readHead(rest, listener);
    }
    this.#head = head;
    listener.onHead(head);
    if (this.#listener === undefined) {
      // It was not the answer that the listener wants: what follows is nobody's.
      return true;
    }
    if (head.framing.kind === 'none') {
      this.#complete([], rest.length > 0);
      return true;
    }
    this.#decoder = createBodyDecoder(head.framing);
    return rest.length === 0 || this.#readBody(rest, listener);
  }

  #readBody(chunk: Buffer, listener: ResponseListener): boolean {
    const decoder = this.#decoder;
    if (decoder === undefined) return true;
    let isFree = true;
    const used = decoder.feed(chunk, (data) => {
      isFree = listener.onData(data) && isFree;
    });
    if (decoder.isDone) {
      this.#complete(decoder.trailers, used < chunk.length);
      return true;
    }
    return isFree;
  }

  #complete(trailers: readonly string[], hasMore: boolean): void {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#decoder = undefined;
    const isReusable = this.#head?.isKeepAlive === true && !hasMore;
    if (!isReusable || !this.#isRequestSent) {
      // An upstream that answers before it has the whole request does not want the rest.
      this.#discard();
    } else {
      this.#release();
    }
    listener?.onEnd(trailers);
  }

  #upgrade(head: ResponseHead, rest: Buffer, listener: ResponseListener): void {
    this.#listener = undefined;
    this.#isGone = true;
    this.#isUpgraded = true;
    this.#owner.onGone(this);
    this.socket.setTimeout(0);
    if (this.#onData !== undefined) this.socket.off('data', this.#onData);
    this.socket.pause();
    listener.onUpgrade(head, this.socket, Buffer.from(rest));
  }

  #fail(error: UpstreamError): void {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#discard();
    listener?.onError(error);
  }

  #release(): void {
    this.#head = undefined;
    this.isReused = true;
    this.#owner.onIdle(this);
  }

  #discard(): void {
    this.#decoder = undefined;
    if (!this.#isGone) {
      this.#isGone = true;
      this.#owner.onGone(this);
    }
    this.socket.destroy();
  }
}
