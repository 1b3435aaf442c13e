import { everything, type Need } from '../view/guarded.ts';

/** What a need is about. */
interface NeedParts {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
}

export function partsOfNeed(need: Need): NeedParts {
  const [group = '', kind = '', namespace = ''] = need.split('/');
  return { group, kind, namespace };
}

/** Anything that says who may see it. */
interface Needing {
  readonly needs: readonly Need[];
  readonly parts?: readonly { readonly needs: readonly Need[] }[];
}

/** All that somebody may have to be allowed to read: the rights of a person are an answer to these. */
export class KnownNeeds {
  readonly #needs = new Set<Need>();
  readonly #onNew: () => void;

  constructor(onNew: () => void) {
    this.#onNew = onNew;
  }

  get size(): number {
    return this.#needs.size;
  }

  all(): readonly Need[] {
    return [...this.#needs];
  }

  note(changes: ReadonlyMap<string, Needing | undefined>): void {
    const before = this.#needs.size;
    for (const guarded of changes.values()) {
      if (guarded === undefined) continue;
      for (const need of guarded.needs) this.#add(need);
      for (const part of guarded.parts ?? []) for (const need of part.needs) this.#add(need);
    }
    if (this.#needs.size > before) this.#onNew();
  }

  #add(need: Need): void {
    if (need !== everything) this.#needs.add(need);
  }
}
