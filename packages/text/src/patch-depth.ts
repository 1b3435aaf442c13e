import { TextError } from './error.ts';

/** Deeper than any document that people write; what recurses over a patched one ends before the stack does. */
export const maxPatchDepth = 1000;

/**
 * Refuses a value that nests too deeply to be walked by functions that call themselves. `outside` is how
 * deep it stands itself.
 *
 * ```ts
 * checkPatchDepth({ spec: { replicas: 2 } }); // passes
 * ```
 *
 * @throws TextError `WG_TEXT_PATCH`
 */
export function checkPatchDepth(value: unknown, maxDepth = maxPatchDepth, outside = 0): void {
  if (depthOf(value, maxDepth - outside) + outside > maxDepth) {
    throw new TextError('WG_TEXT_PATCH', `nested deeper than ${maxDepth}`);
  }
}

/** How many arrays and objects stand around the innermost value; looked at no deeper than is asked. */
function depthOf(value: unknown, maxDepth: number): number {
  let depth = 0;
  let level: object[] = isNested(value) ? [value] : [];
  while (level.length > 0 && depth <= maxDepth) {
    depth++;
    level = level.flatMap((each) =>
      [...(each instanceof Map ? each.values() : Object.values(each))].filter(isNested),
    );
  }
  return depth;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
