import { KongError } from '../kong-error.ts';
import { routePaths } from './entity-paths.ts';
import { Selector } from './selector.ts';
import { isStateObject, type StateObject } from './state-document.ts';

/** Which routes get a namespace, and of which kind. */
export interface RouteNamespace {
  /** JSONPath of routes; none stand for all. */
  readonly selectors: readonly string[];
  /** Put before every path. */
  readonly pathPrefix?: string;
  /** Added to the hosts of every route. */
  readonly hosts?: readonly string[];
  /** Whether the hosts that a route had go. */
  readonly clearHosts?: boolean;
  /** Whether selectors may find nothing. */
  readonly allowEmpty?: boolean;
}

/**
 * Keeps the routes of a file apart from those of others, by a prefix of their paths, or by hosts.
 * What the upstream sees stays the same: a route that strips its path strips the prefix too, and a
 * service whose path begins with the prefix loses it; for others a `pre-function` takes it away.
 */
export function namespaceRoutes(document: StateObject, namespace: RouteNamespace): void {
  const routes = selectedRoutes(document, namespace);
  const { pathPrefix, hosts = [], clearHosts = false } = namespace;
  if (pathPrefix !== undefined) prefixPaths(document, routes, checkPrefix(pathPrefix));
  if (hosts.length === 0 && !clearHosts) return;
  for (const route of routes) {
    const before = clearHosts || !Array.isArray(route.hosts) ? [] : route.hosts;
    if (hosts.length > 0 || Array.isArray(route.hosts)) {
      route.hosts = [...new Set([...before, ...hosts])];
    }
  }
}

function selectedRoutes(document: StateObject, namespace: RouteNamespace): StateObject[] {
  const all = new Selector(routePaths).objects(document);
  if (namespace.selectors.length === 0) return all;
  const selected = new Selector(namespace.selectors).find(document);
  const others = selected.filter((each) => !isStateObject(each) || !all.includes(each));
  if (others.length > 0) {
    throw new KongError(
      'WG_KONG_FILE',
      `the selectors returned non-route entities; ${others.length}`,
    );
  }
  if (selected.length === 0 && namespace.allowEmpty !== true) {
    throw new KongError('WG_KONG_FILE', 'no routes matched the selectors');
  }
  return selected.filter(isStateObject);
}

/** What a path may be made of, and a text in Lua too. */
const prefixForm = /^(?:\/[\w.~!$&()*+,;=:@%-]+)+$/;

function checkPrefix(prefix: string): string {
  const cut = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
  if (!prefixForm.test(cut)) {
    throw new KongError(
      'WG_KONG_FILE',
      `invalid path-prefix '${prefix}': it must start with '/', and have only characters of a path`,
    );
  }
  return cut;
}

function prefixPaths(document: StateObject, routes: readonly StateObject[], prefix: string): void {
  /** Routes whose upstream would see the prefix. */
  const unstripped = new Set<StateObject>();
  for (const route of routes) {
    const paths = Array.isArray(route.paths) && route.paths.length > 0 ? route.paths : undefined;
    route.paths =
      paths === undefined ? [`${prefix}/`] : paths.map((path) => withPrefix(String(path), prefix));
    if (route.strip_path === false) unstripped.add(route);
    else if (paths === undefined) route.strip_path = true;
  }
  takeAway(document, unstripped, prefix);
}

/** `~` before a path makes it a regular expression. */
function withPrefix(path: string, prefix: string): string {
  if (!path.startsWith('~')) return `${prefix}${path}`;
  return `~${prefix.replace(/[.$()*+]/g, '\\$&')}${path.slice(1)}`;
}

/** Each service whose routes all need it does it once; else each route does. */
function takeAway(document: StateObject, unstripped: Set<StateObject>, prefix: string): void {
  const services = new Selector(['$.services[*]']).objects(document);
  const top = new Selector(['$.routes[*]']).objects(document);
  for (const service of services) {
    const nested = Array.isArray(service.routes) ? service.routes.filter(isStateObject) : [];
    const own = [...nested, ...top.filter((route) => refersTo(route, service))];
    if (own.length === 0 || !own.every((route) => unstripped.has(route))) continue;
    for (const route of own) unstripped.delete(route);
    const { path } = service;
    if (typeof path === 'string' && (path === prefix || path.startsWith(`${prefix}/`))) {
      const rest = path.slice(prefix.length);
      if (rest === '' || rest === '/') delete service.path;
      else service.path = rest;
    } else addStripper(service, prefix);
  }
  for (const route of unstripped) addStripper(route, prefix);
}

function refersTo(route: StateObject, service: StateObject): boolean {
  const given = isStateObject(route.service)
    ? (route.service.id ?? route.service.name)
    : route.service;
  return given !== undefined && given !== null && (given === service.id || given === service.name);
}

function addStripper(owner: StateObject, prefix: string): void {
  const code = `local ns='${prefix}' -- this strips the '${prefix}' namespace from the path\nlocal u,s,e=ngx.var.upstream_uri s,e=u:find(ns,1,true) if s then ngx.var.upstream_uri=u:sub(1,s-1)..u:sub(e+1,-1) end`;
  const list = Array.isArray(owner.plugins) ? owner.plugins : [];
  owner.plugins = [...list, { name: 'pre-function', config: { access: [code] } }];
}
