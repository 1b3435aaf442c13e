import { entryOf } from '../../store/entry-of.ts';
import type { Canary } from './groups/canary.ts';
import type { UpstreamWish } from './groups/upstream-policy.ts';
import { compareIngresses, type NginxBackend, type ParsedIngress } from './parsed-ingress.ts';
import { upstreamName } from './upstream.ts';

/** What all Ingresses that lead to a Service make of its upstream together. */
export interface UpstreamPolicy {
  readonly hashBy: UpstreamWish['hashBy'];
  readonly algorithm: UpstreamWish['algorithm'];
  readonly isServiceUpstream: boolean;
  readonly affinity: UpstreamWish['affinity'];
  /** The first that takes a part of its requests; there is one at most. */
  readonly canary: (Canary & { readonly backend: NginxBackend }) | undefined;
}

/** Which Ingresses lead to which Services. */
export class UpstreamIndex {
  readonly #byUpstream = new Map<string, Map<string, ParsedIngress>>();
  readonly #canaries = new Map<string, Map<string, ParsedIngress>>();

  remove(parsed: ParsedIngress): void {
    for (const name of upstreamsOf(parsed)) this.#byUpstream.get(name)?.delete(parsed.key);
    for (const place of placesOf(parsed)) this.#canaries.get(place)?.delete(parsed.key);
  }

  add(parsed: ParsedIngress): void {
    if (parsed.location.canary === undefined) {
      for (const name of upstreamsOf(parsed))
        entryOf(this.#byUpstream, name, () => new Map()).set(parsed.key, parsed);
    } else {
      for (const place of placesOf(parsed))
        entryOf(this.#canaries, place, () => new Map()).set(parsed.key, parsed);
    }
  }

  /** Ingresses that share an upstream with this one, where any of them says how it is used. */
  sharers(
    parsed: ParsedIngress,
    ofHost: (host: string) => Iterable<ParsedIngress>,
  ): ParsedIngress[] {
    const isCanary = parsed.location.canary !== undefined;
    const primaries = isCanary
      ? [...parsed.hosts.keys()].flatMap((host) => [...ofHost(host)])
      : [parsed];
    const names = new Set(primaries.flatMap((one) => [...upstreamsOf(one)]));
    return [...names].flatMap((name) => {
      const sharing = [...(this.#byUpstream.get(name)?.values() ?? [])];
      const isSpecial =
        isCanary || [parsed, ...sharing].some(({ location }) => location.upstream.isSpecial);
      return isSpecial || sharing.some((one) => this.#hasCanary(one)) ? sharing : [];
    });
  }

  policyOf(backend: NginxBackend): UpstreamPolicy {
    const name = upstreamName(backend);
    const users = [...(this.#byUpstream.get(name)?.values() ?? [])].sort(compareIngresses);
    const [first] = users;
    // Of several cookies it is the last one's.
    const affinity = users.findLast(({ location }) => location.upstream.affinity !== undefined);
    return {
      hashBy: first?.location.upstream.hashBy,
      algorithm: first?.location.upstream.algorithm ?? 'round-robin',
      isServiceUpstream: first?.location.upstream.isServiceUpstream ?? false,
      affinity: affinity?.location.upstream.affinity,
      canary: this.#canaryOf(name, users),
    };
  }

  #hasCanary(parsed: ParsedIngress): boolean {
    return placesOf(parsed).some((place) => (this.#canaries.get(place)?.size ?? 0) > 0);
  }

  /** It hangs on the upstream: found by one path, it counts for all that lead there. */
  #canaryOf(name: string, users: readonly ParsedIngress[]): UpstreamPolicy['canary'] {
    const found: { readonly owner: ParsedIngress; readonly backend: NginxBackend }[] = [];
    for (const user of users) {
      for (const [host, paths] of user.hosts) {
        for (const { path, type, backend } of paths) {
          if (backend === undefined || upstreamName(backend) !== name) continue;
          for (const owner of this.#canaries.get(placeOf(host, type, path))?.values() ?? []) {
            const other = owner.hosts
              .get(host)
              ?.find((one) => one.path === path && one.type === type)?.backend;
            if (other !== undefined && upstreamName(other) !== name)
              found.push({ owner, backend: other });
          }
        }
      }
    }
    const [first] = found.sort((left, right) => compareIngresses(left.owner, right.owner));
    const canary = first?.owner.location.canary;
    return first === undefined || canary === undefined
      ? undefined
      : { ...canary, backend: first.backend };
  }
}

function upstreamsOf({ hosts, defaultBackend }: ParsedIngress): Set<string> {
  const names = new Set<string>();
  for (const paths of hosts.values())
    for (const { backend } of paths) if (backend !== undefined) names.add(upstreamName(backend));
  if (defaultBackend !== undefined) names.add(upstreamName(defaultBackend));
  return names;
}

function placesOf({ hosts }: ParsedIngress): string[] {
  return [...hosts].flatMap(([host, paths]) =>
    paths.map(({ path, type }) => placeOf(host, type, path)),
  );
}

function placeOf(host: string, type: string, path: string): string {
  return `${host} ${type} ${path}`;
}
