import type { Backend, Endpoint, HostRule, PassthroughTable } from '@waygate/passthrough';
import type { StreamRoute } from '../objects/gateway-api.ts';
import type { Ingress, IngressPath } from '../objects/ingress.ts';
import { compareText, keyOf } from '../objects/reference.ts';
import type { Service } from '../objects/service.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotationsOf } from '../translate/annotations.ts';
import { backendsOf } from '../translate/gateway/backends.ts';
import { isPassthrough } from '../translate/gateway/stream-routes.ts';
import { isIngressOfClass } from '../translate/ingress-class.ts';
import { isNginxIngress } from '../translate/nginx/class-of.ts';
import type { ResolvedOptions } from '../translate/options.ts';
import { type Problem, ProblemList } from '../translate/problem.ts';
import { type PortDefinition, portOfBackend } from '../translate/service-claim.ts';
import { findPort } from '../translate/service-ports.ts';
import { backendTargets } from '../translate/targets.ts';
import { nginxPassthroughHosts } from './nginx-hosts.ts';

const passthroughAnnotations = [
  'konghq.com/ssl-passthrough',
  'nginx.ingress.kubernetes.io/ssl-passthrough',
];

/**
 * The hosts whose TLS goes on to their Pods as it is: those of annotated Ingresses, and of TLSRoutes
 * on listeners in Passthrough mode. Everything else goes to `defaultBackend`, which is Kong. Of two
 * objects with the same host the older one counts.
 */
export function passthroughTable(
  reader: ObjectReader,
  options: ResolvedOptions,
  defaultBackend: Backend,
): { readonly table: PassthroughTable; readonly problems: readonly Problem[] } {
  const problems = new ProblemList();
  const rules = new Map<string, HostRule>();
  const add = (host: string, backend: Backend) => {
    if (!rules.has(host)) rules.set(host, { host, backend });
  };
  const { nginx } = options;
  for (const ingress of reader.list<Ingress>('Ingress')) {
    if (!isAnnotated(ingress)) continue;
    if (nginx !== undefined && isNginxIngress(reader, ingress, nginx)) continue;
    if (!isIngressOfClass(reader, ingress, options.ingressClass)) continue;
    for (const { host, http } of ingress.spec?.rules ?? []) {
      if (!host) {
        problems.addField('TLS can be passed on for a host only', 'spec.rules', ingress);
        continue;
      }
      const service = pathOfHost(http?.paths ?? [])?.backend?.service;
      if (!service) {
        problems.addField(`no path / leads ${host} to a Service`, 'spec.rules', ingress);
        continue;
      }
      const namespace = ingress.metadata.namespace ?? '';
      const port = portOfBackend(service.port);
      const endpoints = endpointsOf(reader, options, namespace, service.name, port, undefined);
      add(host, { name: `Ingress ${keyOf(ingress)}`, endpoints });
    }
  }
  for (const [host, { ingress, endpoints }] of nginx ? nginxPassthroughHosts(reader, nginx) : [])
    add(host, { name: `Ingress ${keyOf(ingress)}`, endpoints: [...endpoints] });
  for (const route of reader.list<StreamRoute>('TLSRoute')) {
    if (!isPassthrough(route, reader)) continue;
    const endpoints = (route.spec?.rules ?? []).flatMap(({ backendRefs }) =>
      backendsOf(route, backendRefs ?? [], reader).flatMap(({ namespace, name, port, weight }) =>
        endpointsOf(reader, options, namespace, name, port, weight),
      ),
    );
    for (const host of route.spec?.hostnames ?? [])
      add(host, { name: `TLSRoute ${keyOf(route)}`, endpoints });
  }
  const hosts = [...rules.values()].sort((left, right) => compareText(left.host, right.host));
  return { table: { hosts, defaultBackend }, problems: problems.items };
}

function isAnnotated(ingress: Ingress): boolean {
  const annotations = annotationsOf(ingress);
  return passthroughAnnotations.some((name) => annotations[name]?.toLowerCase() === 'true');
}

/** Nobody sees the path of a request in TLS: what counts is the root, or the only path there is. */
function pathOfHost(paths: readonly IngressPath[]): IngressPath | undefined {
  const root = paths.find(({ path }) => (path ?? '/') === '/' || path === '');
  return root ?? (paths.length === 1 ? paths[0] : undefined);
}

function endpointsOf(
  reader: ObjectReader,
  options: ResolvedOptions,
  namespace: string,
  name: string,
  wanted: PortDefinition,
  weight: number | undefined,
): Endpoint[] {
  const service = reader.get<Service>('Service', namespace, name);
  const port = service && findPort(service, wanted);
  if (service === undefined || port === undefined || typeof port === 'string') return [];
  return backendTargets(service, port, weight, reader, options).map((target) => {
    const colon = target.target.lastIndexOf(':');
    const address = target.target.slice(0, colon).replace(/^\[|\]$/gu, '');
    return {
      address,
      port: Number(target.target.slice(colon + 1)),
      ...(target.weight === undefined ? {} : { weight: target.weight }),
    };
  });
}
