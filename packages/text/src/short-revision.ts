/**
 * A text in which digests have as many letters as people use; the rest is as it was.
 *
 * ```ts
 * shortRevision('main@sha1:0123456789abcdef'); // 'main@sha1:01234567'
 * ```
 */
export function shortRevision(text: string): string {
  return text.replace(/((?:^|[@/' ])sha\d+:[0-9a-f]{8})[0-9a-f]+/g, '$1');
}
