import type { DeclaredEntity, FieldError, FieldErrors } from '@waygate/kong';
import { isObject } from '@waygate/text';

/** What is wrong with one entity of the document. */
export interface DeclaredProblem {
  readonly entity: DeclaredEntity;
  readonly error: FieldError;
  /** Found after ids were filled in: the entity is shown with them. */
  readonly isLate: boolean;
  /** Where Kong's nested form puts the error instead: under the collection, by this name. */
  readonly label?: string;
}

export function duplicateMessage(collection: string, field: string, value: unknown): string {
  return `uniqueness violation: '${collection}' entity with ${field} set to '${String(value)}' already declared`;
}

/** Puts an error where its entity stands, with `null` for entities before it that are fine. */
export function setAt(
  root: FieldErrors,
  path: readonly (string | number)[],
  error: FieldError,
): void {
  let place: Record<string | number, FieldError | null> = root;
  for (const [index, step] of path.slice(0, -1).entries()) {
    const next = path[index + 1];
    if (place[step] === undefined || place[step] === null || typeof place[step] === 'string') {
      place[step] = typeof next === 'number' ? [] : {};
    }
    place = place[step] as Record<string | number, FieldError | null>;
    fillHoles(place, next);
  }
  const last = path.at(-1) ?? '';
  const known = place[last];
  place[last] = isObject(known) && isObject(error) ? ({ ...known, ...error } as FieldError) : error;
}

function fillHoles(place: unknown, upTo: string | number | undefined): void {
  if (Array.isArray(place) && typeof upTo === 'number') {
    while (place.length < upTo) place.push(null);
  }
}
