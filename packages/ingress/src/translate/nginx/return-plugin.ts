import type { PluginEntity } from '../kong-state.ts';
import type { LocationPlan } from './location-plan.ts';
import type { LocationTargets } from './location-plugins.ts';

/** What is answered without asking a backend. */
export function returnPlugin(plan: LocationPlan, targets: LocationTargets): PluginEntity[] {
  const { location, settings, addsSlash } = plan;
  const { paths } = settings;
  const config: Record<string, unknown> = {};
  const code = redirectCode(location.owner?.settings.int('http-redirect-code') ?? 308);
  if (plan.redirectsToHost !== undefined) {
    config.to_host = { host: plan.redirectsToHost, status: code };
    return [{ name: 'nginx-return', config }];
  }
  if (plan.server.clientCertificate?.isBroken) {
    return [{ name: 'nginx-return', config: { status: 403, is_closed: true } }];
  }
  const appRoot = appRootOf(plan);
  if (appRoot !== undefined) config.app_root = appRoot;
  // Nothing else is looked at then, nobody is sent to https.
  if (isDenied(plan)) return [{ name: 'nginx-return', config: { ...config, status: 503 } }];
  if (!location.isPlain && paths.redirect !== undefined) config.redirect = paths.redirect;
  if (addsSlash) config.add_slash = true;
  if (isSecured(plan)) {
    config.ssl_redirect = {
      status: code,
      keep_trailing_slash: paths.keepsTrailingSlash,
      port_in_redirect: paths.hasPortInRedirects,
    };
  }
  const status = statusOf(plan, targets);
  if (status !== undefined) config.status = status;
  if (Object.keys(config).length === 0) return [];
  if (paths.hasRelativeRedirects) config.relative_redirects = true;
  return [{ name: 'nginx-return', config }];
}

/** Whether a location only says that it cannot be served, because of what is wrong with its Ingress. */
export function isDenied({ location, settings, redirectsToHost }: LocationPlan): boolean {
  const isOfNobody = location.page !== undefined || redirectsToHost !== undefined;
  return settings.denied !== undefined && !isOfNobody;
}

function statusOf({ location, settings }: LocationPlan, targets: LocationTargets) {
  // What load balancers ask the server of unknown hosts for.
  if (location.page !== undefined) return location.page === 'health' ? 200 : undefined;
  const isReplaced = settings.errors.backend !== undefined && targets.errors?.hasEndpoints;
  return targets.upstream?.hasEndpoints === false && !isReplaced ? 503 : undefined;
}

/** It is written for the whole server, by the location that comes first. */
function appRootOf({ server }: LocationPlan): string | undefined {
  for (const { owner, isPlain } of server.locations)
    if (!isPlain && owner?.location.paths.appRoot !== undefined)
      return owner.location.paths.appRoot;
  return undefined;
}

function isSecured({ location, settings, hasCertificate }: LocationPlan): boolean {
  const { sslRedirect } = settings.paths;
  if (location.owner === undefined || sslRedirect === 'never') return false;
  const exempt = location.owner.settings.list('no-tls-redirect-locations');
  if (exempt.some((path) => location.path.startsWith(path))) return false;
  return sslRedirect === 'always' || hasCertificate;
}

function redirectCode(code: number): number {
  return [301, 302, 307, 308].includes(code) ? code : 308;
}
