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

/** Tells keys apart. */
export function nameOfKey(key: TextKey | null): string {
  return key === null ? '' : `${key.kind} ${key.text}`;
}
