import { compareByAge } from '../../objects/reference.ts';
import { entryOf } from '../../store/entry-of.ts';
import { type Family, families, type ServiceClaim } from '../service-claim.ts';

/** Who asks for which Kong service: claims by the name of the service and by their owner. */
export class ClaimIndex {
  readonly #byService = new Map<string, Map<string, readonly ServiceClaim[]>>();
  readonly #servicesOf = new Map<string, ReadonlySet<string>>();

  /** Replaces all claims of one owner; returns the names of the services that it claims or claimed. */
  set(owner: string, claims: readonly ServiceClaim[]): Set<string> {
    const touched = new Set(this.#servicesOf.get(owner));
    for (const name of touched) {
      const owners = this.#byService.get(name);
      owners?.delete(owner);
      if (owners?.size === 0) this.#byService.delete(name);
    }
    const grouped = new Map<string, ServiceClaim[]>();
    for (const claim of claims) entryOf(grouped, claim.serviceName, () => []).push(claim);
    for (const [name, group] of grouped) {
      entryOf(this.#byService, name, () => new Map()).set(owner, group);
      touched.add(name);
    }
    if (grouped.size === 0) this.#servicesOf.delete(owner);
    else this.#servicesOf.set(owner, new Set(grouped.keys()));
    return touched;
  }

  /** The claims on a name, by family in their order of precedence. */
  of(service: string): readonly (readonly [Family, readonly ServiceClaim[]])[] {
    const owners = this.#byService.get(service);
    if (owners === undefined) return [];
    const claims = [...owners.values()].flat();
    const [first] = claims;
    // Nearly always there is one family only.
    if (first !== undefined && claims.every(({ family }) => family === first.family))
      return [[first.family, claims]];
    const groups = families.flatMap((family) => {
      const own = claims.filter((claim) => claim.family === family);
      return own.length === 0 ? [] : [[family, own] as const];
    });
    const namespaces = new Set(claims.map(({ owner }) => owner.metadata.namespace));
    if (namespaces.size === 1) return groups;
    // Names that meet by chance, as with a namespace called `httproute`: the oldest keeps its own.
    return groups
      .map((group) => ({
        group,
        oldest: group[1].map(({ owner }) => owner).sort(compareByAge)[0]!,
      }))
      .sort((left, right) => compareByAge(left.oldest, right.oldest))
      .map(({ group }) => group);
  }
}
