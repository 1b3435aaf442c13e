import { randomFillSync } from 'node:crypto';

const size = 16;
const pool = Buffer.alloc(size * 256);
let offset = pool.length;

/** 32 hexadecimal digits, as nginx's `$request_id`. Randomness is drawn in blocks, as it is per request. */
export function newRequestId(): string {
  if (offset === pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  const id = pool.toString('hex', offset, offset + size);
  offset += size;
  return id;
}
