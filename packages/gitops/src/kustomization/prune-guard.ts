import type { Kustomization } from '../api/kustomization-object.ts';

/** The annotation that says which share of its objects a Kustomization may delete at once. */
export const pruneLimitAnnotation = 'waygate.dev/prune-limit';

/**
 * Why so many objects may not be deleted at once; undefined when they may. A limit that cannot be
 * read allows nothing: whoever wrote it wanted one.
 */
export function pruneGuard(
  { metadata }: Kustomization,
  stale: number,
  all: number,
): string | undefined {
  const text = metadata.annotations?.[pruneLimitAnnotation];
  if (text === undefined || stale === 0) return undefined;
  const found = /^(\d{1,3})%$/.exec(text.trim());
  const limit = found === null ? 0 : Number(found[1]);
  if (found !== null && (stale * 100) / Math.max(all, 1) <= limit) return undefined;
  return `pruning ${stale} of ${all} objects is more than the annotation ${pruneLimitAnnotation}: "${text}" allows; raise it if this is meant`;
}
