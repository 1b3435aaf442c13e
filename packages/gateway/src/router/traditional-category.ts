import { CandidateIndex, type TextKey } from './candidate-index.ts';
import { literalPrefix } from './regular-expression.ts';
import type { RouteRequest } from './route-match.ts';
import { matchTraditional, type TraditionalRequest, type UriMatch } from './traditional-matcher.ts';
import { matchRule, type TraditionalRoute } from './traditional-route.ts';

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

/** All routes that match on the same fields. */
export class TraditionalCategory {
  readonly rules: number;
  readonly weight: number;
  readonly #index: CandidateIndex<TraditionalRoute>;
  readonly #byHost = new Map<string, Set<TraditionalRoute>>();
  readonly #byHeader = new Map<string, Set<TraditionalRoute>>();
  readonly #byUri = new Map<string, Set<TraditionalRoute>>();
  readonly #byMethod = new Map<string, Set<TraditionalRoute>>();
  readonly #bySni = new Map<string, Set<TraditionalRoute>>();

  /** `routes` are in the order in which they are tried. */
  constructor(rules: number, routes: readonly TraditionalRoute[]) {
    this.rules = rules;
    this.weight = routes[0]?.weight ?? 0;
    this.#index = new CandidateIndex(
      routes.map((value, rank) => ({ rank, ...indexKeysOf(value), value })),
    );
    for (const route of routes) {
      for (const host of [...route.plainHosts, ...route.wildcardHosts.map((item) => item.value)]) {
        addTo(this.#byHost, host, route);
      }
      for (const header of route.headers) {
        addTo(this.#byHeader, header.name, route);
      }
      if (route.uri !== undefined) {
        addTo(this.#byUri, route.uri.value, route);
      }
      for (const method of route.methods) {
        addTo(this.#byMethod, method, route);
      }
      for (const sni of route.snis) {
        addTo(this.#bySni, sni, route);
      }
    }
  }

  /**
   * The first route that matches among those which share the most telling field with the request, or
   * else the first that matches at all. Kong walks two lists; this walks the candidates once.
   */
  find(input: TraditionalRequest, hits: Hits): FoundRoute | undefined {
    const preferred = this.#preferred(input.request, hits);
    let first: FoundRoute | undefined;
    const found = this.#index.find(
      [input.request.host, input.hostWithoutPort, input.hostWithPort],
      input.request.path,
      (route): FoundRoute | undefined => {
        const isPreferred = preferred === undefined || preferred.has(route);
        if (first !== undefined && !isPreferred) {
          return undefined;
        }
        const uri = matchTraditional(route, input);
        if (uri === undefined) {
          return undefined;
        }
        first ??= { route, uri };
        return isPreferred ? { route, uri } : undefined;
      },
    );
    return found ?? first;
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
export function indexKeysOf(route: TraditionalRoute): {
  hosts: readonly TextKey[] | null;
  paths: readonly TextKey[] | null;
} {
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

function addTo(
  map: Map<string, Set<TraditionalRoute>>,
  key: string,
  route: TraditionalRoute,
): void {
  const set = map.get(key);
  if (set === undefined) {
    map.set(key, new Set([route]));
  } else {
    set.add(route);
  }
}
