import type { PluginEntity } from '../kong-state.ts';
import type { ProblemList } from '../problem.ts';
import type { LocationPlan } from './location-service.ts';
import { nginxPlugins, type ResolvedNginxOptions } from './options.ts';
import type { NginxBackend } from './parsed-ingress.ts';
import { isRewritten } from './server.ts';
import type { NginxUpstream } from './upstream.ts';

const notFound =
  '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n';

/** The plugins of a location's routes. Those that the gateway does not have are said to be missing. */
export function locationPlugins(
  plan: LocationPlan,
  backend: NginxBackend | undefined,
  upstream: NginxUpstream | undefined,
  { availablePlugins }: ResolvedNginxOptions,
  problems: ProblemList,
): PluginEntity[] {
  const { location } = plan;
  const plugins = [
    proxyPlugin(plan, backend),
    ...returnPlugin(plan, upstream),
    ...plan.settings.plugins,
    ...(upstream === undefined && !location.isHealth ? [notFoundPlugin] : []),
  ];
  return plugins.filter(({ name }) => {
    const isThere =
      availablePlugins === undefined || availablePlugins.has(name) || !nginxPlugins.includes(name);
    if (!isThere) problems.add(`the gateway has no plugin ${name}`, location.owner?.ingress);
    return isThere;
  });
}

const notFoundPlugin: PluginEntity = {
  name: 'request-termination',
  config: { status_code: 404, content_type: 'text/html', body: notFound },
};

function proxyPlugin(plan: LocationPlan, backend: NginxBackend | undefined): PluginEntity {
  const { location, settings } = plan;
  const { paths, proxy } = settings;
  const config: Record<string, unknown> = { ...proxy.plugin };
  if (isRewritten(location)) {
    config.rewrite = { pattern: location.path, target: paths.rewriteTarget };
    if (paths.forwardedPrefix !== undefined) config.forwarded_prefix = paths.forwardedPrefix;
  }
  const { metadata } = location.owner?.ingress ?? { metadata: {} };
  const fields = {
    namespace: metadata.namespace,
    ingress: metadata.name,
    service: backend?.service,
    service_port: backend?.port,
    location: location.path,
  };
  config.log_fields = Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
  return { name: 'nginx-proxy', config };
}

/** What is answered without asking a backend. */
function returnPlugin(plan: LocationPlan, upstream: NginxUpstream | undefined): PluginEntity[] {
  const { location, settings, addsSlash } = plan;
  const { paths, denied } = settings;
  const config: Record<string, unknown> = {};
  const appRoot = appRootOf(plan);
  if (appRoot !== undefined) config.app_root = appRoot;
  if (!location.isPlain && paths.redirect !== undefined) config.redirect = paths.redirect;
  if (addsSlash) config.add_slash = true;
  if (paths.hasRelativeRedirects) config.relative_redirects = true;
  const settingsOfHost = location.owner?.settings;
  if (isSecured(plan) && settingsOfHost !== undefined) {
    config.ssl_redirect = {
      status: redirectCode(settingsOfHost.int('http-redirect-code')),
      keep_trailing_slash: paths.keepsTrailingSlash,
      port_in_redirect: paths.hasPortInRedirects,
    };
  }
  // What load balancers ask the server of unknown hosts for.
  if (location.isHealth) config.status = 200;
  if (denied !== undefined || upstream?.hasEndpoints === false) config.status = 503;
  const isNothing = Object.keys(config).every((key) => key === 'relative_redirects');
  return isNothing ? [] : [{ name: 'nginx-return', config }];
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
  const exempt = location.owner?.settings.list('no-tls-redirect-locations') ?? [];
  if (sslRedirect === 'never' || exempt.some((path) => location.path.startsWith(path)))
    return false;
  return sslRedirect === 'always' || hasCertificate;
}

function redirectCode(code: number): number {
  return [301, 302, 307, 308].includes(code) ? code : 308;
}
