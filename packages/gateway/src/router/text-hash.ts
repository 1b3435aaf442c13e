import { randomInt } from 'node:crypto';

/** Unknown to whoever writes routes, so that nobody can make texts that all have the same hash. */
const seed = randomInt(0x7fffffff);

/** The hash of no text at all, to go on from with {@link mixHash}. */
export const emptyHash: number = seed;

/** One step of FNV-1a, with the upper bits brought down. A running hash tells every prefix's hash. */
export function mixHash(hash: number, code: number): number {
  const next = Math.imul(hash ^ code, 0x01000193);
  return next ^ (next >>> 15);
}

export function hashText(text: string): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) {
    hash = mixHash(hash, text.charCodeAt(at));
  }
  return hash;
}

/** From the end, so that a running hash tells every suffix's hash. */
export function hashBackwards(text: string): number {
  let hash = seed;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    hash = mixHash(hash, text.charCodeAt(at));
  }
  return hash;
}

/** One hash of two, of which the order counts. Small enough to be kept in a map without an object. */
export function joinHashes(one: number, two: number): number {
  let hash = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ two;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & 0x3fffffff;
}
