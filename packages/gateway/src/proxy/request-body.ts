import type { RequestContext } from '../plugin/request-context.ts';

/** The client went away while its request was being read. */
export class ClientGoneError extends Error {
  /**
   * The client went away while its request was read. Nothing is to be done: nobody waits for an
   * answer.
   */
  readonly code = 'WG_GATEWAY_CLIENT_GONE';

  constructor() {
    super('the client closed the connection');
    this.name = 'ClientGoneError';
  }
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
  if (upstream?.body !== undefined) return upstream.body;
  if (!context.hasBody) return Buffer.alloc(0);
  if ((context.contentLength ?? 0) > limit) return undefined;
  const body = await collectBody(context, limit);
  if (body !== undefined && upstream !== undefined) upstream.body = body;
  return body;
}

/** All of a body at once. Undefined if there is more than `limit`; rejects if the client goes away. */
export function collectBody(context: RequestContext, limit: number): Promise<Buffer | undefined> {
  const { body } = context.request;
  if (body === undefined) return Promise.resolve(Buffer.alloc(0));
  sendContinue(context);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      context.requestBytes += chunk.length;
      chunks.push(chunk);
      if (size > limit) {
        stop();
        body.pause();
        // Who reads next gets all of it.
        context.requestBytes -= size;
        body.unshift(Buffer.concat(chunks));
        resolve(undefined);
      }
    };
    const onEnd = () => {
      stop();
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    };
    const onGone = () => {
      stop();
      reject(new ClientGoneError());
    };
    const stop = () => {
      body.off('data', onData);
      body.off('end', onEnd);
      body.off('close', onGone);
      body.off('error', onGone);
    };
    body.on('data', onData);
    body.on('end', onEnd);
    body.on('close', onGone);
    body.on('error', onGone);
    // Whoever read it before, and found it too long to hold, made it wait.
    body.resume();
  });
}

/** Tells a client that waits for it (`Expect: 100-continue`) to send its body. */
export function sendContinue(context: RequestContext): void {
  if (context.request.expectsContinue) context.reply.sendContinue();
}
