import type { PluginEntity } from '../kong-state.ts';
import type { ProblemList } from '../problem.ts';
import { joined, snippetPlugin } from './groups/snippets.ts';
import type { LocationPlan } from './location-plan.ts';
import { metricsPlugin } from './metrics-plugin.ts';
import { nginxPlugins, type ResolvedNginxOptions } from './options.ts';
import type { NginxBackend } from './parsed-ingress.ts';
import { isDenied, returnPlugin } from './return-plugin.ts';
import { isRewritten } from './server.ts';
import type { Snippet } from './snippets/understand.ts';
import type { NginxUpstream } from './upstream.ts';
import type { UpstreamPolicy } from './upstream-index.ts';

/** The upstreams that a location leads to. */
export interface LocationTargets {
  readonly backend: NginxBackend | undefined;
  readonly policy: UpstreamPolicy | undefined;
  readonly upstream: NginxUpstream | undefined;
  readonly canary:
    | (NonNullable<UpstreamPolicy['canary']> & { readonly upstream: NginxUpstream })
    | undefined;
  /** Where error pages come from. */
  readonly errors: NginxUpstream | undefined;
}

const notFound =
  '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n';

/** The answer of the default backend that is built in. */
const notFoundPlugin: PluginEntity = {
  name: 'request-termination',
  config: { status_code: 404, content_type: 'text/html', body: notFound },
};

/**
 * The plugins of a location's routes. One that the gateway does not have is said to be missing, and the
 * location is closed: what it was for may be to keep people out.
 */
export function locationPlugins(
  plan: LocationPlan,
  targets: LocationTargets,
  options: ResolvedNginxOptions,
  problems: ProblemList,
): PluginEntity[] {
  const { location, settings } = plan;
  const wanted = [
    ...clientCertificate(plan),
    proxyPlugin(plan, targets),
    ...errorPages(plan, targets),
    ...(isDenied(plan) ? [] : snippetPlugin(snippetOf(plan))),
    ...returnPlugin(plan, targets),
    ...(isDenied(plan) ? [] : settings.plugins)
      .filter((plugin) => isInForce(plugin, plan))
      .map((one) => placed(one, plan)),
    ...balancing(plan, targets),
    ...proxySslPlugin(plan),
    ...gzipPlugin(plan),
    ...metricsPlugin(plan, targets, options),
    ...(targets.upstream === undefined && location.page === undefined ? [notFoundPlugin] : []),
  ];
  const { availablePlugins: available } = options;
  const missing = wanted.filter(
    ({ name }) => available !== undefined && nginxPlugins.includes(name) && !available.has(name),
  );
  if (missing.length === 0) return wanted;
  for (const { name } of missing)
    problems.add(`the gateway has no plugin ${name}`, location.owner?.ingress);
  const rest = wanted.filter((plugin) => !missing.includes(plugin));
  const isHarmless = missing.every(({ name }) => harmless.has(name));
  return isHarmless ? rest : [...rest.filter(({ name }) => name !== closed.name), closed];
}

/** Without these nobody gets in who should not: a certificate is then checked for another name. */
const harmless: ReadonlySet<string> = new Set([
  'nginx-proxy',
  'nginx-gzip',
  'nginx-metrics',
  'proxy-ssl',
  'response-rate',
]);

/** What a location answers that cannot be served as it was asked for. */
const closed: PluginEntity = {
  name: 'request-termination',
  config: { status_code: 503, message: 'this path cannot be served as its Ingress asks for' },
};

/** Some paths are never asked for a password. */
function isInForce({ name }: PluginEntity, { location }: LocationPlan): boolean {
  if (name !== 'htpasswd-auth' && name !== 'external-auth') return true;
  const open = location.owner?.settings.list('no-auth-locations') ?? [];
  return !open.some((path) => location.path.startsWith(path));
}

/** Some plugins keep answers, for each location by itself. */
function placed(plugin: PluginEntity, { name }: LocationPlan): PluginEntity {
  if (plugin.name !== 'external-auth') return plugin;
  return { ...plugin, config: { ...plugin.config, location: name } };
}

function clientCertificate({ server, names }: LocationPlan): PluginEntity[] {
  const { clientCertificate: wanted } = server;
  if (wanted?.plugin === undefined) return [];
  const serverNames = names.map(({ text }) => text);
  return [{ name: 'client-certificate', config: { ...wanted.plugin, server_names: serverNames } }];
}

