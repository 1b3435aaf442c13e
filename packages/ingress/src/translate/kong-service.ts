import type { KubeObject } from '@waygate/schema';
import type { HttpRoute } from '../objects/gateway-api.ts';
import { compareByAge, compareText, keyOf, namespacedKey } from '../objects/reference.ts';
import type { Secret } from '../objects/secret.ts';
import type { Service } from '../objects/service.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotation, annotationsOf } from './annotations.ts';
import { gatewayFamilies, refusesStream, seesToPolicies } from './backend-policies.ts';
import { haveConsistentAnnotations, serviceOf, withBackendTlsPolicy } from './backend-services.ts';
import { entityId } from './entity-ids.ts';
import { certificateOfRoute } from './gateway/backend-certificate.ts';
import { backendsOf, noBackendPlugin } from './gateway/backends.ts';
import { httpRouteDrafts } from './gateway/http-routes.ts';
import { listenerGuards } from './gateway/listener-guards.ts';
import { attachedListeners, listenerProtocols } from './gateway/listeners.ts';
import { applyTimeouts } from './gateway/rule-timeouts.ts';
import type { PluginEntity, ServiceEntity, TargetEntity, UpstreamEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import { type PluginUse, pluginUses } from './plugin-use.ts';
import { type Problem, ProblemList } from './problem.ts';
import { rewriteTemplate } from './rewrite-uri.ts';
import { applyRouteAnnotations } from './route-annotations.ts';
import { type RouteClaim, routeClaims } from './route-claims.ts';
import { applyServiceAnnotations } from './service-annotations.ts';
import type { Backend, RouteDraft, ServiceClaim } from './service-claim.ts';
import { findPort } from './service-ports.ts';
import { caCertificateIds, clientCertificateSecret } from './service-tls.ts';
import { tagsOf, unknownServiceTags } from './tags.ts';
import { addTargets, backendTargets } from './targets.ts';
import { applyUpstreamOverrides } from './upstream-overrides.ts';

/** A Kong service with everything that belongs to it, and what it takes from and gives to others. */
export interface ServiceResult {
  readonly service: ServiceEntity | undefined;
  readonly upstream: UpstreamEntity | undefined;
  readonly pluginUses: readonly PluginUse[];
  /** Secrets that must be loaded as certificates, with the Services that ask for them. */
  readonly clientCertificates: readonly { readonly secret: Secret; readonly service: KubeObject }[];
  readonly problems: readonly Problem[];
  /** The objects whose wishes are in the configuration. */
  readonly translated: readonly KubeObject[];
  readonly routeClaims: readonly RouteClaim[];
  /** Objects with rules that are not in the configuration, because something is wrong with them. */
  readonly leftOut: readonly KubeObject[];
  /** Entities that lack a plugin that was asked for, such as `route NAME`. */
  readonly incomplete: readonly string[];
}

export interface ServiceContext {
  readonly options: ResolvedOptions;
  readonly reader: ObjectReader;
  priorityOf(id: string): number;
}

const nothing: Omit<ServiceResult, 'problems'> = {
  service: undefined,
  upstream: undefined,
  pluginUses: [],
  clientCertificates: [],
  translated: [],
  routeClaims: [],
  leftOut: [],
  incomplete: [],
};

/** A Secret that is to be loaded as a certificate, and whoever asks for it. */
type ShownCertificate = ServiceResult['clientCertificates'][number];

/** Makes the Kong service that all these claims ask for; the oldest claim decides where they differ. */
export function buildService(
  name: string,
  allClaims: readonly ServiceClaim[],
  context: ServiceContext,
): ServiceResult {
  const problems = new ProblemList();
  const { reader, options } = context;
  const claims = withoutFailedRewrites(sortClaims(allClaims), options, problems);
  const leftOut = ownersOf(allClaims.filter((claim) => !claims.includes(claim)));
  const [first] = claims;
  if (first === undefined) return { ...nothing, leftOut, problems: problems.items };
  const entity: ServiceEntity = { ...first.service, name };
  const plugins = [...(first.plugins ?? [])];
  const routing = routingOf(first, claims, entity, plugins, context);
  if (typeof routing === 'string') {
    problems.add(`HTTPRoute can't be routed: ${routing}`, ...ownersOf(claims));
    return { ...nothing, leftOut: ownersOf(allClaims), problems: problems.items };
  }
  const { backends, drafts } = routing;
  const services = servicesOf(backends, first, reader, problems);
  const isConsistent = haveConsistentAnnotations(services, name, problems);
  const byKey = new Map<string, Service>();
  const clientCertificates: ShownCertificate[] = [];
  if (isConsistent) {
    const isSeenTo = seesToPolicies(first, entity, plugins, backends, context, problems);
    for (const plain of services) {
      const service = isSeenTo ? plain : withBackendTlsPolicy(plain, reader, problems);
      byKey.set(keyOf(service), service);
      clientCertificates.push(...secure(entity, service, reader, problems));
    }
    entity.tags = serviceTags(first, services);
  }
  const group = [...byKey.values()].sort((left, right) => compareText(keyOf(left), keyOf(right)));
  const targets = collectTargets(entity, first, backends, byKey, context, problems);
  const upstream = upstreamOf(entity, targets);
  applyUpstreamOverrides(upstream, first.parent, group, reader, problems);
  upstream.algorithm ??= 'round-robin';
  const isRefused = refusesStream(first, drafts, entity, upstream, backends, context, problems);
  if (!isConsistent || isRefused)
    return { ...nothing, upstream, leftOut: ownersOf(allClaims), problems: problems.items };

  applyServiceAnnotations(entity, group, problems);
  clientCertificates.push(...gatewayCertificate(entity, first, context));
  if (plugins.length > 0) entity.plugins = plugins;
  finishRoutes(entity, drafts, options);
  const incomplete: string[] = [];
  return {
    service: entity,
    upstream,
    pluginUses: usesOf(entity, group, drafts, reader, problems, incomplete),
    routeClaims: routeClaims(drafts, options),
    leftOut,
    incomplete,
    clientCertificates,
    problems: problems.items,
    translated: [
      ...new Set([...claims.flatMap(({ owner, parent }) => [owner, parent]), ...services]),
    ],
  };
}

/** What leads to a service and what is behind it; a text says why routes of HTTPRoutes cannot be. */
function routingOf(
  first: ServiceClaim,
  claims: readonly ServiceClaim[],
  entity: ServiceEntity,
  plugins: PluginEntity[],
  { reader, options, priorityOf }: ServiceContext,
): { readonly backends: readonly Backend[]; readonly drafts: readonly RouteDraft[] } | string {
  if (first.httpRule === undefined)
    return {
      backends: first.backends,
      drafts: claims.flatMap(({ routes }) => routes.map(copyOf)),
    };
  const references = first.httpRule.rule.backendRefs ?? [];
  const backends = backendsOf(first.owner, references, reader);
  const isUnserved = references.length > 0 || claims.some(({ httpRule }) => !isAnswered(httpRule));
  if (backends.length === 0 && isUnserved) plugins.push(noBackendPlugin());
  for (const { httpRule } of claims)
    if (httpRule !== undefined)
      applyTimeouts(entity, httpRule.rule, options.features.httpRoutePlugins);
  const drafts = httpRouteDrafts(claims, {
    options,
    protocolsOf: (route) => protocolsOf(route, reader),
    priorityOf,
    guardsOf: (route) => listenerGuards(route, reader, options),
  });
  return typeof drafts === 'string' ? drafts : { backends, drafts };
}

/** The Services behind, as far as they are there. */
function servicesOf(
  backends: readonly Backend[],
  { parent }: ServiceClaim,
  reader: ObjectReader,
  problems: ProblemList,
): Service[] {
  const services: Service[] = [];
  for (const backend of backends) {
    const service = serviceOf(backend, reader);
    if (typeof service !== 'string') services.push(service);
    else problems.add(`failed to resolve Kubernetes Service for backend: ${service}`, parent);
  }
  return services;
}

/** The certificate that is shown to a Service, and those that its own is checked against. */
function secure(
  entity: ServiceEntity,
  service: Service,
  reader: ObjectReader,
  problems: ProblemList,
): ShownCertificate[] {
  const secret = clientCertificateSecret(service, entity.protocol, reader, problems);
  if (secret !== undefined) entity.client_certificate = secret.metadata.uid ?? '';
  const authorities = caCertificateIds(service, reader, problems);
  if (authorities.length > 0)
    entity.ca_certificates = [...(entity.ca_certificates ?? []), ...authorities];
  return secret === undefined ? [] : [{ secret, service }];
}

function upstreamOf({ host, tags }: ServiceEntity, targets: TargetEntity[]): UpstreamEntity {
  return {
    name: host,
    ...(tags !== undefined && { tags }),
    ...(targets.length > 0 && { targets }),
  };
}

/** Whether a filter answers, so that a rule needs no backend. */
function isAnswered(httpRule: ServiceClaim['httpRule']): boolean {
  const filters = httpRule?.rule.filters ?? [];
  return filters.some(({ type }) => type === 'RequestRedirect' || type === 'ExtensionRef');
}

function ownersOf(claims: readonly ServiceClaim[]): KubeObject[] {
  return claims.length === 0 ? [] : [...new Set(claims.map(({ owner }) => owner))];
}

/** Oldest owner first; the catch-all of a default backend comes after rules. */
function sortClaims(claims: readonly ServiceClaim[]): ServiceClaim[] {
  if (claims.length < 2) return [...claims];
  return claims
    .map((claim, index) => ({ claim, index }))
    .sort(
      (left, right) =>
        Number(left.claim.isDefaultBackend ?? false) -
          Number(right.claim.isDefaultBackend ?? false) ||
        compareByAge(left.claim.owner, right.claim.owner) ||
        left.index - right.index,
    )
    .map(({ claim }) => claim);
}

/** A rewrite annotation that makes no sense takes the rules of its Ingress out, but no default backend. */
function withoutFailedRewrites(
  claims: ServiceClaim[],
  options: ResolvedOptions,
  problems: ProblemList,
): ServiceClaim[] {
  const failed = new Map<KubeObject, string>();
  return claims.filter(({ family, isDefaultBackend, owner, parent }) => {
    if (family !== 'Ingress' || isDefaultBackend === true) return true;
    const rewrite = annotation(annotationsOf(owner), 'rewrite');
    if (rewrite === undefined) return true;
    const error = options.features.rewriteUris
      ? rewriteError(rewrite)
      : 'konghq.com/rewrite annotation not supported when rewrite uris disabled';
    if (error === undefined) return true;
    if (failed.get(owner) !== error) problems.add(error, parent);
    failed.set(owner, error);
    return false;
  });
}

function rewriteError(rewrite: string): string | undefined {
  const result = rewriteTemplate(rewrite || '/');
  return 'error' in result ? result.error : undefined;
}

function copyOf(draft: RouteDraft): RouteDraft {
  return { ...draft, entity: { ...draft.entity } };
}

function protocolsOf(route: HttpRoute, reader: ObjectReader): string[] | undefined {
  const { namespace = '' } = route.metadata;
  return listenerProtocols(attachedListeners(reader, namespace, route.spec?.parentRefs ?? []));
}

/** A service without a certificate of its own shows that of its route's Gateway. */
function gatewayCertificate(
  entity: ServiceEntity,
  { family, parent }: ServiceClaim,
  { reader, options }: ServiceContext,
): ShownCertificate[] {
  if (!gatewayFamilies.has(family) || entity.client_certificate !== undefined) return [];
  if (!protocolsWithTls.has(entity.protocol ?? '')) return [];
  const shown = certificateOfRoute(parent, reader, options.gatewayControllerName);
  if (shown === undefined) return [];
  entity.client_certificate = shown.secret.metadata.uid ?? '';
  return [{ secret: shown.secret, service: shown.gateway }];
}

/** Services that a certificate can be shown to: one for gRPC with a certificate is refused by Kong's schema. */
const protocolsWithTls: ReadonlySet<string> = new Set(['https', 'tls']);

function serviceTags(first: ServiceClaim, services: readonly Service[]): string[] {
  const [only] = services;
  if (only === undefined) return [...unknownServiceTags];
  const isFacade = first.backends.some(({ kind }) => kind === 'KongServiceFacade');
  return tagsOf(services.length > 1 || isFacade ? first.parent : only);
}

function collectTargets(
  entity: ServiceEntity,
  first: ServiceClaim,
  backends: readonly Backend[],
  services: ReadonlyMap<string, Service>,
  { reader, options }: ServiceContext,
  problems: ProblemList,
): TargetEntity[] {
  const targets = new Map<string, TargetEntity>();
  for (const backend of backends) {
    let { name } = backend;
    if (backend.kind === 'KongServiceFacade') {
      const facade = reader.get<KubeObject & { spec?: { backendRef?: { name: string } } }>(
        'KongServiceFacade',
        backend.namespace,
        backend.name,
      );
      name = facade?.spec?.backendRef?.name ?? '';
    }
    const service = services.get(namespacedKey(backend.namespace, name));
    if (service === undefined) {
      problems.add(
        `can't add target for backend ${name}: no kubernetes service found`,
        first.parent,
      );
      continue;
    }
    const port = findPort(service, backend.port);
    if (typeof port === 'string') {
      const message = `can't find port for backend kubernetes service: ${port}`;
      problems.add(message, service, first.parent);
      continue;
    }
    entity.port = port.port;
    // Kong speaks HTTP/2 to services of gRPC only; our gateway carries any request there.
    const isHttp2 = first.family === 'HTTPRoute' && port.appProtocol === 'kubernetes.io/h2c';
    if (isHttp2 && options.features.httpRoutePlugins)
      entity.protocol = entity.protocol === 'https' ? 'grpcs' : 'grpc';
    addTargets(targets, backendTargets(service, port, backend.weight, reader, options));
  }
  return [...targets.values()].sort((left, right) => compareText(left.target, right.target));
}

function finishRoutes(
  entity: ServiceEntity,
  drafts: readonly RouteDraft[],
  options: ResolvedOptions,
): void {
  const { fillIds, rewriteUris } = options.features;
  const routes = drafts.map((draft) => {
    const { entity: route, annotations, isExpression } = draft;
    applyRouteAnnotations(draft);
    route.https_redirect_status_code ??= 426;
    if (!isExpression) route.path_handling ??= 'v0';
    if (fillIds) route.id = entityId('routes', route.name, options.workspace);
    const rewrite = annotation(annotations, 'rewrite');
    if (rewriteUris && rewrite !== undefined && draft.source.kind === 'Ingress') {
      const result = rewriteTemplate(rewrite || '/');
      const plugin = {
        name: 'request-transformer',
        config: { replace: { uri: 'template' in result ? result.template : '/' } },
      };
      route.plugins = [...(route.plugins ?? []), plugin];
    }
    return route;
  });
  if (routes.length > 0)
    entity.routes = routes.sort((left, right) => compareText(left.name, right.name));
  if (fillIds) entity.id = entityId('services', entity.name, options.workspace);
}

function usesOf(
  entity: ServiceEntity,
  services: readonly Service[],
  drafts: readonly RouteDraft[],
  reader: ObjectReader,
  problems: ProblemList,
  incomplete: string[],
): PluginUse[] {
  const report = { problems, incomplete };
  const uses = services.flatMap((service) =>
    pluginUses('service', entity.name, service, annotationsOf(service), reader, report),
  );
  for (const { entity: route, source, annotations } of drafts)
    uses.push(...pluginUses('route', route.name, source, annotations, reader, report));
  return uses;
}
