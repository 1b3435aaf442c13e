import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Readable } from 'node:stream';
import type { ClientLimits } from '../exchange/client-limits.ts';
import type { Reply } from '../exchange/reply.ts';
import type { ServerRequest } from '../exchange/server-request.ts';
import { errorBody, errorMessage } from '../http/error-body.ts';
import { HeaderList } from '../http/header-list.ts';
import { newRequestId } from '../http/request-id.ts';

/** An answer on a stream of an HTTP/2 connection. */
export class Http2Reply implements Reply {
  readonly #response: Http2ServerResponse;
  readonly #expectsContinue: boolean;
  onDrain: (() => void) | undefined;
  #closeListeners: (() => void)[] = [];
  #isClosed = false;

  constructor(response: Http2ServerResponse, expectsContinue: boolean, limits: ClientLimits) {
    this.#response = response;
    this.#expectsContinue = expectsContinue;
    const timeoutMs = Math.min(limits.bodyTimeoutMs, limits.sendTimeoutMs);
    response.stream.setTimeout(timeoutMs, () => this.#onSilence(timeoutMs));
    response.once('finish', () => this.#endRequest());
    response.on('drain', () => this.onDrain?.());
    response.on('error', () => undefined);
    response.once('close', () => {
      this.#isClosed = true;
      for (const listener of this.#closeListeners.splice(0)) listener();
    });
  }

  get isHeadSent(): boolean {
    return this.#response.headersSent;
  }

  sendHead(status: number, headers: string[]): void {
    if (!this.#response.headersSent && !this.#isClosed) {
      this.#response.writeHead(status, new HeaderList(headers).toObject());
    }
  }

  sendWhole(status: number, headers: string[], body: Buffer | string): void {
    if (this.#response.headersSent || this.#isClosed) return;
    if (body.length === 0) {
      this.#endWithHead(status, headers);
    } else {
      this.#response.writeHead(status, new HeaderList(headers).toObject());
      this.#response.end(typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
    }
  }

  /** In one frame: clients of gRPC take a status in the head only if nothing can follow it. */
  #endWithHead(status: number, headers: string[]): void {
    this.#response.statusCode = status;
    for (const [name, value] of Object.entries(new HeaderList(headers).toObject())) {
      this.#response.setHeader(name, value);
    }
    this.#response.end();
  }

  write(chunk: Buffer): boolean {
    return this.#isClosed || this.#response.write(chunk);
  }

  end(trailers: readonly string[]): void {
    if (this.#isClosed) return;
    if (trailers.length > 0) this.#response.addTrailers(new HeaderList([...trailers]).toObject());
    this.#response.end();
  }

  sendContinue(): void {
    if (this.#expectsContinue && !this.#response.headersSent) this.#response.writeContinue();
  }

  abort(): void {
    this.#response.stream?.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  closeAfter(): void {
    // Streams end on their own; the connection serves others.
  }

  whenClosed(listener: () => void): void {
    if (this.#isClosed) {
      listener();
    } else {
      this.#closeListeners.push(listener);
    }
  }

  takeSocket(): undefined {
    return undefined;
  }

  /** Nothing went either way for long: if that is the client's doing, its stream is over. */
  #onSilence(timeoutMs: number): void {
    const { req: request, stream } = this.#response;
    if (this.#isClosed || stream.destroyed) return;
    const isBodyMissing = !request.complete && request.readableFlowing === true;
    const isAnswerLeft = stream.writableLength > 0 || this.#response.writableEnded;
    if (isBodyMissing && !this.#response.headersSent) {
      this.#refuse(408);
    } else if (isBodyMissing || isAnswerLeft) {
      stream.close(constants.NGHTTP2_CANCEL);
    } else {
      stream.setTimeout(timeoutMs);
    }
  }

  #refuse(status: number): void {
    const { contentType, text } = errorBody(
      errorMessage(status),
      newRequestId(),
      undefined,
      'text',
    );
    this.#response.writeHead(status, { 'content-type': contentType });
    this.#response.end(text);
  }

  /** The answer is out: a client that still sends need not go on. */
  #endRequest(): void {
    const { req: request, stream } = this.#response;
    if (!request.complete && !stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR);
  }
}

/** A request on a stream of an HTTP/2 connection. */
export class Http2Request implements ServerRequest {
  readonly #request: Http2ServerRequest;
  readonly httpVersion = '2.0';
  readonly httpVersionMajor = 2;
  readonly upgrade = undefined;
  readonly body: Readable | undefined;

  constructor(request: Http2ServerRequest) {
    this.#request = request;
    this.body = request.stream.endAfterHeaders ? undefined : request;
  }

  get method(): string {
    return this.#request.method;
  }

  get target(): string {
    return this.#request.url;
  }

  get rawHeaders(): string[] {
    return this.#request.rawHeaders;
  }

  get contentLength(): number | undefined {
    const length = this.#request.headers['content-length'];
    return length === undefined ? undefined : Number(length);
  }

  get expectsContinue(): boolean {
    return this.#request.headers.expect?.toLowerCase() === '100-continue';
  }

  get trailers(): readonly string[] {
    return this.#request.rawTrailers;
  }
}
