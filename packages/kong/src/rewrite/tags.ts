import { compareUtf8 } from '@waygate/text';
import { taggedPaths } from './entity-paths.ts';
import { Selector } from './selector.ts';
import type { StateObject, StateValue } from './state-document.ts';

/** Which entities a command about tags looks at: all of them, where no selectors are given. */
function taggedObjects(document: StateObject, selectors: readonly string[]): StateObject[] {
  return new Selector(selectors.length === 0 ? taggedPaths : selectors).objects(document);
}

/** Adds tags to entities, after those that they have. */
export function addTags(
  document: StateObject,
  tags: readonly string[],
  selectors: readonly string[] = [],
): void {
  for (const owner of taggedObjects(document, selectors)) {
    const before = Array.isArray(owner.tags) ? owner.tags : [];
    owner.tags = [...before, ...new Set(tags.filter((tag) => !before.includes(tag)))];
  }
}

/** Which tags go. */
export interface TagRemoval {
  readonly tags: readonly string[];
  /** Whether `tags` are those that stay, and all others go. */
  readonly keepsOnly?: boolean;
  /** Whether a list that is empty stays. */
  readonly keepsEmpty?: boolean;
}

/** Removes tags from entities; the others keep their order. */
export function removeTags(
  document: StateObject,
  removal: TagRemoval,
  selectors: readonly string[] = [],
): void {
  const listed = new Set<StateValue>(removal.tags);
  for (const owner of taggedObjects(document, selectors)) {
    if (!Array.isArray(owner.tags)) continue;
    const left = owner.tags.filter((tag) => listed.has(tag) === (removal.keepsOnly === true));
    if (left.length === 0 && removal.keepsEmpty !== true) delete owner.tags;
    else owner.tags = left;
  }
}

/** The tags of entities, in the order of their bytes. */
export function listTags(document: StateObject, selectors: readonly string[] = []): string[] {
  const tags = new Set<string>();
  for (const owner of taggedObjects(document, selectors)) {
    if (!Array.isArray(owner.tags)) continue;
    for (const tag of owner.tags) if (typeof tag !== 'object') tags.add(String(tag));
  }
  return [...tags].sort(compareUtf8);
}
