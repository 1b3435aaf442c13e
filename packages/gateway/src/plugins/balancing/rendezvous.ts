/** What can be chosen among, by a text that tells one from another. */
interface Choice {
  readonly authority: string;
}

/**
 * The choice that goes with a key: always the same while it is there. When another comes or goes, only
 * the keys that it takes or leaves move.
 */
export function rendezvous<T extends Choice>(key: string, choices: readonly T[]): T | undefined {
  let best: T | undefined;
  let bestScore = -1;
  const seed = hashOf(key, 0x811c9dc5);
  for (const choice of choices) {
    const score = mixed(hashOf(choice.authority, seed));
    if (score > bestScore) {
      best = choice;
      bestScore = score;
    }
  }
  return best;
}

/** FNV-1a, from where another text left off. */
function hashOf(text: string, start: number): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** Spreads what differs in few bits over all of them. */
function mixed(hash: number): number {
  let value = hash ^ (hash >>> 16);
  value = Math.imul(value, 0x85ebca6b);
  value ^= value >>> 13;
  value = Math.imul(value, 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
