import { entryOf } from '../../store/entry-of.ts';
import type { Canary } from './groups/canary.ts';
import type { UpstreamWish } from './groups/upstream-policy.ts';
import {
  anyHost,
  compareIngresses,
  type NginxBackend,
  type ParsedIngress,
} from './parsed-ingress.ts';
import { upstreamName } from './upstream.ts';

/** What all Ingresses that lead to a Service make of its upstream together. */
export interface UpstreamPolicy {
  readonly hashBy: UpstreamWish['hashBy'];
  readonly algorithm: UpstreamWish['algorithm'];
  readonly isServiceUpstream: boolean;
  readonly affinity:
    | (NonNullable<UpstreamWish['affinity']> & { readonly mode: string })
    | undefined;
  /** The first that takes a part of its requests; there is one at most. */
  readonly canary: (Canary & { readonly backend: NginxBackend }) | undefined;
}

/** Which Ingresses lead to which Services. */
export class UpstreamIndex {
  /** Canaries too: whoever is the first to name a Service says how it is used. */
  readonly #byUpstream = new Map<string, Map<string, ParsedIngress>>();
  /** Canaries by the paths that they take a part of. */
  readonly #canaries = new Map<string, Map<string, ParsedIngress>>();

  /** What was asked for since the last change: a Service may have many paths. */
  readonly #policies = new Map<string, UpstreamPolicy>();

  remove(parsed: ParsedIngress): void {
    this.#policies.clear();
    for (const name of upstreamsOf(parsed)) this.#byUpstream.get(name)?.delete(parsed.key);
    for (const place of canaryPlaces(parsed)) this.#canaries.get(place)?.delete(parsed.key);
  }

