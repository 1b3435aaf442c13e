import { createHash, randomBytes } from 'node:crypto';

/** What one trace is about: one revision of one source. */
export interface TracedRevision {
  /** The UID of the source, so that two repositories with equal commits have traces of their own. */
  readonly sourceUid: string;
  readonly revision: string;
}

/**
 * The id of a revision's trace, in the hexadecimal form of W3C Trace Context. It follows from the
 * revision alone, so that processes that never spoke to each other put their spans into one trace.
 *
 * ```ts
 * traceIdOf({ sourceUid: '6f9c', revision: 'main@sha1:1eabc9a4' }).length; // 32
 * ```
 */
export function traceIdOf({ sourceUid, revision }: TracedRevision): string {
  return digestOf('trace', sourceUid, revision).slice(0, 32);
}

/**
 * The id of a step that others have to find: of what was done first for an object, by its UID.
 *
 * ```ts
 * spanIdOf({ sourceUid: '6f9c', revision: 'main@sha1:1eabc9a4' }, 'apply', 'a41c').length; // 16
 * ```
 */
export function spanIdOf(revision: TracedRevision, step: string, uid: string): string {
  return digestOf('span', traceIdOf(revision), step, uid).slice(0, 16);
}

/**
 * An id for a span that nobody has to find again.
 *
 * ```ts
 * newSpanId().length; // 16
 * ```
 */
export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** Lengths go in too: no two lists of texts are one. */
function digestOf(...texts: readonly string[]): string {
  const hash = createHash('sha256').update('waygate\n');
  for (const text of texts) hash.update(`${text.length}:${text}\n`);
  return hash.digest('hex');
}
