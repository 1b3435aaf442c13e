import type { UniqueClaim } from '../consumers.ts';

/** Values that may exist once in a gateway, such as API keys, and who claims them. */
export class UniqueClaimIndex {
  readonly #byValue = new Map<string, Map<string, readonly UniqueClaim[]>>();
  readonly #valuesOf = new Map<string, ReadonlySet<string>>();

  /** Replaces the claims of one consumer; returns the consumers whose conflicts may have changed. */
  set(consumer: string, claims: readonly UniqueClaim[]): Set<string> {
    const touched = new Set<string>([consumer]);
    for (const value of this.#valuesOf.get(consumer) ?? []) {
      const claimants = this.#byValue.get(value);
      claimants?.delete(consumer);
      for (const other of claimants?.keys() ?? []) touched.add(other);
      if (claimants?.size === 0) this.#byValue.delete(value);
    }
    const own = new Map<string, UniqueClaim[]>();
    for (const claim of claims) {
      const value = `${claim.index} ${claim.value}`;
      own.set(value, [...(own.get(value) ?? []), claim]);
    }
    for (const [value, group] of own) {
      let claimants = this.#byValue.get(value);
      if (claimants === undefined) {
        claimants = new Map();
        this.#byValue.set(value, claimants);
      }
      for (const other of claimants.keys()) touched.add(other);
      claimants.set(consumer, group);
    }
    if (own.size === 0) this.#valuesOf.delete(consumer);
    else this.#valuesOf.set(consumer, new Set(own.keys()));
    return touched;
  }

  /** The claims of a consumer that somebody else, or another of its credentials, makes too. */
  conflictsOf(consumer: string): UniqueClaim[] {
    return [...(this.#valuesOf.get(consumer) ?? [])].flatMap((value) => {
      const claimants = this.#byValue.get(value);
      const total = [...(claimants?.values() ?? [])].reduce((sum, group) => sum + group.length, 0);
      return total > 1 ? [...(claimants?.get(consumer) ?? [])] : [];
    });
  }
}
