import type { Clock } from '@waygate/runtime';
import { type AdminApi, refusalOf } from '../sync/admin-api.ts';
import { type NginxOptions, nginxPlugins } from '../translate/nginx/options.ts';
import type { RouterFlavor } from '../translate/options.ts';
import type { GatewaySource } from './gateway-source.ts';
import { nginxFallbackCertificate } from './nginx-certificate.ts';

/** What the translation and the sync need to know of a gateway. */
export interface GatewayFacts {
  readonly kongVersion: string;
  readonly isDbless: boolean;
  readonly routerFlavor: RouterFlavor;
  readonly isEnterprise: boolean;
  /** Whether it has our own plugins for what HTTPRoutes ask for and Kong cannot. */
  readonly hasHttpRoutePlugins: boolean;
  /** What serving Ingresses of ingress-nginx needs to know; asked only where that is wanted. */
  readonly nginx?: Pick<NginxOptions, 'availablePlugins' | 'fallbackCertificate'>;
}

const firstPauseMs = 200;
const longestPauseMs = 5_000;

/** Asks until one of the gateways answers; undefined when the signal aborts before. */
export async function gatewayFacts(
  source: GatewaySource,
  clock: Clock,
  signal: AbortSignal,
  onError: (error: unknown) => void,
  asksForNginx = false,
): Promise<GatewayFacts | undefined> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      // The next one, after one that does not answer.
      const gateways = source.gateways();
      const admin = gateways[attempt % Math.max(gateways.length, 1)];
      if (admin === undefined) throw new Error('no gateway has been found yet');
      const { version, database, routerFlavor } = await admin.info(signal);
      return {
        kongVersion: version,
        isDbless: database === undefined || database === 'off',
        routerFlavor: isFlavor(routerFlavor) ? routerFlavor : 'traditional_compatible',
        isEnterprise: /enterprise|^\d+\.\d+\.\d+\.\d+/u.test(version),
        hasHttpRoutePlugins: (await pluginsOf(admin, ['http-route-redirect'], signal)).size > 0,
        ...(asksForNginx && {
          nginx: {
            availablePlugins: await pluginsOf(admin, nginxPlugins, signal),
            fallbackCertificate: await nginxFallbackCertificate(),
          },
        }),
      };
    } catch (error) {
      if (signal.aborted) return undefined;
      onError(error);
      await clock.sleep(Math.min(firstPauseMs * 2 ** attempt, longestPauseMs), signal);
    }
  }
  return undefined;
}

function isFlavor(text: string | undefined): text is RouterFlavor {
  return text === 'traditional' || text === 'traditional_compatible' || text === 'expressions';
}

/** A gateway without a plugin has no schema of it. */
async function pluginsOf(
  admin: AdminApi,
  names: Iterable<string>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const name of names) {
    try {
      await admin.send('GET', `/schemas/plugins/${name}`, { signal });
      found.add(name);
    } catch (error) {
      if (refusalOf(error)?.status !== 404) throw error;
    }
  }
  return found;
}
