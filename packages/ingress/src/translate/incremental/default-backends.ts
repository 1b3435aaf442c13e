import type { Ingress } from '../../objects/ingress.ts';
import { keyOf } from '../../objects/reference.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { defaultBackendClaim } from '../ingress-rules.ts';
import type { ResolvedOptions } from '../options.ts';
import { type Problem, ProblemList } from '../problem.ts';
import type { ServiceClaim } from '../service-claim.ts';
import { compareClaims, type Incumbents } from './unique-claims.ts';

/** The Ingresses that ask for the catch-all of a gateway, of which there is one: the oldest has it. */
export class DefaultBackends {
  readonly #askers = new Map<string, Ingress>();
  problems: readonly Problem[] = [];

  /** Who has the catch-all, and asks for what cannot be. Who only waits for it has nothing to keep. */
  get faults(): readonly Problem[] {
    return this.problems.filter(({ isConflict, isGone }) => !isConflict && !isGone);
  }

  /** Without an Ingress, it asks no more. */
  set(key: string, ingress: Ingress | undefined): void {
    if (ingress === undefined) this.#askers.delete(key);
    else this.#askers.set(key, ingress);
  }

  claim(
    reader: ObjectReader,
    options: ResolvedOptions,
    incumbents: Incumbents | undefined,
  ): ServiceClaim | undefined {
    const [oldest, ...others] = [...this.#askers.values()]
      .map((ingress) => ({
        index: 'default backend',
        value: '',
        objects: [ingress] as const,
        holder: keyOf(ingress),
      }))
      .sort((left, right) => compareClaims(left, right, incumbents))
      .map(({ objects }) => objects[0]);
    const problems = new ProblemList();
    for (const other of others)
      if (other.metadata.namespace !== oldest?.metadata.namespace)
        problems.addConflict(`Ingress ${keyOf(oldest!)} has the default backend`, other);
    const claim = oldest && defaultBackendClaim(oldest, reader, options, problems);
    this.problems = problems.items;
    return claim;
  }
}
