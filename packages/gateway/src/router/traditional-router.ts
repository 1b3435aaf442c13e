import { CandidateIndex } from './candidate-index.ts';
import { splitTraditionalHost } from './host-port.ts';
import type { RouteEntry, RouteMatch, RouteRequest, Router } from './route-match.ts';
import {
  type FoundRoute,
  type Hits,
  indexKeysOf,
  TraditionalCategory,
} from './traditional-category.ts';
import { matchTraditional, type TraditionalRequest } from './traditional-matcher.ts';
import {
  compareTraditional,
  matchRule,
  prepareTraditional,
  type TraditionalRoute,
} from './traditional-route.ts';
import { joinUpstreamPathV0, joinUpstreamPathV1 } from './upstream-path.ts';

/**
 * Kong's first router (`router_flavor = traditional`). Routes that match on the same fields form a
 * category; categories with more fields are tried first. The search starts at the category that the
 * request looks most like, even if a route of a greater one would match too: a trait of Kong's that
 * clients can see, and that is kept here.
 */
export class TraditionalRouter implements Router {
  readonly #categories: readonly TraditionalCategory[];
  readonly #startByRules: ReadonlyMap<number, number>;
  readonly #headerNames: readonly string[];
  readonly #plainHosts = new Set<string>();
  readonly #plainUris = new Set<string>();
  readonly #uriLengths: readonly number[];
  readonly #methods = new Set<string>();
  readonly #snis = new Set<string>();
  readonly #wildcards: CandidateIndex<TraditionalRoute>;
  readonly #regexes: CandidateIndex<TraditionalRoute>;
  readonly #stream: readonly TraditionalRoute[];

  constructor(entries: Iterable<RouteEntry>) {
    const routes = [...entries].flatMap(prepareTraditional).sort(compareTraditional);
    const byRules = new Map<number, TraditionalRoute[]>();
    for (const route of routes) {
      const list = byRules.get(route.rules);
      if (list === undefined) {
        byRules.set(route.rules, [route]);
      } else {
        list.push(route);
      }
      this.#indexPlain(route);
    }
    this.#categories = [...byRules]
      .map(([rules, list]) => new TraditionalCategory(rules, list))
      .sort((a, b) => b.weight - a.weight || b.rules - a.rules);
    this.#startByRules = new Map(
      this.#categories.map((category, index) => [category.rules, index]),
    );
    this.#headerNames = [...new Set(routes.flatMap((r) => r.headers.map((header) => header.name)))];
    this.#uriLengths = [...new Set([...this.#plainUris].map((uri) => uri.length))].sort(
      (a, b) => b - a,
    );
    const ranked = routes.map((value, rank) => ({ rank, ...indexKeysOf(value), value }));
    this.#wildcards = new CandidateIndex(
      ranked
        .filter(({ value }) => value.wildcardHosts.length > 0)
        .map((item) => ({ ...item, paths: null })),
    );
    this.#regexes = new CandidateIndex(
      ranked
        .filter(({ value }) => value.uri?.regex !== undefined)
        .map((item) => ({ ...item, hosts: null })),
    );
    this.#stream = routes;
  }

  match(request: RouteRequest): RouteMatch | undefined {
    if (request.path === '') {
      return this.#matchStream(request);
    }
    const defaultPort = request.protocol === 'https' ? 443 : 80;
    const host = splitTraditionalHost(request.host, defaultPort);
    const input = { request, hostWithoutPort: host.withoutPort, hostWithPort: host.withPort };
    const hits: Hits = {
      host: this.#wildcardHit(input),
      headerName: this.#headerNames.find((name) => request.header(name) !== undefined),
      uri: this.#regexHit(request.path) ?? this.#prefixHit(request.path),
    };
    const rules = this.#likelyRules(input, hits);
    if (rules === 0) {
      return undefined;
    }
    for (let at = this.#startByRules.get(rules) ?? 0; at < this.#categories.length; at += 1) {
      const found = this.#categories[at]?.find(input, hits);
      if (found !== undefined) {
        return toRouteMatch(found, request.path);
      }
    }
    return undefined;
  }

  #matchStream(request: RouteRequest): RouteMatch | undefined {
    const input = { request, hostWithoutPort: '', hostWithPort: '' };
    const matching = this.#stream.filter((route) => matchTraditional(route, input) !== undefined);
    const [best] = matching.sort((a, b) => b.weight - a.weight || b.rules - a.rules);
    return best === undefined
      ? undefined
      : { entry: best.entry, prefix: undefined, upstreamPath: '', captures: undefined };
  }

  #indexPlain(route: TraditionalRoute): void {
    for (const host of route.plainHosts) {
      this.#plainHosts.add(host);
    }
    if (route.uri !== undefined && route.uri.regex === undefined) {
      this.#plainUris.add(route.uri.value);
    }
    for (const method of route.methods) {
      this.#methods.add(method);
    }
    for (const sni of route.snis) {
      this.#snis.add(sni);
    }
  }

  #likelyRules(input: TraditionalRequest, hits: Hits): number {
    const { request } = input;
    const isPlainHost = this.#isPlainHost(input);
    return (
      (isPlainHost || hits.host !== undefined ? matchRule.host : 0) |
      (hits.headerName === undefined ? 0 : matchRule.header) |
      (hits.uri === undefined ? 0 : matchRule.uri) |
      (this.#methods.has(request.method) ? matchRule.method : 0) |
      (this.#snis.has(request.sni ?? '') ? matchRule.sni : 0)
    );
  }

  #isPlainHost(input: TraditionalRequest): boolean {
    return this.#plainHosts.has(input.hostWithPort) || this.#plainHosts.has(input.hostWithoutPort);
  }

  #wildcardHit(input: TraditionalRequest): string | undefined {
    if (this.#isPlainHost(input)) {
      return undefined;
    }
    const { hostWithPort, hostWithoutPort } = input;
    return this.#wildcards.find(
      [hostWithPort, hostWithoutPort],
      '',
      (route) => route.wildcardHosts.find((host) => host.regex.test(hostWithPort))?.value,
    );
  }

  #regexHit(path: string): string | undefined {
    return this.#regexes.find([], path, (route) => {
      const regex = route.uri?.regex;
      if (regex === undefined) {
        return undefined;
      }
      regex.lastIndex = 0;
      return regex.test(path) ? route.uri?.value : undefined;
    });
  }

  #prefixHit(path: string): string | undefined {
    for (const length of this.#uriLengths) {
      const prefix = path.slice(0, length);
      if (prefix.length === length && this.#plainUris.has(prefix)) {
        return prefix;
      }
    }
    return undefined;
  }
}

function toRouteMatch({ route, uri }: FoundRoute, path: string): RouteMatch {
  const { entry } = route;
  const base = entry.service?.path ?? '/';
  const postfix = uri.postfix ?? path.slice(1);
  const join = entry.route.path_handling === 'v1' ? joinUpstreamPathV1 : joinUpstreamPathV0;
  return {
    entry,
    prefix: entry.route.strip_path === true ? uri.prefix : undefined,
    upstreamPath: join(entry.route, postfix, path, base),
    captures: uri.captures,
  };
}
