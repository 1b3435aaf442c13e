import type { KubeObject } from '@waygate/schema';
import type { Ingress } from '../../objects/ingress.ts';
import { type KnativeIngress, knativeClassAnnotation } from '../../objects/knative-ingress.ts';
import type { StreamIngress } from '../../objects/kong-resources.ts';
import { compareByAge } from '../../objects/reference.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { PluginEntity, RouteEntity, ServiceEntity } from '../kong-state.ts';
import { newService } from '../service-claim.ts';
import { isOfLegacyClass } from './legacy-annotations.ts';
import { type LegacyBackend, type LegacyIngress, legacyIngressOf } from './legacy-objects.ts';

/** A Kong service with the object and port that it was made for. */
export interface LegacyService {
  readonly entity: ServiceEntity;
  readonly namespace: string;
  readonly serviceName: string;
  /** As the rule writes it: a number or a name. */
  readonly port: string;
  readonly routes: { readonly entity: RouteEntity; readonly source: KubeObject }[];
  readonly plugins: PluginEntity[];
}

/** Hosts by Secret (`namespace/name`), in the order in which certificates show them. */
export interface LegacyRules {
  readonly services: Map<string, LegacyService>;
  readonly hostsOfSecret: Map<string, string[]>;
  /** Of all routes and TLS entries so far. */
  readonly routeNames: Set<string>;
  readonly claimedHosts: Set<string>;
}

export function legacyRules(reader: ObjectReader, ingressClass: string): LegacyRules {
  const rules: LegacyRules = {
    services: new Map(),
    hostsOfSecret: new Map(),
    routeNames: new Set(),
    claimedHosts: new Set(),
  };
  const isOurs = (object: KubeObject) => isOfLegacyClass(object, ingressClass);
  const ingresses = reader.list<Ingress>('Ingress').filter(isOurs).map(legacyIngressOf);
  for (const ingress of ingresses) addIngress(rules, ingress);
  addDefaultBackend(rules, ingresses);
  for (const ingress of reader.list<StreamIngress>('TCPIngress').filter(isOurs))
    addTcpIngress(rules, ingress);
  for (const ingress of reader.list<KnativeIngress>('KnativeIngress')) {
    if (isOfLegacyClass(ingress, ingressClass, knativeClassAnnotation))
      addKnativeIngress(rules, ingress);
  }
  return rules;
}

function addIngress(rules: LegacyRules, ingress: LegacyIngress): void {
  const { namespace = '', name = '' } = ingress.metadata;
  addHosts(rules, namespace, ingress.spec?.tls ?? []);
  for (const [ruleIndex, rule] of (ingress.spec?.rules ?? []).entries()) {
    for (const [pathIndex, path] of (rule.http?.paths ?? []).entries()) {
      const entity: RouteEntity = {
        // Without a separator: rule 1 path 11 and rule 11 path 1 would share a name.
        name: uniqueRouteName(
          rules,
          `${namespace}.${name}.${ruleIndex}${pathIndex}`,
          ruleIndex,
          pathIndex,
        ),
        paths: [path.path || '/'],
        ...httpRouteDefaults(),
      };
      if (rule.host) entity.hosts = [rule.host];
      serviceFor(rules, namespace, path.backend, { path: '/' }).routes.push({
        entity,
        source: ingress,
      });
    }
  }
}

function httpRouteDefaults(): Partial<RouteEntity> {
  return {
    strip_path: false,
    preserve_host: true,
    protocols: ['http', 'https'],
    regex_priority: 0,
  };
}

/** Names of the time collide in rare cases; the second bearer gets a dash between its numbers. */
function uniqueRouteName(
  rules: LegacyRules,
  name: string,
  ruleIndex: number,
  pathIndex: number,
): string {
  const isTaken = rules.routeNames.has(name);
  const unique = isTaken
    ? `${name.slice(0, name.lastIndexOf('.'))}.${ruleIndex}-${pathIndex}`
    : name;
  rules.routeNames.add(unique);
  return unique;
}

/** Of all Ingresses with a default backend the oldest gets it. */
function addDefaultBackend(rules: LegacyRules, ingresses: readonly LegacyIngress[]): void {
  const [oldest] = ingresses.filter(({ spec }) => spec?.backend).sort(compareByAge);
  if (!oldest?.spec?.backend) return;
  const { namespace = '', name = '' } = oldest.metadata;
  const entity: RouteEntity = {
    name: `${namespace}.${name}`,
    paths: ['/'],
    ...httpRouteDefaults(),
  };
  serviceFor(rules, namespace, oldest.spec.backend, {}).routes.push({ entity, source: oldest });
}

