import type { Service } from '../../objects/service.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { allOf, compare } from '../expression.ts';
import type { ServiceResult } from '../kong-service.ts';
import type { PluginEntity, RouteEntity, ServiceEntity, UpstreamEntity } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import { ProblemList } from '../problem.ts';
import { tagsOf } from '../tags.ts';
import { caCertificateId } from './ca-certificate.ts';
import {
  aliasName,
  isPlainName,
  matcherOf,
  type RouteMatcher,
  type ServerName,
} from './location-match.ts';
import type { LocationPlan } from './location-plan.ts';
import { type LocationTargets, locationPlugins } from './location-plugins.ts';
import type { LocationSettings } from './location-settings.ts';
import type { ResolvedNginxOptions } from './options.ts';
import type { NginxBackend } from './parsed-ingress.ts';
import { buildUpstream } from './upstream.ts';
import type { UpstreamPolicy } from './upstream-index.ts';

interface BuildContext {
  readonly reader: ObjectReader;
  readonly options: ResolvedOptions;
  readonly nginx: ResolvedNginxOptions;
  readonly defaultBackend: NginxBackend | undefined;
  policyOf(backend: NginxBackend): UpstreamPolicy;
}

/** Makes the Kong services of a location, with routes, plugins and endpoints; the first has the routes. */
export function buildLocation(plan: LocationPlan, context: BuildContext): ServiceResult[] {
  const problems = new ProblemList();
  const { location, settings } = plan;
  const { owner } = location;
  const targets = targetsOf(plan, context);
  const { upstream } = targets;
  const tags = owner === undefined ? [] : tagsOf(owner.ingress);
  const service: ServiceEntity = {
    name: plan.name,
    host: upstream?.entity.name ?? 'nginx.none',
    port: 80,
    ...serviceFields(settings),
    ...(tags.length > 0 && { tags }),
  };
  const plugins = locationPlugins(plan, targets, context.nginx, problems);
  const { isExpressions } = context.options;
  for (const word of nameWords(plan, isExpressions)) problems.add(word, owner?.ingress);
  const routesFor = (scheme?: 'http' | 'https') =>
    plan.names.flatMap((name, index) => {
      const isWritable = isExpressions || isPlainName(name);
      return isWritable ? [routeOf(plan, name, index, tags, plugins, isExpressions, scheme)] : [];
    });
  const isAuto = settings.proxy.protocol === 'auto';
  service.routes = routesFor(isAuto ? 'http' : undefined);
  const secure: ServiceEntity[] = isAuto
    ? [
        {
          ...service,
          name: `${plan.name}.https`,
          protocol: 'https',
          tls_verify: false,
          routes: routesFor('https'),
        },
      ]
    : [];
  const result: ServiceResult = {
    service,
    upstream: upstream?.entity,
    pluginUses: [],
    clientCertificates: clientCertificates(plan, context.reader),
    problems: problems.items,
    translated: owner === undefined ? [] : [owner.ingress],
    routeClaims: [],
    leftOut: [],
    incomplete: [],
  };
  const others = [targets.canary?.upstream.entity, targets.errors?.entity];
  const more = others.flatMap((entity) => (entity === undefined ? [] : [onlyUpstream(entity)]));
  return [result, ...secure.map((one) => ({ ...result, service: one, problems: [] })), ...more];
}

/** What is to be said of names that a route cannot have, or not as they are meant. */
function nameWords({ server, names }: LocationPlan, isExpressions: boolean): string[] {
  const broken = server.aliases
    .filter((alias) => aliasName(alias) === undefined)
    .map((alias) => `server-alias ${alias} is not served: the pattern cannot be run here`);
  if (isExpressions) return broken;
  const others = names.flatMap((name) => {
    if (!isPlainName(name))
      return [`server-alias ${name.text} is not served: patterns need the expressions router`];
    return name.kind === 'regex'
      ? [`host ${name.text} stands for deeper names, too: one label needs the expressions router`]
      : [];
  });
  return [...broken, ...others];
}

