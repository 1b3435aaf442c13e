import { MeasuredMap, recount } from '../collection/measured-map.ts';
import type { TextKey } from '../collection/text-key.ts';
import { CandidateIndex, type CandidateKeys } from './candidate-index.ts';
import { literalPrefix } from './regular-expression.ts';
import type { RouteRequest } from './route-match.ts';
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

/** The fields by which routes are told apart, with the texts that a route has for each. */
const fields = {
  host: ({ plainHosts, wildcardHosts }: TraditionalRoute) => [
    ...plainHosts,
    ...wildcardHosts.map(({ value }) => value),
  ],
  header: ({ headers }: TraditionalRoute) => headers.map(({ name }) => name),
  uri: ({ uri }: TraditionalRoute) => (uri === undefined ? [] : [uri.value]),
  method: ({ methods }: TraditionalRoute) => [...methods],
  sni: ({ snis }: TraditionalRoute) => [...snis],
} as const;

type Field = keyof typeof fields;

/** How many routes have each text of a field. */
type FieldCounts = Readonly<Record<Field, MeasuredMap<number>>>;

interface Parts {
  readonly index: CandidateIndex<TraditionalRoute>;
  readonly counts: FieldCounts;
  readonly size: number;
}

/** All routes that match on the same fields. It is immutable. */
export class TraditionalCategory {
  readonly rules: number;
  readonly weight: number;
  readonly #parts: Parts;

  private constructor(rules: number, parts: Parts) {
    this.rules = rules;
    this.weight = weightOf(rules);
    this.#parts = parts;
  }

  /** A category without routes. */
  static empty(rules: number): TraditionalCategory {
    const none = new MeasuredMap<number>();
    return new TraditionalCategory(rules, {
      index: CandidateIndex.empty({ compare: compareTraditional, keysOf: indexKeysOf }),
      counts: { host: none, header: none, uri: none, method: none, sni: none },
      size: 0,
    });
  }

  get isEmpty(): boolean {
    return this.#parts.size === 0;
  }

  change(
    removed: readonly TraditionalRoute[],
    added: readonly TraditionalRoute[],
  ): TraditionalCategory {
    const { index, counts, size } = this.#parts;
    const recounted = (field: Field) =>
      recount(counts[field], removed.flatMap(fields[field]), added.flatMap(fields[field]));
    return new TraditionalCategory(this.rules, {
      index: index.change(removed, added),
      counts: {
        host: recounted('host'),
        header: recounted('header'),
        uri: recounted('uri'),
        method: recounted('method'),
        sni: recounted('sni'),
      },
      size: size - removed.length + added.length,
    });
  }

  /**
   * The first route that matches among those which share the most telling field with the request, or
   * else the first that matches at all. Kong walks two lists; this walks the candidates once.
   */
  find(input: TraditionalRequest, hits: Hits): FoundRoute | undefined {
    const { request, hostWithoutPort, hostWithPort } = input;
    const preferred = this.#preferred(request, hits);
    const candidates = this.#parts.index.search(
      request.path,
      request.host,
      hostWithoutPort,
      hostWithPort,
    );
    let first: FoundRoute | undefined;
    for (let found = candidates.next(); found !== undefined; found = candidates.next()) {
      const route = found.candidate;
      const isPreferred =
        preferred === undefined || fields[preferred.field](route).includes(preferred.text);
      const uri = first !== undefined && !isPreferred ? undefined : matchTraditional(route, input);
      if (uri === undefined) continue;
      if (isPreferred) return { route, uri };
      first ??= { route, uri };
    }
    return first;
  }

  /** The text of the request that the fewest routes have, but for a header, which goes first. */
  #preferred(request: RouteRequest, hits: Hits): PreferredText | undefined {
    const { counts } = this.#parts;
    const texts: readonly (readonly [Field, string | undefined])[] = [
      ['host', hits.host ?? request.host],
      ['uri', hits.uri],
      ['method', request.method],
      ['sni', request.sni ?? ''],
    ];
    const ofHeader = hits.headerName ?? '';
    if (counts.header.get(ofHeader) !== undefined) return { field: 'header', text: ofHeader };
    let rarest: PreferredText | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const [field, text] of texts) {
      const count = text === undefined ? undefined : counts[field].get(text);
      if (text !== undefined && count !== undefined && count < fewest) {
        rarest = { field, text };
        fewest = count;
      }
    }
    return rarest;
  }
}

interface PreferredText {
  readonly field: Field;
  readonly text: string;
}

/** How many fields routes match on. */
function weightOf(rules: number): number {
  return rules.toString(2).replaceAll('0', '').length;
}

/** Texts that the host and path of a matching request must have. */
export function indexKeysOf(route: TraditionalRoute): CandidateKeys {
  const hosts: TextKey[] = [...route.plainHosts].map((text) => ({ kind: 'equal', text }));
  for (const { value } of route.wildcardHosts) hosts.push(wildcardKey(value));
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
  if (route.uri?.regex === undefined) return [{ kind: 'prefix', text: route.uri?.value ?? '' }];
  const prefix = literalPrefix(`^${route.uri.value}`);
  return prefix === '' ? null : [{ kind: 'prefix', text: prefix }];
}
