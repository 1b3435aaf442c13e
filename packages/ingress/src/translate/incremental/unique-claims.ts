import type { KubeObject } from '@waygate/schema';
import { compareByAge, compareText, creationOf } from '../../objects/reference.ts';

/** A wish for a value that a gateway holds once: a username, a key, the host of a certificate. */
export interface UniqueClaim {
  /** The sort of value, such as `key-auth on 'key'`. */
  readonly index: string;
  readonly value: string;
  /** What the claim rests on: it is as old as the youngest of them. */
  readonly objects: readonly [KubeObject, ...KubeObject[]];
  /** `namespace/name` of the object that the entity with the value is tagged with, or who shares it. */
  readonly holder: string;
  /** The namespace that may have the value several times. */
  readonly sharedBy?: string;
}

/** The holder of a value in the configuration that gateways have. */
export type Incumbents = (index: string, value: string) => string | undefined;

/**
 * Who of several gets a value: the one that has it already, else the oldest claim, else the first by
 * namespace and name. By age alone an old object could be edited to take what a younger one has.
 */
export function compareClaims(
  left: UniqueClaim,
  right: UniqueClaim,
  incumbents: Incumbents | undefined,
): number {
  const holder = incumbents?.(left.index, left.value);
  const byHolding = Number(right.holder === holder) - Number(left.holder === holder);
  return (
    byHolding ||
    compareText(creationOfClaim(left), creationOfClaim(right)) ||
    compareByAge(left.objects[0], right.objects[0]) ||
    compareText(left.objects[0].kind ?? '', right.objects[0].kind ?? '')
  );
}

function creationOfClaim({ objects }: UniqueClaim): string {
  let latest = '';
  for (const object of objects) {
    const creation = creationOf(object);
    if (creation > latest) latest = creation;
  }
  return latest;
}

/** A claim that somebody else won. */
export interface LostClaim<Claim extends UniqueClaim = UniqueClaim> {
  readonly claim: Claim;
  readonly winner: Claim;
}

interface Entry<Claim> {
  readonly claimant: string;
  readonly claim: Claim;
}

/**
 * Values that may exist once in a gateway, and who claims them. Each value has one winner; the
 * others lost it, until the winner lets go of it.
 */
export class UniqueClaims<Claim extends UniqueClaim = UniqueClaim> {
  readonly #byValue = new Map<string, readonly Entry<Claim>[]>();
  readonly #valuesOf = new Map<string, readonly string[]>();
  /** Values with more than one claim: few, whatever the size of the cluster. */
  readonly #contested = new Set<string>();
  incumbents: Incumbents | undefined;

  /** Replaces the claims of one claimant; returns those whose losses may have changed. */
  set(claimant: string, claims: readonly Claim[]): Set<string> {
    const touched = new Set<string>([claimant]);
    for (const value of this.#valuesOf.get(claimant) ?? []) {
      const others = (this.#byValue.get(value) ?? []).filter((one) => one.claimant !== claimant);
      for (const other of others) touched.add(other.claimant);
      this.#put(value, others);
    }
    const values: string[] = [];
    for (const claim of claims) {
      const value = `${claim.index} ${claim.value}`;
      const others = this.#byValue.get(value) ?? [];
      for (const other of others) touched.add(other.claimant);
      this.#put(value, [...others, { claimant, claim }]);
      values.push(value);
    }
    if (values.length === 0) this.#valuesOf.delete(claimant);
    else this.#valuesOf.set(claimant, [...new Set(values)]);
    return touched;
  }

  /** The claims of a claimant that another one, or another claim of its own, won. */
  lostBy(claimant: string): LostClaim<Claim>[] {
    if (this.#contested.size === 0) return [];
    const lost: LostClaim<Claim>[] = [];
    for (const value of this.#valuesOf.get(claimant) ?? []) {
      if (!this.#contested.has(value)) continue;
      const entries = this.#byValue.get(value) ?? [];
      const winner = this.#winnerOf(entries);
      for (const { claimant: owner, claim } of entries) {
        const isShared = claim.sharedBy !== undefined && claim.sharedBy === winner.sharedBy;
        if (owner === claimant && claim !== winner && !isShared) lost.push({ claim, winner });
      }
    }
    return lost;
  }

  /** Everyone with a claim that is not the only one on its value. */
  contestants(): Set<string> {
    const all = new Set<string>();
    for (const value of this.#contested)
      for (const { claimant } of this.#byValue.get(value) ?? []) all.add(claimant);
    return all;
  }

  #winnerOf(entries: readonly Entry<Claim>[]): Claim {
    return entries.reduce((best, one) =>
      compareClaims(one.claim, best.claim, this.incumbents) < 0 ? one : best,
    ).claim;
  }

  #put(value: string, entries: readonly Entry<Claim>[]): void {
    if (entries.length === 0) this.#byValue.delete(value);
    else this.#byValue.set(value, entries);
    if (entries.length > 1) this.#contested.add(value);
    else this.#contested.delete(value);
  }
}
