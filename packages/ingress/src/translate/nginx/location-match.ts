import { allOf, anyOf, compare, type Matcher } from '../expression.ts';
import type { RouteEntity } from '../kong-state.ts';
import { anyHost } from './parsed-ingress.ts';
import { isRunnable } from './runnable-pattern.ts';
import type { NginxLocation, NginxServer } from './server.ts';

/** What a route has to match by. */
export type RouteMatcher = Pick<
  RouteEntity,
  'expression' | 'priority' | 'hosts' | 'paths' | 'regex_priority'
>;

/** How a name of a server is compared with the host of a request. */
type HostKind = 'exact' | 'wildcard' | 'regex';

// nginx looks for the exact name, then for the longest wildcard, then for regular expressions.
const tiers: Readonly<Record<HostKind, number>> = { regex: 1, wildcard: 2, exact: 3 };
const tierSize = 2 ** 44;
const nameSize = 2 ** 32;
/** Kong's router has twelve bits for it. */
const mostOrdered = 4_095;

/** Names of hosts are compared without regard to case. */
const hostField = 'lower(http.host)';

/** A name under which a server is asked for. */
export interface ServerName {
  readonly text: string;
  readonly kind: HostKind;
  /** A part of an expression, without which the name is any. */
  readonly predicate: Matcher | undefined;
}

/** The names of a server: its host, and its aliases. */
export function serverNames({ host, aliases }: NginxServer): ServerName[] {
  const own: ServerName[] =
    host === anyHost
      ? [{ text: host, kind: 'exact', predicate: undefined }]
      : [host.startsWith('*.') ? oneLabel(host) : exactName(host)];
  for (const alias of aliases) {
    const name = aliasName(alias);
    if (name !== undefined && !own.some(({ text }) => text === name.text)) own.push(name);
  }
  return own;
}

/** An alias may be a pattern; undefined when it is one that cannot be run. */
export function aliasName(alias: string): ServerName | undefined {
  if (alias.startsWith('~')) {
    const pattern = alias.slice(1);
    if (!isRunnable(`(?i)^${pattern}`, 'rust')) return undefined;
    return { text: alias, kind: 'regex', predicate: compare(hostField, '~', `(?i)${pattern}`) };
  }
  const text = alias.toLowerCase();
  if (!text.startsWith('*.')) return exactName(text);
  return { text, kind: 'wildcard', predicate: compare(hostField, '=^', text.slice(1)) };
}

/** A trailing dot of a host says nothing. */
function exactName(text: string): ServerName {
  const names = [text, `${text}.`].map((one) => compare(hostField, '==', one));
  return { text, kind: 'exact', predicate: anyOf(...names) };
}

/** The host `*.x` of a rule stands for one label, unlike such an alias. */
function oneLabel(text: string): ServerName {
  const rest = text.slice(1);
  const pattern = `^[\\w-]+${escapePattern(rest)}$`;
  const isUnder = compare(hostField, '=^', rest);
  return { text, kind: 'regex', predicate: allOf(isUnder, compare(hostField, '~', pattern)) };
}

/** What a location matches, and where it stands among the others. */
export interface LocationMatch {
  readonly predicate: Matcher;
  /** The same as a path of a route that has none. */
  readonly path: string;
  /** Higher ones are tried first. */
  readonly rank: number;
}

/** The order of a server's locations; those that cannot be run are undefined. */
export function locationMatches({
  locations,
  isRegex,
}: NginxServer): (LocationMatch | undefined)[] {
  return locations.map((location, index) => {
    const { path } = location;
    if (!isRegex) return plainMatch(location);
    if (!isRunnable(`(?i)^${path}`, 'rust')) return undefined;
    return {
      predicate: compare('http.path', '~', `(?i)^${path}`),
      path: `~(?i)${path}`,
      rank: locations.length - index,
    };
  });
}

function plainMatch({ path, type }: NginxLocation): LocationMatch {
  if (type === 'Exact') {
    const pattern = `~${escapePattern(path)}$`;
    return {
      predicate: compare('http.path', '==', path),
      path: pattern,
      rank: path.length * 4 + 3,
    };
  }
  const predicate = compare('http.path', '^=', path);
  return {
    predicate,
    path: path === '/' ? '/' : `~${escapePattern(path)}`,
    rank: path.length * 4 + 2,
  };
}

/** Everything below the root. */
export function rootMatch(): LocationMatch {
  return { predicate: compare('http.path', '^=', '/'), path: '/', rank: 0 };
}

/** The path without its last slash, which nginx redirects where nothing else has it. */
export function slashMatch({ path }: NginxLocation): LocationMatch {
  const bare = path.slice(0, -1);
  return {
    predicate: compare('http.path', '==', bare),
    path: `~${escapePattern(bare)}$`,
    rank: bare.length * 4 + 1,
  };
}

/** Whether routes of hosts and paths can have a name: a pattern is none that they know. */
export function isPlainName({ text }: ServerName): boolean {
  return !text.startsWith('~');
}

/** A route for one name of a server. Those for any host rank below all that have one. */
export function matcherOf(
  name: ServerName,
  match: LocationMatch,
  order: number,
  isExpressions: boolean,
): RouteMatcher {
  if (name.predicate === undefined || !isExpressions) {
    return {
      ...(name.predicate !== undefined && { hosts: [name.text] }),
      paths: [match.path],
      ...(match.path !== '/' && { regex_priority: Math.min(order, mostOrdered) }),
    };
  }
  const weight = name.kind === 'wildcard' ? name.text.length : 0;
  return {
    expression: allOf(name.predicate, match.predicate),
    priority: (tiers[name.kind] - 1) * tierSize + Math.min(weight, 255) * nameSize + match.rank,
  };
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
