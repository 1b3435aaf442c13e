import { TextError } from '../error.ts';
import type { HttpResponse } from './message.ts';

/** More than this is not read only to use a connection again. */
const cheapBytes = 65_536;

/**
 * All of a body, if it is not too long.
 *
 * ```ts
 * import { Readable } from 'node:stream';
 *
 * const body = Readable.from([Buffer.from('hello')]);
 * String(await readBody({ body }, 1024)); // 'hello'
 * ```
 *
 * @throws TextError `WG_TEXT_SIZE`, or what cut it off
 */
export async function readBody(
  { body }: Pick<HttpResponse, 'body'>,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the body, and with it the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new TextError('WG_TEXT_SIZE', `an answer of over ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
}

/**
 * Lets the connection be used again, unless too much is still to come.
 *
 * ```ts
 * const web = new HttpClient();
 * const response = await web.send({ origin: 'https://shop.test', path: '/health' });
 * discardBody(response);
 * console.log(response.statusCode);
 * ```
 */
export function discardBody({ headers, body }: Pick<HttpResponse, 'headers' | 'body'>): void {
  body.on('error', () => {});
  if (Number(headers['content-length'] ?? 0) > cheapBytes) body.destroy();
  else body.resume();
}
