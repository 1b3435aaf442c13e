import { equalJson } from '@waygate/text';
import type { ItemChange, Topic, Topics } from '../protocol/stream.ts';
import { type Guarded, type Rights, shownTo } from '../view/guarded.ts';

/** What is different since some version, for one person. Nothing for what they may not know of. */
export interface TopicChange<T extends Topic> {
  readonly put: readonly Topics[T][];
  readonly set: readonly ItemChange<Topics[T]>[];
  readonly drop: readonly string[];
}

/** An id, and what it stood for before and stands for now. */
interface AppliedChange<T extends Topic> {
  readonly id: string;
  readonly before: Guarded<Topics[T]> | undefined;
  readonly now: Guarded<Topics[T]> | undefined;
}

interface Remembered<T extends Topic> {
  readonly version: number;
  readonly id: string;
  readonly before: Guarded<Topics[T]> | undefined;
}

/** How many changes of a topic a page may have missed and still be told only those. */
const defaultRemembered = 5_000;

/**
 * One live collection: what is in it, and what changed lately. Whoever knows a version that is still
 * remembered is told what differs from it; what was put and dropped in between is not mentioned.
 */
export class TopicFeed<T extends Topic> {
  readonly #items = new Map<string, Guarded<Topics[T]>>();
  /** Oldest first; a circle once it is full. */
  readonly #ring: Remembered<T>[] = [];
  readonly #most: number;
  #next = 0;
  /** Everything after this version is in the ring. */
  #floor = 0;
  #version = 0;

  constructor(most = defaultRemembered) {
    this.#most = most;
  }

  get size(): number {
    return this.#items.size;
  }

  /** The version of its latest change. */
  get version(): number {
    return this.#version;
  }

  get(id: string): Guarded<Topics[T]> | undefined {
    return this.#items.get(id);
  }

  /** Takes changes in, and gives them with what was there before. Versions only grow. */
  apply(
    changes: ReadonlyMap<string, Guarded<Topics[T]> | undefined>,
    version: number,
  ): readonly AppliedChange<T>[] {
    this.#version = version;
    return [...changes].map(([id, now]) => {
      const before = this.#items.get(id);
      this.#remember({ version, id, before });
      if (now === undefined) this.#items.delete(id);
      else this.#items.set(id, now);
      return { id, before, now };
    });
  }

  /** All that a person may see. */
  shown(rights: Rights): Topics[T][] {
    const shown: Topics[T][] = [];
    for (const guarded of this.#items.values()) {
      const item = shownTo(guarded, rights);
      if (item !== undefined) shown.push(item);
    }
    return shown;
  }

  /**
   * What differs from a version, for a person; undefined when that is no longer known. Items are whole: a
   * page that was cut off within a message may have had a part of what came after that version.
   */
  since(version: number, rights: Rights): TopicChange<T> | undefined {
    if (version < this.#floor) return undefined;
    const put: Topics[T][] = [];
    const drop: string[] = [];
    for (const [id, before] of this.#changedSince(version)) {
      const now = shownTo(this.#items.get(id), rights);
      if (now !== undefined) put.push(now);
      // Who never saw it is not told that it is gone: an id says too much already.
      else if (shownTo(before, rights) !== undefined) drop.push(id);
    }
    return { put, set: [], drop };
  }

  /** Ids that changed after a version, with what they stood for at that version. */
  #changedSince(version: number): Map<string, Guarded<Topics[T]> | undefined> {
    const changed = new Map<string, Guarded<Topics[T]> | undefined>();
    const { length } = this.#ring;
    // From the newest back: the last one that is met is the first that happened.
    for (let age = 1; age <= length; age += 1) {
      const remembered = this.#ring[(this.#next - age + this.#most * 2) % this.#most]!;
      if (remembered.version <= version) break;
      changed.set(remembered.id, remembered.before);
    }
    return changed;
  }

  #remember(change: Remembered<T>): void {
    const evicted = this.#ring[this.#next];
    if (evicted !== undefined) this.#floor = Math.max(this.#floor, evicted.version);
    this.#ring[this.#next] = change;
    this.#next = (this.#next + 1) % this.#most;
  }
}

/** What somebody is told of changes who has had all before them: of what they know, what is other. */
export function changeFor<T extends Topic>(
  applied: readonly AppliedChange<T>[],
  rights: Rights,
): TopicChange<T> {
  const put: Topics[T][] = [];
  const set: ItemChange<Topics[T]>[] = [];
  const drop: string[] = [];
  for (const { id, before, now } of applied) {
    const known = shownTo(before, rights);
    const item = shownTo(now, rights);
    if (item === undefined) {
      if (known !== undefined) drop.push(id);
    } else if (known === undefined) put.push(item);
    else {
      const change = fieldsChanged<Topics[T]>(known, item);
      if (change !== undefined) set.push(change);
    }
  }
  return { put, set, drop };
}

/** The fields in which an item differs; undefined when it does in none. */
function fieldsChanged<Item extends { readonly id: string }>(
  before: Item,
  now: Item,
): ItemChange<Item> | undefined {
  const [old, fresh] = [before, now] as unknown as Record<string, unknown>[];
  const fields: [string, unknown][] = [];
  for (const field of new Set([...Object.keys(old!), ...Object.keys(fresh!)])) {
    const value = fresh![field] ?? null;
    if (!equalJson((old![field] ?? null) as never, value as never)) fields.push([field, value]);
  }
  if (fields.length === 0) return undefined;
  return { ...Object.fromEntries(fields), id: now.id } as unknown as ItemChange<Item>;
}