function proxyPlugin(plan: LocationPlan, { backend }: LocationTargets): PluginEntity {
  const { location, settings } = plan;
  const { paths, proxy, responseHeaders } = settings;
  const config: Record<string, unknown> = { ...proxy.plugin };
  if (isRewritten(location)) {
    config.rewrite = { pattern: location.path, target: paths.rewriteTarget };
    if (paths.forwardedPrefix !== undefined) config.forwarded_prefix = paths.forwardedPrefix;
  }
  if (responseHeaders.length > 0) config.add_headers = responseHeaders;
  const { hide_headers: hidden = [], body_size: size } = snippetOf(plan) ?? {};
  if (hidden.length > 0) config.hide_headers = [...listOf(config.hide_headers), ...hidden];
  if (size !== undefined) config.body_size = size;
  config.log_fields = fieldsOf({ ...placeOf(plan, backend), location: location.path });
  return { name: 'nginx-proxy', config };
}

/** What the snippets of the host and of the location say together. */
function snippetOf({ server, settings }: LocationPlan): Snippet | undefined {
  const first = server.ingresses.find(({ location }) => location.snippets.server !== undefined);
  const ofServer = first?.location.snippets.server ?? settings.snippets.server;
  return joined(ofServer, settings.snippets.location);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The names that stand in variables, logs and headers of error pages. */
function placeOf({ location }: LocationPlan, backend: NginxBackend | undefined) {
  const { metadata } = location.owner?.ingress ?? { metadata: {} };
  return {
    namespace: metadata.namespace,
    ingress: metadata.name,
    service: backend?.service,
    service_port: backend?.port,
  };
}

function fieldsOf(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1])),
  );
}

function errorPages(plan: LocationPlan, targets: LocationTargets): PluginEntity[] {
  const { errors } = plan.settings;
  const isUnavailable =
    errors.backend !== undefined &&
    targets.upstream?.hasEndpoints === false &&
    targets.errors?.hasEndpoints === true;
  if (errors.codes.length === 0 && !isUnavailable) return [];
  const config = {
    codes: errors.codes,
    ...(targets.errors && { upstream: targets.errors.entity.name, port: 80 }),
    headers: fieldsOf(placeOf(plan, plan.location.backend)),
    intercept: errors.intercepts,
    unavailable: isUnavailable,
    ...(targets.errors === undefined && !errors.isOwn && { recursion: true }),
  };
  return [{ name: 'error-pages', config }];
}

function gzipPlugin({ location }: LocationPlan): PluginEntity[] {
  const settings = location.owner?.settings;
  if (!settings?.bool('use-gzip')) return [];
  const level = Math.min(Math.max(settings.int('gzip-level'), 1), 9);
  const types = settings.text('gzip-types').split(/\s+/).filter(Boolean);
  const config = { level, min_length: Math.max(settings.int('gzip-min-length'), 0), types };
  return [{ name: 'nginx-gzip', config }];
}

/** The name that a backend's certificate is for, and whether it is told whom is asked for. */
function proxySslPlugin({ settings }: LocationPlan): PluginEntity[] {
  const { proxy, proxySsl } = settings;
  const isSecure = proxy.protocol === 'https' || proxy.protocol === 'grpcs';
  if (!isSecure || !proxySsl?.isVerified || proxySsl.name === undefined) return [];
  const { name, sendsServerName } = proxySsl;
  return [{ name: 'proxy-ssl', config: { server_name: sendsServerName, name } }];
}

/** Which of the endpoints a request goes to. */
function balancing({ location, settings }: LocationPlan, targets: LocationTargets): PluginEntity[] {
  const { policy, upstream, canary } = targets;
  if (policy === undefined || upstream === undefined || !upstream.hasEndpoints) return [];
  const plugins: PluginEntity[] = [];
  const { affinity, hashBy } = policy;
  const isCanaryUp = canary?.upstream.hasEndpoints === true;
  const canaryName = isCanaryUp ? canary.upstream.entity.name : undefined;
  if (canary !== undefined && canaryName !== undefined) {
    const isSticky = affinity !== undefined && canary.isSticky;
    const config = { ...canary.plugin, upstream: canaryName, port: 80, sticky: isSticky };
    plugins.push({ name: 'canary', config });
  }
  if (affinity !== undefined) {
    plugins.push({
      name: 'cookie-affinity',
      config: {
        ...affinity.cookie,
        mode: affinity.mode,
        path: affinity.path ?? location.rulePath,
        upstreams: [upstream.entity.name, ...(canaryName === undefined ? [] : [canaryName])],
        set_cookie: settings.upstream.affinity !== undefined,
      },
    });
  } else if (hashBy !== undefined) {
    const config = { value: hashBy.value, subset_size: hashBy.subsetSize };
    plugins.push({ name: 'upstream-hash', config });
  }
  return plugins;
}
