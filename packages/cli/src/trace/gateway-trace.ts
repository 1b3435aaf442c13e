import type { RouteEntry, RouterFlavor } from '@waygate/gateway';
import {
  type AdminClient,
  KongError,
  type KongPlugin,
  type KongRoute,
  type KongService,
} from '@waygate/kong';
import { explainRoutes, type RouteExplanation } from './explain-routes.ts';
import type { TracedRequest } from './traced-request.ts';

/** What a gateway does with a request. */
export interface GatewayTrace extends RouteExplanation {
  /** The plugins that run for whoever calls; those for certain consumers are not among them. */
  readonly plugins: readonly AppliedPlugin[];
  /** Further plugins, which run for some consumers only. */
  readonly consumerPlugins: number;
  readonly targets: readonly TracedTarget[];
  /** Whether the service is an upstream without a target: then the answer is 503. */
  readonly isWithoutTargets: boolean;
  /** How the gateway routes. */
  readonly flavor: RouterFlavor;
}

interface AppliedPlugin {
  readonly name: string;
  readonly scope: string;
  readonly tags: readonly string[];
}

export interface TracedTarget {
  readonly target: string;
  readonly weight: number;
  readonly health: string;
}

/** Reads what decides about a request from an Admin API, and decides as the gateway would. */
export async function traceGateway(
  client: AdminClient,
  request: TracedRequest,
  signal: AbortSignal,
): Promise<GatewayTrace> {
  const { routerFlavor } = await client.info(signal);
  const [routes, services, plugins] = await Promise.all([
    all<KongRoute>(client, 'routes', signal),
    all<KongService>(client, 'services', signal),
    all<KongPlugin>(client, 'plugins', signal),
  ]);
  const byId = new Map(services.map((service) => [service.id, service]));
  const entries = routes.map((route): RouteEntry => {
    const service = byId.get(route.service?.id ?? '');
    return {
      route: route as RouteEntry['route'],
      service: service?.enabled === false ? undefined : service,
    };
  });
  const flavor = (routerFlavor ?? 'traditional_compatible') as RouterFlavor;
  const explanation = explainRoutes(flavor, entries, request);
  if (explanation.match === undefined)
    return {
      ...explanation,
      flavor,
      plugins: [],
      consumerPlugins: 0,
      targets: [],
      isWithoutTargets: false,
    };
  const { route, service } = explanation.match.entry;
  const targets = await targetsOf(client, service, signal);
  return {
    ...explanation,
    ...pluginsFor(plugins, route.id, service?.id),
    flavor,
    targets: targets ?? [],
    isWithoutTargets: targets?.length === 0,
  };
}

async function all<T>(client: AdminClient, path: string, signal: AbortSignal): Promise<T[]> {
  const found: T[] = [];
  for await (const page of client.pages(path, { signal })) found.push(...(page as unknown as T[]));
  return found;
}

/** For each plugin the most specific one: of route and service, of the route, of the service, of all. */
export function pluginsFor(
  plugins: readonly KongPlugin[],
  routeId: string,
  serviceId: string | undefined,
): Pick<GatewayTrace, 'plugins' | 'consumerPlugins'> {
  const chosen = new Map<string, { rank: number; plugin: KongPlugin }>();
  let consumerPlugins = 0;
  for (const plugin of plugins) {
    const { name = '', enabled, route, service } = plugin;
    const isElsewhere =
      (route?.id !== undefined && route.id !== routeId) ||
      (service?.id !== undefined && service.id !== serviceId);
    if (enabled === false || isElsewhere) continue;
    if (plugin.consumer?.id !== undefined || plugin.consumer_group?.id !== undefined) {
      consumerPlugins += 1;
      continue;
    }
    const rank = (route?.id === undefined ? 0 : 2) + (service?.id === undefined ? 0 : 1);
    if (rank >= (chosen.get(name)?.rank ?? 0)) chosen.set(name, { rank, plugin });
  }
  const scopes = ['global', 'service', 'route', 'route and service'];
  return {
    consumerPlugins,
    plugins: [...chosen.values()].map(({ rank, plugin }) => ({
      name: plugin.instance_name ? `${plugin.name} (${plugin.instance_name})` : (plugin.name ?? ''),
      scope: scopes[rank] ?? '',
      tags: plugin.tags ?? [],
    })),
  };
}

interface HealthPage {
  readonly data?: readonly { target?: string; weight?: number; health?: string }[];
}

/** Where the service's requests go; undefined for a host that is no upstream, which stands for itself. */
async function targetsOf(
  client: AdminClient,
  service: KongService | undefined,
  signal: AbortSignal,
): Promise<readonly TracedTarget[] | undefined> {
  if (service?.host === undefined || service.host === null) return undefined;
  const path = `upstreams/${encodeURIComponent(service.host)}/health`;
  const answer = (await client.send('GET', path, { signal }).catch((error: unknown) => {
    if (error instanceof KongError && error.status === 404) return undefined;
    throw error;
  })) as HealthPage | undefined;
  return (answer && (answer.data ?? []))?.map(({ target = '', weight = 100, health = '' }) => ({
    target,
    weight,
    health,
  }));
}
