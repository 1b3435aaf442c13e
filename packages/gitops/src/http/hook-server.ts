import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpListener } from '@waygate/runtime';

/** Where a server that others post to listens. */
export interface HookAddress {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

/** As Flux' own servers have it. */
const maxBodyBytes = 3 * 1024 * 1024;

/** Listens until the signal aborts. */
export async function serveUntil(listener: HttpListener, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await listener.listen();
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await listener.close();
}

/** A request's body; undefined when the answer has been given, because it is too long or was cut. */
export async function bodyOf(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = Number(request.headers['content-length'] ?? 0);
  if (size <= maxBodyBytes) {
    size = 0;
    try {
      // The connection stays open when the loop is left, so that the answer can be given.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        size += chunk.length;
        if (size > maxBodyBytes) break;
        chunks.push(chunk);
      }
    } catch {
      // Whoever cut it off hears nothing any more.
      response.destroy();
      return undefined;
    }
  }
  if (size <= maxBodyBytes) return Buffer.concat(chunks);
  say(response, 413, `the body is longer than ${maxBodyBytes} bytes`);
  return undefined;
}

/** Answers with a sentence, and ends the connection. */
export function say(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${text}\n`);
}
