import { hashBackwards, hashText, joinHashes } from './text-hash.ts';

/** A text that a value must equal, start with or end with. */
export interface TextKey {
  readonly kind: 'equal' | 'prefix' | 'suffix';
  readonly text: string;
}

/** Whether a text is as a key asks for. Without a key any is. */
export function fitsKey(key: TextKey | null, text: string): boolean {
  switch (key?.kind) {
    case 'equal':
      return text === key.text;
    case 'prefix':
      return text.startsWith(key.text);
    case 'suffix':
      return text.endsWith(key.text);
    default:
      return true;
  }
}

/** The kinds of keys as numbers. */
export const keyKind = { any: 0, equal: 1, prefix: 2, suffix: 3 } as const;

export type KeyKind = (typeof keyKind)[keyof typeof keyKind];

export function kindOf(key: TextKey | null): KeyKind {
  return key === null ? keyKind.any : keyKind[key.kind];
}

/** The hash of a key, from the hash of its text. */
export function keyHash(kind: KeyKind, textHash: number): number {
  return joinHashes(textHash, kind);
}

export const anyKeyHash: number = keyHash(keyKind.any, 0);

export function hashKey(key: TextKey | null): number {
  if (key === null) {
    return anyKeyHash;
  }
  const hash = key.kind === 'suffix' ? hashBackwards(key.text) : hashText(key.text);
  return keyHash(kindOf(key), hash);
}
