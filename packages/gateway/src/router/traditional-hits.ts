import { MeasuredMap, recount } from '../collection/measured-map.ts';
import { CandidateIndex } from './candidate-index.ts';
import { type Hits, indexKeysOf } from './traditional-category.ts';
import type { TraditionalRequest } from './traditional-matcher.ts';
import { compareTraditional, type TraditionalRoute } from './traditional-route.ts';

/** By the name of a header, the routes that ask for it, in order. */
type HeaderRoutes = ReadonlyMap<string, readonly TraditionalRoute[]>;

interface Parts {
  /** How many routes have a text. */
  readonly plainHosts: MeasuredMap<number>;
  readonly plainUris: MeasuredMap<number>;
  readonly methods: MeasuredMap<number>;
  readonly serverNames: MeasuredMap<number>;
  readonly wildcards: CandidateIndex<TraditionalRoute>;
  readonly regexes: CandidateIndex<TraditionalRoute>;
  readonly byHeader: HeaderRoutes;
}

/** What the traditional router finds out on a request before it looks at any category. */
export class TraditionalHits {
  readonly #parts: Parts;
  /** In the order of their first routes. */
  readonly #headerNames: readonly string[];

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#headerNames = orderedHeaders(parts.byHeader);
  }

  static empty(): TraditionalHits {
    const none = new MeasuredMap<number>();
    const compare = compareTraditional;
    return new TraditionalHits({
      plainHosts: none,
      plainUris: none,
      methods: none,
      serverNames: none,
      wildcards: CandidateIndex.empty({
        compare,
        keysOf: (route) => ({ hosts: indexKeysOf(route).hosts, paths: null }),
      }),
      regexes: CandidateIndex.empty({
        compare,
        keysOf: (route) => ({ hosts: null, paths: indexKeysOf(route).paths }),
      }),
      byHeader: new Map(),
    });
  }

  change(
    removed: readonly TraditionalRoute[],
    added: readonly TraditionalRoute[],
  ): TraditionalHits {
    const parts = this.#parts;
    const recounted = (
      counts: MeasuredMap<number>,
      textsOf: (route: TraditionalRoute) => Iterable<string>,
    ) => {
      const texts = (routes: readonly TraditionalRoute[]) =>
        routes.flatMap((route) => [...textsOf(route)]);
      return recount(counts, texts(removed), texts(added));
    };
    const isWildcard = ({ wildcardHosts }: TraditionalRoute) => wildcardHosts.length > 0;
    const isRegex = ({ uri }: TraditionalRoute) => uri?.regex !== undefined;
    return new TraditionalHits({
      plainHosts: recounted(parts.plainHosts, ({ plainHosts }) => plainHosts),
      plainUris: recounted(parts.plainUris, ({ uri }) =>
        uri === undefined || uri.regex !== undefined ? [] : [uri.value],
      ),
      methods: recounted(parts.methods, ({ methods }) => methods),
      serverNames: recounted(parts.serverNames, ({ snis }) => snis),
      wildcards: parts.wildcards.change(removed.filter(isWildcard), added.filter(isWildcard)),
      regexes: parts.regexes.change(removed.filter(isRegex), added.filter(isRegex)),
      byHeader: changeHeaders(parts.byHeader, removed, added),
    });
  }

  find(input: TraditionalRequest): Hits {
    const { request } = input;
    return {
      host: this.#wildcardHit(input),
      headerName: this.#headerNames.find((name) => request.header(name) !== undefined),
      uri: this.#regexHit(request.path) ?? this.#prefixHit(request.path),
    };
  }

  isPlainHost({ hostWithPort, hostWithoutPort }: TraditionalRequest): boolean {
    return (
      isIn(this.#parts.plainHosts, hostWithPort) || isIn(this.#parts.plainHosts, hostWithoutPort)
    );
  }

  isMethod(method: string): boolean {
    return isIn(this.#parts.methods, method);
  }

  isServerName(name: string): boolean {
    return isIn(this.#parts.serverNames, name);
  }

  #wildcardHit(input: TraditionalRequest): string | undefined {
    if (this.isPlainHost(input)) return undefined;
    const { hostWithPort, hostWithoutPort } = input;
    const candidates = this.#parts.wildcards.search('', hostWithPort, hostWithoutPort);
    for (let found = candidates.next(); found !== undefined; found = candidates.next()) {
      const hit = found.candidate.wildcardHosts.find((host) => host.matches(hostWithPort));
      if (hit !== undefined) return hit.value;
    }
    return undefined;
  }

  #regexHit(path: string): string | undefined {
    const candidates = this.#parts.regexes.search(path, '');
    for (let found = candidates.next(); found !== undefined; found = candidates.next()) {
      const { value, regex } = found.candidate.uri ?? {};
      if (regex?.test(path) === true) return value;
    }
    return undefined;
  }

  #prefixHit(path: string): string | undefined {
    const { plainUris } = this.#parts;
    for (const length of plainUris.lengths) {
      const prefix = path.slice(0, length);
      if (prefix.length === length && isIn(plainUris, prefix)) return prefix;
    }
    return undefined;
  }
}

function isIn(counts: MeasuredMap<number>, text: string): boolean {
  return counts.get(text) !== undefined;
}

function changeHeaders(
  byHeader: HeaderRoutes,
  removed: readonly TraditionalRoute[],
  added: readonly TraditionalRoute[],
): HeaderRoutes {
  const namesOf = (route: TraditionalRoute) => route.headers.map(({ name }) => name);
  const names = new Set([...removed, ...added].flatMap(namesOf));
  if (names.size === 0) return byHeader;
  const gone = new Set(removed);
  const changed = new Map(byHeader);
  for (const name of names) {
    const routes = (byHeader.get(name) ?? [])
      .filter((route) => !gone.has(route))
      .concat(added.filter((route) => namesOf(route).includes(name)))
      .sort(compareTraditional);
    if (routes.length === 0) {
      changed.delete(name);
    } else {
      changed.set(name, routes);
    }
  }
  return changed;
}

function orderedHeaders(byHeader: HeaderRoutes): readonly string[] {
  const first = (name: string) => byHeader.get(name)?.at(0);
  const place = (name: string) =>
    first(name)?.headers.findIndex((header) => header.name === name) ?? 0;
  return [...byHeader.keys()].sort((one, two) => {
    const [left, right] = [first(one), first(two)];
    const order = left === undefined || right === undefined ? 0 : compareTraditional(left, right);
    return order !== 0 ? order : place(one) - place(two);
  });
}
