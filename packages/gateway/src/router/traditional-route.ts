import { type AddressRange, parseAddressRange } from '@waygate/text';
import { splitTraditionalHost } from './host-port.ts';
import { compilePathPattern, type PathPattern } from './path-pattern.ts';
import { compileRegularExpression, type RegularExpression } from './regular-expression.ts';
import { withoutLastDot } from './route-expression.ts';
import { isEmpty, type RouteEntry } from './route-match.ts';
import { WildcardHost } from './wildcard-host.ts';

/** Which fields a route matches on, as bits. The order is the one in which categories are tried. */
export const matchRule = {
  host: 0x40,
  header: 0x20,
  uri: 0x10,
  method: 0x08,
  sni: 0x04,
  source: 0x02,
  destination: 0x01,
} as const;

const hasRegexUri = 0x01;
const hasPlainHostsOnly = 0x02;
const hasWildcardHostPort = 0x04;

interface HeaderRule {
  readonly name: string;
  readonly values: ReadonlySet<string>;
  readonly pattern: RegularExpression | undefined;
}

interface UriRule {
  readonly value: string;
  /** Undefined for a prefix. */
  readonly regex: PathPattern | undefined;
}

export interface NetRule {
  readonly range: AddressRange | undefined;
  readonly port: number | undefined;
}

/** A route with at most one path, prepared for the traditional router. */
export interface TraditionalRoute {
  readonly entry: RouteEntry;
  /** Which of the route's paths this is. */
  readonly pathIndex: number;
  readonly rules: number;
  readonly weight: number;
  readonly subWeight: number;
  readonly uriLength: number;
  readonly plainHosts: ReadonlySet<string>;
  readonly wildcardHosts: readonly WildcardHost[];
  readonly headers: readonly HeaderRule[];
  readonly uri: UriRule | undefined;
  readonly methods: ReadonlySet<string>;
  readonly snis: ReadonlySet<string>;
  readonly sources: readonly NetRule[];
  readonly destinations: readonly NetRule[];
}

/** One prepared route for each path, since paths are ordered among those of all routes. */
export function prepareTraditional(entry: RouteEntry): TraditionalRoute[] {
  const paths = entry.route.paths ?? [];
  return (paths.length === 0 ? [undefined] : paths).flatMap((path, index) => {
    const prepared = prepareOne(entry, path, index);
    return prepared === undefined ? [] : [prepared];
  });
}

/** The order inside a category. Kong leaves it open which of two equal routes comes first. */
export function compareTraditional(a: TraditionalRoute, b: TraditionalRoute): number {
  if (a.subWeight !== b.subWeight) return b.subWeight - a.subWeight;
  if (a.headers.length !== b.headers.length) return b.headers.length - a.headers.length;
  if ((a.subWeight & hasRegexUri) !== 0) {
    const priority = (b.entry.route.regex_priority ?? 0) - (a.entry.route.regex_priority ?? 0);
    if (priority !== 0) return priority;
  }
  if (a.uriLength !== b.uriLength) return b.uriLength - a.uriLength;
  const [one, two] = [a.entry.route, b.entry.route];
  const age = (one.created_at ?? 0) - (two.created_at ?? 0);
  if (age !== 0) return age;
  return one.id === two.id ? a.pathIndex - b.pathIndex : one.id < two.id ? -1 : 1;
}

function prepareOne(
  entry: RouteEntry,
  path: string | undefined,
  pathIndex: number,
): TraditionalRoute | undefined {
  const { route } = entry;
  let rules = 0;
  let subWeight = 0;
  const hosts = route.hosts ?? [];
  const wildcards = hosts.filter((host) => host.includes('*'));
  if (hosts.length > 0) {
    rules |= matchRule.host;
    subWeight |= wildcards.length === 0 ? hasPlainHostsOnly : 0;
    subWeight |= wildcards.some((host) => splitTraditionalHost(host).hasPort)
      ? hasWildcardHostPort
      : 0;
  }
  const headers = prepareHeaders(route.headers ?? {});
  rules |= headers.length > 0 ? matchRule.header : 0;
  const uri = path === undefined ? undefined : prepareUri(path);
  if (path !== undefined) {
    if (uri === undefined) return undefined;
    rules |= matchRule.uri;
    subWeight |= uri.regex === undefined ? 0 : hasRegexUri;
  }
  rules |= isEmpty(route.methods) ? 0 : matchRule.method;
  rules |= isEmpty(route.snis) ? 0 : matchRule.sni;
  rules |= isEmpty(route.sources) ? 0 : matchRule.source;
  rules |= isEmpty(route.destinations) ? 0 : matchRule.destination;
  if (rules === 0) return undefined;
  return {
    entry,
    pathIndex,
    rules,
    weight: rules.toString(2).replaceAll('0', '').length,
    subWeight,
    uriLength: uri === undefined || uri.regex !== undefined ? 0 : Buffer.byteLength(uri.value),
    plainHosts: new Set(hosts.filter((host) => !host.includes('*'))),
    wildcardHosts: wildcards.map((value) => new WildcardHost(value)),
    headers,
    uri,
    methods: new Set((route.methods ?? []).map((name) => name.toUpperCase())),
    snis: new Set((route.snis ?? []).map(withoutLastDot)),
    sources: (route.sources ?? []).map(prepareNet),
    destinations: (route.destinations ?? []).map(prepareNet),
  };
}

function prepareHeaders(headers: Readonly<Record<string, readonly string[]>>): HeaderRule[] {
  return Object.entries(headers).flatMap(([name, values]) => {
    if (name.toLowerCase() === 'host') return [];
    const only = values.length === 1 ? values[0] : undefined;
    const pattern = only?.startsWith('~*')
      ? compileRegularExpression(only.slice(2), { dialect: 'pcre' })
      : undefined;
    const lower = new Set(values.map((value) => value.toLowerCase()));
    return [{ name: name.toLowerCase(), values: lower, pattern }];
  });
}

function prepareUri(path: string): UriRule | undefined {
  if (!path.startsWith('~')) return { value: path, regex: undefined };
  const value = path.slice(1);
  const regex = compilePathPattern(value);
  return regex === undefined ? undefined : { value, regex };
}

function prepareNet(net: { ip?: string | null; port?: number | null }): NetRule {
  const ip = net.ip ?? undefined;
  // An unreadable address matches nothing, rather than everything.
  const range = ip === undefined ? undefined : (parseAddressRange(ip) ?? { contains: () => false });
  return { range, port: net.port ?? undefined };
}