function addTcpIngress(rules: LegacyRules, ingress: StreamIngress): void {
  const { namespace = '', name = '' } = ingress.metadata;
  addHosts(rules, namespace, ingress.spec?.tls ?? []);
  for (const [index, rule] of (ingress.spec?.rules ?? []).entries()) {
    const isValid =
      (rule.port ?? 0) > 0 &&
      (rule.port ?? 0) <= 65_535 &&
      Boolean(rule.backend?.serviceName) &&
      (rule.backend?.servicePort ?? 0) > 0;
    if (!isValid || !rule.backend) continue;
    const entity: RouteEntity = {
      name: `${namespace}.${name}.${index}`,
      protocols: ['tcp', 'tls'],
      destinations: [{ port: rule.port ?? 0 }],
    };
    if (rule.host) entity.snis = [rule.host];
    serviceFor(rules, namespace, rule.backend, { protocol: 'tcp' }).routes.push({
      entity,
      source: ingress,
    });
  }
}

/** Of a split only the largest share counts: this Kong has no weights for services. */
function addKnativeIngress(rules: LegacyRules, ingress: KnativeIngress): void {
  const { namespace = '', name = '' } = ingress.metadata;
  for (const [ruleIndex, rule] of (ingress.spec?.rules ?? []).entries()) {
    for (const [pathIndex, path] of (rule.http?.paths ?? []).entries()) {
      const [split] = [...(path.splits ?? [])].sort(
        (left, right) => (right.percent ?? 0) - (left.percent ?? 0),
      );
      if (split === undefined) continue;
      const entity: RouteEntity = {
        name: `${namespace}.${name}.${ruleIndex}${pathIndex}`,
        paths: [path.path || '/'],
        ...httpRouteDefaults(),
      };
      if (rule.hosts?.length) entity.hosts = [...rule.hosts];
      const service = serviceFor(rules, split.serviceNamespace ?? '', split, { path: '/' });
      service.routes.push({ entity, source: ingress });
      const headers = Object.entries({ ...split.appendHeaders, ...path.appendHeaders }).map(
        ([header, value]) => `${header}:${value}`,
      );
      if (headers.length > 0 && service.plugins.length === 0)
        service.plugins.push({
          name: 'request-transformer',
          config: { add: { headers: headers.sort() } },
        });
    }
  }
}

function serviceFor(
  rules: LegacyRules,
  namespace: string,
  backend: LegacyBackend,
  fields: { path?: string; protocol?: string },
): LegacyService {
  const serviceName = backend.serviceName ?? '';
  const port = String(backend.servicePort ?? 0);
  const { protocol = 'http', ...rest } = fields;
  const name = `${namespace}.${serviceName}.${port}`;
  // HTTP and TCP rules on one port would share a Kong service, which can speak one of them only.
  const existing = rules.services.get(name);
  const isOther =
    existing !== undefined && (existing.entity.protocol === 'tcp') !== (protocol === 'tcp');
  const key = isOther ? `${name}.${protocol === 'tcp' ? 'tcp' : 'http'}` : name;
  let service = rules.services.get(key);
  if (service === undefined) {
    const host = `${serviceName}.${namespace}.${port}.svc`;
    service = {
      entity: newService(key, host, protocol, { port: 80, ...rest }),
      namespace,
      serviceName,
      port,
      routes: [],
      plugins: [],
    };
    rules.services.set(key, service);
  }
  return service;
}

/** New hosts go in front of those that the same Secret has from earlier objects. */
function addHosts(
  rules: LegacyRules,
  namespace: string,
  tls: readonly { hosts?: string[] | null; secretName?: string | null }[],
): void {
  for (const { hosts, secretName } of tls) {
    if (!hosts?.length || !secretName) continue;
    const key = `${namespace}/${secretName}`;
    const fresh = hosts.filter((host) => {
      if (rules.claimedHosts.has(host)) return false;
      rules.claimedHosts.add(host);
      return true;
    });
    rules.hostsOfSecret.set(key, [...fresh, ...(rules.hostsOfSecret.get(key) ?? [])]);
  }
}
