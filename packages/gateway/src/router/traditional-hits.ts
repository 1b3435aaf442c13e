import { CandidateIndex } from './candidate-index.ts';
import { CountedTexts } from './counted-texts.ts';
import { insertSorted, removeSorted } from './sorted-list.ts';
import { type Hits, indexKeysOf } from './traditional-category.ts';
import type { TraditionalRequest } from './traditional-matcher.ts';
import { compareTraditional, type TraditionalRoute } from './traditional-route.ts';

/** What the traditional router finds out on a request before it looks at any category. */
export class TraditionalHits {
  readonly #plainHosts = new CountedTexts();
  readonly #plainUris = new CountedTexts();
  readonly #methods = new CountedTexts();
  readonly #serverNames = new CountedTexts();
  readonly #wildcards = new CandidateIndex<TraditionalRoute>(compareTraditional);
  readonly #regexes = new CandidateIndex<TraditionalRoute>(compareTraditional);
  /** By the name of a header, the routes that ask for it. */
  readonly #byHeader = new Map<string, TraditionalRoute[]>();
  /** In the order of their first routes; undefined after a change, until it is needed. */
  #headerNames: readonly string[] | undefined;

  find(input: TraditionalRequest): Hits {
    const { request } = input;
    this.#headerNames ??= this.#orderedHeaders();
    return {
      host: this.#wildcardHit(input),
      headerName: this.#headerNames.find((name) => request.header(name) !== undefined),
      uri: this.#regexHit(request.path) ?? this.#prefixHit(request.path),
    };
  }

  isPlainHost({ hostWithPort, hostWithoutPort }: TraditionalRequest): boolean {
    return this.#plainHosts.has(hostWithPort) || this.#plainHosts.has(hostWithoutPort);
  }

  isMethod(method: string): boolean {
    return this.#methods.has(method);
  }

  isServerName(name: string): boolean {
    return this.#serverNames.has(name);
  }

  add(route: TraditionalRoute): void {
    for (const [texts, text] of this.#textsOf(route)) {
      texts.add(text);
    }
    for (const { name } of route.headers) {
      const routes = this.#byHeader.get(name) ?? [];
      insertSorted(routes, route, compareTraditional);
      this.#byHeader.set(name, routes);
      this.#headerNames = undefined;
    }
    if (route.wildcardHosts.length > 0) {
      this.#wildcards.add(route, { hosts: indexKeysOf(route).hosts, paths: null });
    }
    if (route.uri?.regex !== undefined) {
      this.#regexes.add(route, { hosts: null, paths: indexKeysOf(route).paths });
    }
  }

  remove(route: TraditionalRoute): void {
    for (const [texts, text] of this.#textsOf(route)) {
      texts.remove(text);
    }
    for (const { name } of route.headers) {
      const routes = this.#byHeader.get(name) ?? [];
      removeSorted(routes, route, compareTraditional);
      if (routes.length === 0) {
        this.#byHeader.delete(name);
      }
      this.#headerNames = undefined;
    }
    if (route.wildcardHosts.length > 0) {
      this.#wildcards.remove(route, { hosts: indexKeysOf(route).hosts, paths: null });
    }
    if (route.uri?.regex !== undefined) {
      this.#regexes.remove(route, { hosts: null, paths: indexKeysOf(route).paths });
    }
  }

  *#textsOf(route: TraditionalRoute): Generator<readonly [CountedTexts, string]> {
    for (const host of route.plainHosts) {
      yield [this.#plainHosts, host];
    }
    if (route.uri !== undefined && route.uri.regex === undefined) {
      yield [this.#plainUris, route.uri.value];
    }
    for (const method of route.methods) {
      yield [this.#methods, method];
    }
    for (const name of route.snis) {
      yield [this.#serverNames, name];
    }
  }

  #orderedHeaders(): readonly string[] {
    const first = (name: string) => this.#byHeader.get(name)?.at(0);
    const place = (name: string) =>
      first(name)?.headers.findIndex((header) => header.name === name) ?? 0;
    return [...this.#byHeader.keys()].sort((one, two) => {
      const [left, right] = [first(one), first(two)];
      const order = left === undefined || right === undefined ? 0 : compareTraditional(left, right);
      return order !== 0 ? order : place(one) - place(two);
    });
  }

  #wildcardHit(input: TraditionalRequest): string | undefined {
    if (this.isPlainHost(input)) {
      return undefined;
    }
    const { hostWithPort, hostWithoutPort } = input;
    const index = this.#wildcards;
    index.search('', hostWithPort, hostWithoutPort);
    for (let route = index.next(); route !== undefined; route = index.next()) {
      const hit = route.wildcardHosts.find((host) => host.matches(hostWithPort));
      if (hit !== undefined) {
        return hit.value;
      }
    }
    return undefined;
  }

  #regexHit(path: string): string | undefined {
    const index = this.#regexes;
    index.search(path, '');
    for (let route = index.next(); route !== undefined; route = index.next()) {
      const { value, regex } = route.uri ?? {};
      if (regex?.test(path) === true) {
        return value;
      }
    }
    return undefined;
  }

  #prefixHit(path: string): string | undefined {
    for (const length of this.#plainUris.lengths) {
      const prefix = path.slice(0, length);
      if (prefix.length === length && this.#plainUris.has(prefix)) {
        return prefix;
      }
    }
    return undefined;
  }
}
