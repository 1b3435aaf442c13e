import type { KubeObject } from '@waygate/schema';
import { keyOf } from '../objects/reference.ts';
import { annotationList, annotationsOf } from './annotations.ts';
import type { UniqueClaim } from './incremental/unique-claims.ts';
import type { RouteEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import type { RouteDraft } from './service-claim.ts';

/** A route's claim to its name, or to requests that a rule of it matches. */
export interface RouteClaim extends UniqueClaim {
  readonly route: string;
}

/**
 * What a route must have for itself: its name, and hosts and paths that no route of another namespace
 * has just so. Kong would take either of two equal rules, by chance, and the one with a further
 * condition before the other; here it is the older one's. Where hosts are isolated, a namespace that
 * has a host has it for itself. Inside a namespace all this is the business of its owner.
 */
export function routeClaims(
  drafts: readonly RouteDraft[],
  { isolatesHosts }: Pick<ResolvedOptions, 'isolatesHosts'>,
): RouteClaim[] {
  return drafts.flatMap(({ entity, source }) => {
    const by = { objects: [source] as const, holder: keyOf(source), route: entity.name };
    const name: RouteClaim = { index: 'route', value: entity.name, ...by };
    const sharedBy = source.metadata.namespace ?? '';
    const shared = (index: string, value: string): RouteClaim => ({
      ...by,
      index,
      value,
      sharedBy,
      holder: sharedBy,
    });
    const rules = rulesOf(entity).map((rule) => shared('rule', rule));
    const hosts = isolatesHosts ? hostsOf(source).map((host) => shared('host', host)) : [];
    return [name, ...rules, ...hosts];
  });
}

/** Where the kinds of objects with rules have their hosts. */
interface RuleSpec {
  readonly hostnames?: readonly string[] | null;
  readonly rules?: readonly { readonly host?: string; readonly hosts?: readonly string[] }[] | null;
}

/** The hosts that an object with rules names. */
function hostsOf(source: KubeObject): string[] {
  const { spec } = source as { spec?: RuleSpec | null };
  const { hostnames, rules } = spec ?? {};
  const aliases = annotationList(annotationsOf(source), 'host-aliases') ?? [];
  const own = (rules ?? []).flatMap(({ host, hosts }) => [
    ...(host ? [host] : []),
    ...(hosts ?? []),
  ]);
  const all = [...(hostnames ?? []), ...own, ...aliases].map((host) => host.toLowerCase());
  return [...new Set(all)];
}

/** The rules of a route, one for each of its hosts and paths, as texts that are equal when they are. */
export function rulesOf(route: RouteEntity): string[] {
  const sort = isStream(route) ? 'stream' : 'http';
  if (route.expression !== undefined) return [`${sort} ${route.expression}`];
  if (sort === 'stream') {
    const ports = (route.destinations ?? []).map(({ port }) => port);
    const snis = route.snis ?? [''];
    return ports.flatMap((port) => snis.map((sni) => `${streamOf(route)} ${port} ${sni}`));
  }
  const hosts = route.hosts ?? [''];
  const paths = route.paths ?? [''];
  return hosts.flatMap((host) => paths.map((path) => `${host.toLowerCase()} ${path}`));
}

function isStream({ protocols }: RouteEntity): boolean {
  return (protocols ?? []).some((one) => one === 'tcp' || one === 'udp' || one.startsWith('tls'));
}

function streamOf({ protocols }: RouteEntity): string {
  return protocols?.includes('udp') ? 'udp' : 'tcp';
}

/** What is said on the object whose route was not made, because another one has what it needs. */
export function lostRouteMessage({ index, value }: RouteClaim, winner: KubeObject): string {
  let what = 'the same host and path';
  if (index === 'route') what = `the name ${JSON.stringify(value)}`;
  if (index === 'host') what = `the host ${value}`;
  return `route left out: ${winner.kind} ${keyOf(winner)} has ${what}`;
}
