/**
 * A text with its percent escapes read; as it stands where they are no UTF-8, for then they were not meant
 * as escapes.
 *
 * ```ts
 * readPercentEscapes('a%20b'); // 'a b'
 * readPercentEscapes('100%'); // '100%'
 * ```
 */
export function readPercentEscapes(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