/** An upstream that plugins lead to. */
function onlyUpstream(upstream: UpstreamEntity): ServiceResult {
  const none = { pluginUses: [], clientCertificates: [], problems: [], translated: [] };
  return { service: undefined, upstream, ...none, routeClaims: [], leftOut: [], incomplete: [] };
}

/** The upstreams that a location leads to. */
function targetsOf({ location, settings }: LocationPlan, context: BuildContext): LocationTargets {
  const { reader, options } = context;
  const backend =
    location.page !== undefined ? undefined : (location.backend ?? context.defaultBackend);
  const build = (wanted: NginxBackend) => {
    const policy = context.policyOf(wanted);
    return buildUpstream(wanted, policy, reader, options);
  };
  const policy = backend && context.policyOf(backend);
  const canary = policy?.canary && {
    ...policy.canary,
    upstream: build(policy.canary.backend),
  };
  const errorBackend = settings.errors.backend ?? context.defaultBackend;
  const needsErrors = settings.errors.codes.length > 0 || settings.errors.backend !== undefined;
  return {
    backend,
    policy,
    upstream: backend && build(backend),
    canary,
    errors: needsErrors && errorBackend ? build(errorBackend) : undefined,
  };
}

function clientCertificates(
  { location, settings }: LocationPlan,
  reader: ObjectReader,
): ServiceResult['clientCertificates'] {
  const { backend } = location;
  if (!settings.proxySsl?.hasCertificate || backend === undefined) return [];
  const service = reader.get<Service>('Service', backend.namespace, backend.service);
  return service === undefined ? [] : [{ secret: settings.proxySsl.secret, service }];
}

function routeOf(
  plan: LocationPlan,
  name: ServerName,
  index: number,
  tags: readonly string[],
  plugins: readonly PluginEntity[],
  isExpressions: boolean,
  scheme: 'http' | 'https' | undefined,
): RouteEntity {
  const { settings, match, order } = plan;
  const own = index === 0 ? plan.name : `${plan.name}.${index}`;
  return {
    name: scheme === 'https' ? `${own}.https` : own,
    ...withScheme(matcherOf(name, match, order, isExpressions), scheme),
    protocols: scheme === undefined || isExpressions ? ['http', 'https'] : [scheme],
    https_redirect_status_code: 426,
    strip_path: false,
    preserve_host: true,
    request_buffering: settings.proxy.buffersRequests,
    response_buffering: settings.proxy.buffersResponses,
    ...(tags.length > 0 && { tags: [...tags] }),
    plugins: plugins.map((plugin) => ({ ...plugin, ...(tags.length > 0 && { tags: [...tags] }) })),
  };
}

/** A route for one scheme only. */
function withScheme(matcher: RouteMatcher, scheme: string | undefined): RouteMatcher {
  const { expression } = matcher;
  if (scheme === undefined || expression === undefined) return matcher;
  return { ...matcher, expression: allOf(expression, compare('net.protocol', '==', scheme)) };
}

function serviceFields({
  proxy,
  proxySsl,
}: LocationSettings): Partial<ServiceEntity> & { protocol: string } {
  const { protocol } = proxy;
  return {
    protocol: protocol === 'auto' || protocol === 'fcgi' ? 'http' : protocol,
    connect_timeout: milliseconds(proxy.connectTimeoutMs),
    read_timeout: milliseconds(proxy.readTimeoutMs),
    write_timeout: milliseconds(proxy.sendTimeoutMs),
    retries: 5,
    ...(protocol === 'https' && {
      tls_verify: proxySsl?.isVerified ?? false,
      ...(proxySsl?.hasCertificate && { client_certificate: proxySsl.secret.metadata.uid ?? '' }),
      ...(proxySsl?.isVerified && { tls_verify_depth: proxySsl.depth }),
      ...(proxySsl?.isVerified &&
        proxySsl.ca !== undefined && { ca_certificates: [caCertificateId(proxySsl.ca)] }),
    }),
  };
}

/** What Kong takes: nginx' 0 is no time at all. */
function milliseconds(value: number): number {
  return Math.min(Math.max(value, 1), 2 ** 31 - 2);
}
