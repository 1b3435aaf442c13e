import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { badRequest, requestTooLarge } from '../status/api-error.ts';

export const maxBodyBytes = 3 * 1024 * 1024;

/** Reads a whole body, up to the limit; what is longer is refused without being read to its end. */
export async function readBody(request: IncomingMessage, limit = maxBodyBytes): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) throw tooLarge(limit);
  const isGzip = request.headers['content-encoding'] === 'gzip';
  const stream = isGzip ? request.pipe(createGunzip()) : request;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += (chunk as Buffer).length;
      if (size > limit) throw tooLarge(limit);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if (error instanceof Error && 'status' in error) throw error;
    throw badRequest(`the body of the request cannot be read: ${(error as Error).message}`);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

function tooLarge(limit: number) {
  return requestTooLarge(`Request entity too large: limit is ${limit}`);
}
