import { compareText } from '../../objects/reference.ts';
import type { Secret } from '../../objects/secret.ts';
import type { Service } from '../../objects/service.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { annotationsOf } from '../annotations.ts';
import { FaultList, type Faults } from '../faults.ts';
import {
  emptyState,
  type KongState,
  type ServiceEntity,
  type UpstreamEntity,
} from '../kong-state.ts';
import { isAtLeast, type ResolvedOptions } from '../options.ts';
import type { PluginUse } from '../plugin-use.ts';
import { type Problem, ProblemList } from '../problem.ts';
import { legacyAnnotation } from './legacy-annotations.ts';
import { legacyCertificates } from './legacy-certificates.ts';
import { legacyConsumers, nameOf } from './legacy-consumers.ts';
import { overrideRoute, overrideService, overrideUpstream } from './legacy-overrides.ts';
import { filledPlugin, legacyGlobalPlugins, legacyPlugins, legacyUses } from './legacy-plugins.ts';
import { type LegacyRules, type LegacyService, legacyRules } from './legacy-rules.ts';
import { legacyTargets } from './legacy-targets.ts';

/**
 * Translates as Kong Ingress Controller 0.8 did: its names, defaults and objects, for clusters that
 * come from there. Crashes and configurations that Kong would refuse are not copied.
 */
export function legacyTranslate(
  reader: ObjectReader,
  options: ResolvedOptions,
): { readonly state: KongState; readonly problems: readonly Problem[]; readonly faults: Faults } {
  const problems = new ProblemList();
  const faults = new FaultList();
  const rules = legacyRules(reader, options.ingressClass);
  const uses: PluginUse[] = [];
  const services: ServiceEntity[] = [];
  const upstreams = new Map<string, UpstreamEntity>();
  for (const name of [...rules.services.keys()].sort(compareText)) {
    const service = rules.services.get(name)!;
    const object = reader.get<Service>('Service', service.namespace, service.serviceName);
    loadClientCertificate(service, object, rules, reader);
    services.push(finishService(service, object, reader, options));
    if (object !== undefined) uses.push(...legacyUses('service', name, object));
    for (const { entity, source } of service.routes)
      if (source.kind === 'Ingress') uses.push(...legacyUses('route', entity.name, source));
    const { host } = service.entity;
    if (!upstreams.has(host)) upstreams.set(host, upstreamOf(service, object, reader, options));
  }
  const consumers = legacyConsumers(reader, options.ingressClass, problems);
  for (const consumer of consumers)
    uses.push(...legacyUses('consumer', nameOf(consumer), consumer.source));
  const state: KongState = {
    ...emptyState,
    services,
    upstreams: [...upstreams.values()],
    consumers: consumers.map(({ entity }) => entity),
    plugins: [
      ...legacyPlugins(uses, reader, options, problems, faults),
      ...legacyGlobalPlugins(reader, options),
    ],
    certificates: legacyCertificates(rules.hostsOfSecret, reader),
  };
  return { state, problems: problems.items, faults };
}

function loadClientCertificate(
  service: LegacyService,
  object: Service | undefined,
  rules: LegacyRules,
  reader: ObjectReader,
): void {
  const name = object && legacyAnnotation(annotationsOf(object), 'client-cert');
  if (!name) return;
  const secret = reader.get<Secret>('Secret', service.namespace, name);
  if (secret === undefined) return;
  service.entity.client_certificate = secret.metadata.uid ?? '';
  const key = `${service.namespace}/${name}`;
  if (!rules.hostsOfSecret.has(key)) rules.hostsOfSecret.set(key, []);
}

function finishService(
  service: LegacyService,
  object: Service | undefined,
  reader: ObjectReader,
  options: ResolvedOptions,
): ServiceEntity {
  const { kongVersion, isKongEnterprise } = options;
  const entity = { ...service.entity };
  overrideService(entity, object, reader);
  const routes = service.routes.map(({ entity: plain, source }) => {
    const route = { ...plain };
    overrideRoute(route, source, reader);
    const hasRedirectCode =
      isAtLeast(kongVersion, 1, 2) || (isKongEnterprise && isAtLeast(kongVersion, 0, 36));
    if (hasRedirectCode) route.https_redirect_status_code ??= 426;
    if (isAtLeast(kongVersion, 2, 0)) route.path_handling ??= 'v0';
    return route;
  });
  entity.routes = routes.sort((left, right) => compareText(left.name, right.name));
  if (service.plugins.length > 0)
    entity.plugins = service.plugins.map((plugin) => filledPlugin(plugin, options));
  return entity;
}

function upstreamOf(
  service: LegacyService,
  object: Service | undefined,
  reader: ObjectReader,
  { kongVersion }: ResolvedOptions,
): UpstreamEntity {
  const targets = legacyTargets(service, reader).map((target) => ({ target }));
  const plain: UpstreamEntity = { name: service.entity.host };
  if (targets.length > 0) plain.targets = targets;
  const upstream = overrideUpstream(plain, object, reader);
  if (isAtLeast(kongVersion, 1, 3)) upstream.algorithm ??= 'round-robin';
  return upstream;
}
