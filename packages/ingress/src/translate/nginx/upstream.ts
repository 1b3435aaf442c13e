import type { Service, ServicePort } from '../../objects/service.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { TargetEntity, UpstreamEntity } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import { tagsOf } from '../tags.ts';
import { backendTargets, bracketed } from '../targets.ts';
import type { NginxBackend } from './parsed-ingress.ts';
import type { UpstreamPolicy } from './upstream-index.ts';

/** A Service with the endpoints of one of its ports. */
export interface NginxUpstream {
  readonly entity: UpstreamEntity;
  readonly hasEndpoints: boolean;
  /** The port that the Ingress means, where the Service has it. */
  readonly port: ServicePort | undefined;
}

/** The name of the upstream that all locations of a Service's port share. */
export function upstreamName({ namespace, service, port }: NginxBackend): string {
  return `nginx.${namespace}.${service}.${port}`;
}

/** Makes the upstream of a backend. Without the Service or its port it has no targets. */
export function buildUpstream(
  backend: NginxBackend,
  { algorithm, isServiceUpstream }: Pick<UpstreamPolicy, 'algorithm' | 'isServiceUpstream'>,
  reader: ObjectReader,
  options: ResolvedOptions,
): NginxUpstream {
  const service = reader.get<Service>('Service', backend.namespace, backend.service);
  const entity: UpstreamEntity = { name: upstreamName(backend), algorithm };
  if (service === undefined) return { entity, hasEndpoints: false, port: undefined };
  entity.tags = tagsOf(service);
  const port = portOf(service, backend.port);
  const targets =
    port === undefined ? [] : targetsOf(service, port, isServiceUpstream, reader, options);
  if (targets.length > 0) entity.targets = targets;
  return { entity, hasEndpoints: targets.length > 0, port };
}

/** By number, by name, or by the name of the port in the pods. */
export function portOf(service: Service, wanted: string): ServicePort | undefined {
  const ports = service.spec?.ports ?? [];
  const isNumber = /^\d+$/.test(wanted);
  if (service.spec?.type === 'ExternalName') {
    const named = ports.find(({ name }) => name === wanted);
    return named ?? (isNumber ? { port: Number(wanted), targetPort: Number(wanted) } : undefined);
  }
  return ports.find(
    ({ port, name, targetPort }) =>
      String(port) === wanted || name === wanted || String(targetPort ?? '') === wanted,
  );
}

function targetsOf(
  service: Service,
  port: ServicePort,
  isServiceUpstream: boolean,
  reader: ObjectReader,
  options: ResolvedOptions,
): TargetEntity[] {
  const { clusterIP, externalName, type } = service.spec ?? {};
  if (type === 'ExternalName') {
    // A name of this machine would open what listens beside the gateway.
    if (!externalName || /^(localhost|127\.|\[?::1\]?$)/i.test(externalName)) return [];
    return [{ target: `${externalName}:${port.port}` }];
  }
  if (isServiceUpstream && clusterIP && clusterIP !== 'None')
    return [{ target: `${bracketed(clusterIP)}:${port.port}` }];
  return backendTargets(service, port, undefined, reader, options);
}
