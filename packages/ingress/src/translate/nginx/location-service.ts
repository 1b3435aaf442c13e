import { createHash } from 'node:crypto';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { ServiceResult } from '../kong-service.ts';
import type { PluginEntity, RouteEntity, ServiceEntity } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import { ProblemList } from '../problem.ts';
import { tagsOf } from '../tags.ts';
import {
  isPlainName,
  type LocationMatch,
  locationMatches,
  matcherOf,
  type ServerName,
  serverNames,
  slashMatch,
} from './location-match.ts';
import { locationPlugins } from './location-plugins.ts';
import type { LocationSettings } from './location-settings.ts';
import type { ResolvedNginxOptions } from './options.ts';
import type { NginxBackend } from './parsed-ingress.ts';
import type { NginxLocation, NginxServer } from './server.ts';
import { buildUpstream, type NginxUpstream } from './upstream.ts';

/** A location with all that its Kong service is made from, endpoints aside. */
export interface LocationPlan {
  /** The name of the Kong service. */
  readonly name: string;
  readonly server: NginxServer;
  readonly location: NginxLocation;
  readonly settings: LocationSettings;
  readonly names: readonly ServerName[];
  readonly match: LocationMatch;
  /** Counted from the last location of the server. */
  readonly order: number;
  readonly hasCertificate: boolean;
  /** Only sends clients to the same path with a slash. */
  readonly addsSlash: boolean;
}

/** What one server asks for, location by location. */
export function planServer(
  server: NginxServer,
  plain: LocationSettings,
  hasCertificate: boolean,
  problems: ProblemList,
): LocationPlan[] {
  const names = serverNames(server);
  const matches = locationMatches(server);
  const places = new Set(server.locations.map(({ path, type }) => `${type} ${path}`));
  return server.locations.flatMap((location, index) => {
    const match = matches[index];
    if (match === undefined) {
      const message = `the path ${JSON.stringify(location.path)} is no regular expression that the gateway can run, and is left out`;
      problems.add(message, location.owner?.ingress);
      return [];
    }
    const settings = location.owner?.location ?? plain;
    const plan: LocationPlan = {
      name: nameOf(server.host, `${location.type} ${location.path}`),
      server,
      location,
      settings,
      names,
      match,
      order: server.locations.length - index,
      hasCertificate,
      addsSlash: false,
    };
    if (!isSlashAdded(server, location, settings, places)) return [plan];
    const bare = location.path.slice(0, -1);
    const name = nameOf(server.host, `slash ${bare}`);
    return [plan, { ...plan, name, match: slashMatch(location), addsSlash: true }];
  });
}

/** nginx does it for what is passed on, where nothing has just this path. */
function isSlashAdded(
  { isRegex }: NginxServer,
  { path }: NginxLocation,
  settings: LocationSettings,
  places: ReadonlySet<string>,
): boolean {
  if (isRegex || path === '/' || !path.endsWith('/')) return false;
  if (settings.denied !== undefined || settings.paths.redirect !== undefined) return false;
  return !places.has(`Exact ${path.slice(0, -1)}`);
}

function nameOf(host: string, place: string): string {
  const digest = createHash('sha256').update(place).digest('hex').slice(0, 12);
  return `nginx.${host.replaceAll('*', '_')}.${digest}`;
}

interface BuildContext {
  readonly reader: ObjectReader;
  readonly options: ResolvedOptions;
  readonly nginx: ResolvedNginxOptions;
  readonly defaultBackend: NginxBackend | undefined;
}

/** Makes the Kong service of a location, with its routes, plugins and endpoints. */
export function buildLocation(plan: LocationPlan, context: BuildContext): ServiceResult {
  const problems = new ProblemList();
  const { location, settings } = plan;
  const { owner } = location;
  const backend = location.isHealth ? undefined : (location.backend ?? context.defaultBackend);
  const upstream = backend && buildUpstream(backend, false, context.reader, context.options);
  const tags = owner === undefined ? [] : tagsOf(owner.ingress);
  const service: ServiceEntity = {
    name: plan.name,
    host: upstream?.entity.name ?? 'nginx.none',
    port: 80,
    ...serviceFields(settings),
    ...(tags.length > 0 && { tags }),
  };
  const plugins = locationPlugins(plan, backend, upstream, context.nginx, problems);
  const { isExpressions } = context.options;
  service.routes = plan.names.flatMap((name, index) => {
    const isWritable = isExpressions || isPlainName(name);
    return isWritable ? [routeOf(plan, name, index, tags, plugins, isExpressions)] : [];
  });
  return {
    service,
    upstream: upstream?.entity,
    pluginUses: [],
    clientCertificates: [],
    problems: problems.items,
    translated: owner === undefined ? [] : [owner.ingress],
    routeClaims: [],
    leftOut: [],
    incomplete: [],
  };
}

function routeOf(
  plan: LocationPlan,
  name: ServerName,
  index: number,
  tags: readonly string[],
  plugins: readonly PluginEntity[],
  isExpressions: boolean,
): RouteEntity {
  const { settings, match, order } = plan;
  return {
    name: index === 0 ? plan.name : `${plan.name}.${index}`,
    ...matcherOf(name, match, order, isExpressions),
    protocols: ['http', 'https'],
    https_redirect_status_code: 426,
    strip_path: false,
    preserve_host: true,
    request_buffering: settings.proxy.buffersRequests,
    response_buffering: settings.proxy.buffersResponses,
    ...(tags.length > 0 && { tags: [...tags] }),
    plugins: plugins.map((plugin) => ({ ...plugin, ...(tags.length > 0 && { tags: [...tags] }) })),
  };
}

function serviceFields({ proxy }: LocationSettings): Partial<ServiceEntity> & { protocol: string } {
  return {
    protocol: proxy.protocol === 'auto' || proxy.protocol === 'fcgi' ? 'http' : proxy.protocol,
    connect_timeout: milliseconds(proxy.connectTimeoutMs),
    read_timeout: milliseconds(proxy.readTimeoutMs),
    write_timeout: milliseconds(proxy.sendTimeoutMs),
    retries: 5,
    ...(proxy.protocol === 'https' && { tls_verify: false }),
  };
}

/** What Kong takes: nginx' 0 is no time at all. */
function milliseconds(value: number): number {
  return Math.min(Math.max(value, 1), 2 ** 31 - 2);
}

export type { NginxUpstream };
