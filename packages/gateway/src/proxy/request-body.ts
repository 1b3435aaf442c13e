import { Readable } from 'node:stream';
import type { RequestContext } from './request-context.ts';

/** The client went away while its request was being read. */
export class ClientGoneError extends Error {
  readonly code = 'WG_GATEWAY_CLIENT_GONE';

  constructor() {
    super('the client closed the connection');
    this.name = 'ClientGoneError';
  }
}

/**
 * Carries a request's body to an upstream without being the request itself: a try that fails may
 * destroy this stream, and the next try can still read what is left. Nothing is read before it is
 * asked for, so a try that never connects costs no byte of the body.
 */
export class BodyRelay extends Readable {
  readonly #context: RequestContext;
  readonly #beforeFirstRead: () => void;
  #isStarted = false;

  constructor(context: RequestContext, beforeFirstRead: () => void) {
    super({ highWaterMark: 64 * 1_024 });
    this.#context = context;
    this.#beforeFirstRead = beforeFirstRead;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  override _read(): void {
    const source = this.#context.request;
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#beforeFirstRead();
      source.on('data', this.#onData);
      source.on('end', this.#onEnd);
      source.on('close', this.#onClose);
    }
    source.resume();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    const source = this.#context.request;
    source.off('data', this.#onData);
    source.off('end', this.#onEnd);
    source.off('close', this.#onClose);
    callback(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#context.requestBytes += chunk.length;
    if (!this.push(chunk)) {
      this.#context.request.pause();
    }
  };

  readonly #onEnd = (): void => {
    this.push(null);
  };

  readonly #onClose = (): void => {
    if (!this.readableEnded && !this.#context.request.readableEnded) {
      this.destroy(new ClientGoneError());
    }
  };
}

/**
 * Reads a whole body for a plugin that has to see it. Undefined if it is larger than `limit`.
 * The upstream then gets what was read.
 */
export async function readBody(
  context: RequestContext,
  limit: number,
): Promise<Buffer | undefined> {
  const { upstream } = context;
  if (upstream?.body !== undefined) {
    return upstream.body;
  }
  if (!context.hasBody) {
    return Buffer.alloc(0);
  }
  if ((context.contentLength ?? 0) > limit) {
    return undefined;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of new BodyRelay(context, () => sendContinue(context))) {
    size += (chunk as Buffer).length;
    if (size > limit) {
      return undefined;
    }
    chunks.push(chunk as Buffer);
  }
  const body = Buffer.concat(chunks);
  if (upstream !== undefined) {
    upstream.body = body;
  }
  return body;
}

/** Tells a client that waits for it (`Expect: 100-continue`) to send its body. */
export function sendContinue(context: RequestContext): void {
  if (context.headers.get('expect')?.toLowerCase() === '100-continue') {
    context.reply.writeContinue();
  }
}