  add(parsed: ParsedIngress): void {
    this.#policies.clear();
    for (const name of upstreamsOf(parsed))
      entryOf(this.#byUpstream, name, () => new Map()).set(parsed.key, parsed);
    if (parsed.location.canary === undefined) return;
    for (const place of canaryPlaces(parsed))
      entryOf(this.#canaries, place, () => new Map()).set(parsed.key, parsed);
  }

  /** Ingresses that share an upstream with this one, where any of them says how it is used. */
  sharers(
    parsed: ParsedIngress,
    ofHost: (host: string) => Iterable<ParsedIngress>,
  ): ParsedIngress[] {
    const found = new Set<ParsedIngress>();
    for (const name of upstreamsOf(parsed)) {
      const sharing = [parsed, ...(this.#byUpstream.get(name)?.values() ?? [])];
      const canaries = sharing.filter(({ location }) => location.canary !== undefined);
      const isSpecial =
        canaries.length > 0 ||
        sharing.some((one) => one.location.upstream.isSpecial || this.#hasCanary(one));
      if (!isSpecial) continue;
      for (const one of sharing) found.add(one);
      // What a canary's Service is like counts wherever the canary takes its part.
      const primaries = canaries
        .flatMap((one) => [...one.hosts.keys(), ...(one.defaultBackend ? [anyHost] : [])])
        .flatMap((host) => [...ofHost(host)]);
      for (const primary of primaries)
        for (const other of upstreamsOf(primary))
          for (const one of this.#byUpstream.get(other)?.values() ?? []) found.add(one);
    }
    return [...found];
  }

  policyOf(backend: NginxBackend): UpstreamPolicy {
    const name = upstreamName(backend);
    return entryOf(this.#policies, name, () => this.#policy(name));
  }

  #policy(name: string): UpstreamPolicy {
    const users = this.#usersOf(name);
    const first = firstOf(users, name)?.location.upstream;
    const affine = users.filter(
      (one) => one.location.canary === undefined && pathsTo(one, name).length > 0,
    );
    // Of several cookies it is the last one's; how clients are kept by it, the first one's.
    const affinity = affine.findLast(({ location }) => location.upstream.affinity !== undefined);
    const mode = affine.find(({ location }) => location.upstream.affinityMode !== undefined);
    return {
      hashBy: first?.hashBy,
      algorithm: first?.algorithm ?? 'round-robin',
      isServiceUpstream: first?.isServiceUpstream ?? false,
      affinity: affinity?.location.upstream.affinity && {
        ...affinity.location.upstream.affinity,
        mode: mode?.location.upstream.affinityMode ?? 'balanced',
      },
      canary: this.#canaryOf(name, users),
    };
  }

  #usersOf(name: string): ParsedIngress[] {
    return [...(this.#byUpstream.get(name)?.values() ?? [])].sort(compareIngresses);
  }

  #hasCanary(parsed: ParsedIngress): boolean {
    return primaryPlaces(parsed).some(({ place }) => (this.#canaries.get(place)?.size ?? 0) > 0);
  }

  /**
   * It hangs on the upstream: found by one path, it counts for all that lead there. How much it takes
   * is said by the first Ingress that names the canary's Service; one that is no canary says nothing.
   */
  #canaryOf(name: string, users: readonly ParsedIngress[]): UpstreamPolicy['canary'] {
    if (firstOf(users, name)?.location.canary !== undefined) return undefined;
    const found: { readonly owner: ParsedIngress; readonly backend: NginxBackend }[] = [];
    for (const user of users) {
      if (user.location.canary !== undefined) continue;
      for (const { place, backend } of primaryPlaces(user)) {
        if (upstreamName(backend) !== name) continue;
        for (const owner of this.#canaries.get(place)?.values() ?? []) {
          const other = canaryBackend(owner, place);
          if (other !== undefined && upstreamName(other) !== name)
            found.push({ owner, backend: other });
        }
      }
    }
    const [first] = found.sort((left, right) => compareIngresses(left.owner, right.owner));
    if (first?.owner.location.canary === undefined) return undefined;
    const other = upstreamName(first.backend);
    const shaping = firstOf(this.#usersOf(other), other)?.location.canary;
    if (shaping === undefined) return undefined;
    const { isSticky } = first.owner.location.canary;
    return { plugin: shaping.plugin, isSticky, backend: first.backend };
  }
}

/** The Ingress that made an upstream: one whose default backend it is makes it anew. */
function firstOf(users: readonly ParsedIngress[], name: string): ParsedIngress | undefined {
  const byDefault = users.findLast(
    ({ defaultBackend }) => defaultBackend !== undefined && upstreamName(defaultBackend) === name,
  );
  return byDefault ?? users[0];
}

function upstreamsOf({ hosts, defaultBackend }: ParsedIngress): Set<string> {
  const names = new Set<string>();
  for (const paths of hosts.values())
    for (const { backend } of paths) if (backend !== undefined) names.add(upstreamName(backend));
  if (defaultBackend !== undefined) names.add(upstreamName(defaultBackend));
  return names;
}

/** A path, and the Service that it leads to. */
interface Place {
  readonly place: string;
  readonly backend: NginxBackend;
}

function pathsTo(parsed: ParsedIngress, name: string): Place[] {
  return rulePlaces(parsed).filter(({ backend }) => upstreamName(backend) === name);
}

function rulePlaces({ hosts }: ParsedIngress): Place[] {
  return [...hosts].flatMap(([host, paths]) =>
    paths.flatMap(({ rulePath, type, backend }) =>
      backend === undefined ? [] : [{ place: placeOf(host, type, rulePath), backend }],
    ),
  );
}

/** Where canaries may take a part of an Ingress's requests. */
function primaryPlaces(parsed: ParsedIngress): Place[] {
  const { hosts, defaultBackend, isCatchAll } = parsed;
  const own = [...hosts].flatMap(([host, paths]) =>
    paths.flatMap(({ path, type, backend }) =>
      backend === undefined ? [] : [{ place: placeOf(host, type, path), backend, host }],
    ),
  );
  const ofAny = own.filter(({ host }) => host === anyHost);
  const anywhere = ofAny.map(({ backend }) => ({ place: everywhere, backend }));
  if (defaultBackend === undefined) return [...own, ...anywhere];
  const backend = defaultBackend;
  const roots = [...hosts.keys()].map((host) => ({ place: placeOf(host, 'Prefix', '/'), backend }));
  return [
    ...own,
    ...anywhere,
    ...roots.filter(({ place }) => !own.some((one) => one.place === place)),
    ...(isCatchAll ? [everywhere, placeOf(anyHost, 'Prefix', '/')] : []).map((place) => ({
      place,
      backend,
    })),
  ];
}

/** The paths of a canary; its default backend takes part in all of the server for any host. */
function canaryPlaces(parsed: ParsedIngress): string[] {
  const own = rulePlaces(parsed).map(({ place }) => place);
  return parsed.defaultBackend === undefined ? own : [...own, everywhere];
}

function canaryBackend(parsed: ParsedIngress, place: string): NginxBackend | undefined {
  if (place === everywhere) return parsed.defaultBackend;
  return rulePlaces(parsed).find((one) => one.place === place)?.backend;
}

/** Any path of the server for hosts that nobody has. */
const everywhere = anyHost;

function placeOf(host: string, type: string, path: string): string {
  return `${host} ${type} ${path}`;
}
