import type { CertificateClaim } from '../certificates.ts';
import type { ServiceResult } from '../kong-service.ts';
import { ProblemList } from '../problem.ts';
import { lostRouteMessage, type RouteClaim } from '../route-claims.ts';
import { OrderedServices } from './ordered-services.ts';
import { type Incumbents, type LostClaim, UniqueClaims } from './unique-claims.ts';

/** What a name stands for now. */
interface ServiceChange {
  readonly results: readonly ServiceResult[];
  readonly hasOtherCertificates: boolean;
  /** Something of it was left out before, or is now. */
  readonly isFaulty: boolean;
}

/** The Kong services that were made, by name, and who shares what with whom. */
export class ServiceTable {
  readonly results = new Map<string, readonly ServiceResult[]>();
  readonly ordered = new OrderedServices(this.results);
  /** The same with routes that lost what they need to those of others. */
  readonly #made = new Map<string, readonly ServiceResult[]>();
  readonly #claims = new UniqueClaims<RouteClaim>();
  /** Names with routes that are left out. */
  readonly #losers = new Set<string>();
  readonly #serviceOfRoute = new Map<string, string>();
  /** How many Kong services have this host, and so this upstream. */
  readonly #hosts = new Map<string, number>();
  /** Services that ask for client certificates: few, so that certificates need not look at all. */
  readonly #withClientCertificates = new Set<string>();

  named(name: string): readonly ServiceResult[] {
    return this.results.get(name) ?? [];
  }

  isHostShared(host: string): boolean {
    return (this.#hosts.get(host) ?? 0) > 1;
  }

  serviceOfRoute(route: string): string | undefined {
    return this.#serviceOfRoute.get(route);
  }

  /**
   * Replaces what a name stands for. Returns the names that stand for something else now: beside the
   * given one those whose routes had what its routes have, or get what these let go of.
   */
  set(name: string, results: readonly ServiceResult[]): Map<string, ServiceChange> {
    if (results.length === 0) this.#made.delete(name);
    else this.#made.set(name, results);
    const claims = results.flatMap((one) => one.routeClaims);
    const changes = new Map<string, ServiceChange>();
    for (const touched of this.#claims.set(name, claims)) {
      const lost = this.#claims.lostBy(touched);
      if (touched !== name && lost.length === 0 && !this.#losers.has(touched)) continue;
      if (lost.length > 0) this.#losers.add(touched);
      else this.#losers.delete(touched);
      const made = this.#made.get(touched) ?? [];
      const before = this.named(touched);
      const isOther = this.#put(touched, lost.length === 0 ? made : withoutRoutes(made, lost));
      const results = this.named(touched);
      const isFaulty = [...before, ...results].some(({ leftOut }) => leftOut.length > 0);
      changes.set(touched, { results, hasOtherCertificates: isOther, isFaulty });
    }
    return changes;
  }

  /** Whom a value belongs to is judged anew; the names that this may concern. */
  setIncumbents(incumbents: Incumbents): Set<string> {
    this.#claims.incumbents = incumbents;
    return this.#claims.contestants();
  }

  #put(name: string, results: readonly ServiceResult[]): boolean {
    const before = this.named(name);
    if (results.length === 0) this.results.delete(name);
    else this.results.set(name, results);
    this.ordered.changed(name, before);
    for (const { upstream, service } of before) {
      this.#countHost(upstream?.name, -1);
      for (const route of service?.routes ?? []) this.#serviceOfRoute.delete(route.name);
    }
    for (const { upstream, service } of results) {
      this.#countHost(upstream?.name, 1);
      for (const route of service?.routes ?? [])
        this.#serviceOfRoute.set(route.name, service!.name);
    }
    const secrets = secretsOf(results);
    const former = secretsOf(before);
    if (secrets.length > 0) this.#withClientCertificates.add(name);
    else if (former.length > 0) this.#withClientCertificates.delete(name);
    return secrets.length !== former.length || secrets.some((one, index) => one !== former[index]);
  }

  /** The certificates that services show to their backends. */
  clientCertificateClaims(): CertificateClaim[] {
    return [...this.#withClientCertificates].sort().flatMap((name) =>
      this.named(name).flatMap(({ clientCertificates }) =>
        clientCertificates.map(({ secret, service }) => ({
          namespace: secret.metadata.namespace ?? '',
          secretName: secret.metadata.name ?? '',
          hosts: [],
          parent: service,
        })),
      ),
    );
  }

  #countHost(host: string | undefined, step: 1 | -1): void {
    if (host === undefined) return;
    const count = (this.#hosts.get(host) ?? 0) + step;
    if (count > 0) this.#hosts.set(host, count);
    else this.#hosts.delete(host);
  }
}

function secretsOf(results: readonly ServiceResult[]) {
  return results.flatMap(({ clientCertificates }) =>
    clientCertificates.map(({ secret }) => secret),
  );
}

/** Services without the routes that lost a name or a rule, which is said on their owners. */
function withoutRoutes(
  made: readonly ServiceResult[],
  lost: readonly LostClaim<RouteClaim>[],
): ServiceResult[] {
  const winners = new Map<string, LostClaim<RouteClaim>>();
  for (const one of lost) {
    // Two routes of one service with one name come from one object: there is no other to keep.
    const isOwn = made.some(({ routeClaims }) => routeClaims.includes(one.winner));
    if (!isOwn || one.winner.route !== one.claim.route) winners.set(one.claim.route, one);
  }
  const lostRoutes = new Set([...winners.keys()].map((route) => `route ${route}`));
  return made.map((result) => {
    const problems = new ProblemList();
    const leftOut = [...result.leftOut];
    const said = new Set<string>();
    for (const { claim, winner } of winners.values()) {
      if (!result.routeClaims.includes(claim)) continue;
      const [owner] = claim.objects;
      const message = lostRouteMessage(claim, winner.objects[0]);
      if (!said.has(message)) problems.addConflict(message, owner);
      said.add(message);
      leftOut.push(owner);
    }
    if (leftOut.length === result.leftOut.length || result.service === undefined) return result;
    const { routes = [], ...service } = result.service;
    const kept = routes.filter(({ name }) => !winners.has(name));
    return {
      ...result,
      service: kept.length === 0 ? service : { ...service, routes: kept },
      pluginUses: result.pluginUses.filter(
        ({ scope, entity }) => scope !== 'route' || !winners.has(entity),
      ),
      problems: [...result.problems, ...problems.items],
      // A name that was lost is another route's.
      incomplete: result.incomplete.filter((entity) => !lostRoutes.has(entity)),
      leftOut,
    };
  });
}
