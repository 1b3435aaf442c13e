import { CandidateIndex, type CandidateKeys } from './candidate-index.ts';
import { literalPrefix } from './regular-expression.ts';
import type { RouteRequest } from './route-match.ts';
import type { TextKey } from './text-key.ts';
import { matchTraditional, type TraditionalRequest, type UriMatch } from './traditional-matcher.ts';
import { compareTraditional, matchRule, type TraditionalRoute } from './traditional-route.ts';

/** What was found out on a request before its category is known. */
export interface Hits {
  readonly host: string | undefined;
  readonly headerName: string | undefined;
  readonly uri: string | undefined;
}

export interface FoundRoute {
  readonly route: TraditionalRoute;
  readonly uri: UriMatch;
}

type Members = ReadonlySet<TraditionalRoute>;
type Group = Map<string, Set<TraditionalRoute>>;

/** All routes that match on the same fields. */
export class TraditionalCategory {
  readonly rules: number;
  readonly weight: number;
  readonly #index = new CandidateIndex<TraditionalRoute>(compareTraditional);
  readonly #byHost: Group = new Map();
  readonly #byHeader: Group = new Map();
  readonly #byUri: Group = new Map();
  readonly #byMethod: Group = new Map();
  readonly #bySni: Group = new Map();
  #size = 0;

  constructor({ rules, weight }: TraditionalRoute) {
    this.rules = rules;
    this.weight = weight;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(route: TraditionalRoute): void {
    this.#size += 1;
    this.#index.add(route, indexKeysOf(route));
    for (const [group, key] of this.#placesOf(route)) {
      const members = group.get(key);
      if (members === undefined) {
        group.set(key, new Set([route]));
      } else {
        members.add(route);
      }
    }
  }

  remove(route: TraditionalRoute): void {
    this.#size -= 1;
    this.#index.remove(route, indexKeysOf(route));
    for (const [group, key] of this.#placesOf(route)) {
      const members = group.get(key);
      members?.delete(route);
      if (members?.size === 0) {
        group.delete(key);
      }
    }
  }

  /**
   * The first route that matches among those which share the most telling field with the request, or
   * else the first that matches at all. Kong walks two lists; this walks the candidates once.
   */
  find(input: TraditionalRequest, hits: Hits): FoundRoute | undefined {
    const { request, hostWithoutPort, hostWithPort } = input;
    const preferred = this.#preferred(request, hits);
    const index = this.#index;
    let first: FoundRoute | undefined;
    index.search(request.path, request.host, hostWithoutPort, hostWithPort);
    for (let route = index.next(); route !== undefined; route = index.next()) {
      const isPreferred = preferred === undefined || preferred.has(route);
      const uri = first !== undefined && !isPreferred ? undefined : matchTraditional(route, input);
      if (uri === undefined) {
        continue;
      }
      if (isPreferred) {
        return { route, uri };
      }
      first ??= { route, uri };
    }
    return first;
  }

  *#placesOf(route: TraditionalRoute): Generator<readonly [Group, string]> {
    for (const host of route.plainHosts) {
      yield [this.#byHost, host];
    }
    for (const { value } of route.wildcardHosts) {
      yield [this.#byHost, value];
    }
    for (const { name } of route.headers) {
      yield [this.#byHeader, name];
    }
    if (route.uri !== undefined) {
      yield [this.#byUri, route.uri.value];
    }
    for (const method of route.methods) {
      yield [this.#byMethod, method];
    }
    for (const sni of route.snis) {
      yield [this.#bySni, sni];
    }
  }

  #preferred(request: RouteRequest, hits: Hits): Members | undefined {
    const sets: (Members | undefined)[] = [];
    const has = (rule: number) => (this.rules & rule) !== 0;
    if (has(matchRule.host)) {
      sets.push(this.#byHost.get(hits.host ?? request.host));
    }
    if (has(matchRule.header) && hits.headerName !== undefined) {
      const byHeader = this.#byHeader.get(hits.headerName);
      if (byHeader !== undefined) {
        return byHeader;
      }
    }
    if (has(matchRule.uri) && hits.uri !== undefined) {
      sets.push(this.#byUri.get(hits.uri));
    }
    if (has(matchRule.method)) {
      sets.push(this.#byMethod.get(request.method));
    }
    if (has(matchRule.sni)) {
      sets.push(this.#bySni.get(request.sni ?? ''));
    }
    let smallest: Members | undefined;
    for (const set of sets) {
      if (set !== undefined && (smallest === undefined || set.size < smallest.size)) {
        smallest = set;
      }
    }
    return smallest;
  }
}

/** Texts that the host and path of a matching request must have. */
export function indexKeysOf(route: TraditionalRoute): CandidateKeys {
  const hosts: TextKey[] = [...route.plainHosts].map((text) => ({ kind: 'equal', text }));
  for (const { value } of route.wildcardHosts) {
    hosts.push(wildcardKey(value));
  }
  return {
    hosts: (route.rules & matchRule.host) === 0 ? null : hosts,
    paths: route.uri === undefined ? null : uriKeys(route),
  };
}

function wildcardKey(host: string): TextKey {
  const star = host.indexOf('*');
  return star === 0 && host.lastIndexOf('*') === 0
    ? { kind: 'suffix', text: host.slice(1) }
    : { kind: 'prefix', text: host.slice(0, star) };
}

function uriKeys(route: TraditionalRoute): readonly TextKey[] | null {
  if (route.uri?.regex === undefined) {
    return [{ kind: 'prefix', text: route.uri?.value ?? '' }];
  }
  const prefix = literalPrefix(`^${route.uri.value}`);
  return prefix === '' ? null : [{ kind: 'prefix', text: prefix }];
}
