import type { Readable } from 'node:stream';
import { fastCgiBody, fastCgiBodyEnd } from '../fastcgi/fastcgi-request.ts';
import { checkHead, headerLines } from '../http1/head-text.ts';
import type { UpstreamConnection } from '../http1/upstream-connection.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { sendContinue } from './request-body.ts';

/** How a body is told to end: by its length, in chunks, or in records. */
export type BodyForm = 'plain' | 'chunked' | 'fastcgi';

/** Carries a request's body to an upstream as it comes in, as fast as the upstream takes it. */
export class BodyRelay {
  readonly #context: RequestContext;
  readonly #connection: UpstreamConnection;
  readonly #form: BodyForm;
  readonly #onFinished: () => void;
  readonly #onTooLarge: () => void;
  readonly #maximumBytes: number;
  readonly #body: Readable | undefined;
  #isStarted = false;

  constructor(
    context: RequestContext,
    connection: UpstreamConnection,
    form: BodyForm,
    onFinished: () => void,
    onTooLarge: () => void,
  ) {
    this.#context = context;
    this.#connection = connection;
    this.#form = form;
    this.#onFinished = onFinished;
    this.#onTooLarge = onTooLarge;
    this.#maximumBytes = context.manner?.maximumBodyBytes ?? Number.POSITIVE_INFINITY;
    this.#body = context.request.body;
  }

  /** Whether any of the body has left: then it cannot be sent again. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  start(): void {
    sendContinue(this.#context);
    const body = this.#body;
    body?.on('data', this.#onData);
    body?.on('end', this.#onEnd);
    body?.on('close', this.#onGone);
    body?.on('error', this.#onGone);
    this.#connection.socket.on('drain', this.#onDrain);
    // Whoever read it before, and found it too long to hold, made it wait.
    body?.resume();
  }

  /** Lets go of the body; what is left of it can be read by others. */
  stop(): void {
    const body = this.#body;
    body?.off('data', this.#onData);
    body?.off('end', this.#onEnd);
    body?.off('close', this.#onGone);
    body?.off('error', this.#onGone);
    this.#connection.socket.off('drain', this.#onDrain);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#isStarted = true;
    this.#context.requestBytes += chunk.length;
    if (this.#context.requestBytes > this.#maximumBytes) {
      this.stop();
      this.#onTooLarge();
      return;
    }
    const { socket } = this.#connection;
    let isFree: boolean;
    if (this.#form === 'fastcgi') {
      isFree = socket.write(fastCgiBody(chunk));
    } else if (this.#form === 'chunked') {
      socket.cork();
      socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
      socket.write(chunk);
      isFree = socket.write('\r\n', 'latin1');
      socket.uncork();
    } else {
      isFree = socket.write(chunk);
    }
    if (!isFree) this.#body?.pause();
  };

  readonly #onDrain = (): void => {
    this.#body?.resume();
  };

  readonly #onEnd = (): void => {
    this.stop();
    this.#isStarted = true;
    if (this.#form === 'fastcgi') {
      this.#connection.write(fastCgiBodyEnd);
    } else if (this.#form === 'chunked') {
      const { trailers } = this.#context.request;
      this.#connection.write(checkHead(`0\r\n${headerLines(trailers)}\r\n`));
    }
    this.#onFinished();
  };

  /** The client went away in the middle: the upstream must not take what it has for the whole. */
  readonly #onGone = (): void => {
    this.stop();
    this.#context.reply.abort();
  };
}
