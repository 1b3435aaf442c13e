import type { Endpoints, Service, ServicePort } from '../../objects/service.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { annotationsOf, isServiceUpstream } from '../annotations.ts';
import { bracketed } from '../targets.ts';
import type { LegacyService } from './legacy-rules.ts';

/** The addresses behind a Kong service, from core/v1 Endpoints. */
export function legacyTargets(service: LegacyService, reader: ObjectReader): string[] {
  const { namespace, serviceName } = service;
  const object = reader.get<Service>('Service', namespace, serviceName);
  if (object === undefined) return [];
  const port = pickPort(object, service.port);
  if (object.spec?.type === 'ExternalName') {
    const target = Number(port?.targetPort ?? port?.port ?? 0);
    return target > 0 ? [`${object.spec.externalName}:${target}`] : [];
  }
  if (port === undefined) return [];
  if (isServiceUpstream(annotationsOf(object)))
    return [`${serviceName}.${namespace}.svc:${port.port}`];
  const endpoints = reader.get<Endpoints>('Endpoints', namespace, serviceName);
  if (endpoints === undefined) return sliceTargets(reader, namespace, serviceName, port);
  const targets = new Set<string>();
  for (const subset of endpoints?.subsets ?? []) {
    for (const subsetPort of subset.ports ?? []) {
      if ((subsetPort.protocol ?? 'TCP') !== 'TCP') continue;
      if (port.name && port.name !== subsetPort.name) continue;
      for (const { ip } of subset.addresses ?? [])
        targets.add(`${bracketed(ip)}:${subsetPort.port}`);
    }
  }
  return [...targets].sort();
}

/** A cluster of today may have no more than EndpointSlices for a Service. */
function sliceTargets(
  reader: ObjectReader,
  namespace: string,
  serviceName: string,
  { name }: ServicePort,
): string[] {
  const targets = new Set<string>();
  for (const { ports, endpoints } of reader.endpointSlicesOf(namespace, serviceName)) {
    for (const port of ports ?? []) {
      if ((port.protocol ?? 'TCP') !== 'TCP' || (name && name !== port.name)) continue;
      for (const { addresses, conditions } of endpoints ?? []) {
        const [ip] = addresses ?? [];
        if (ip === undefined || conditions?.ready === false) continue;
        targets.add(`${bracketed(ip)}:${port.port}`);
      }
    }
  }
  return [...targets].sort();
}

/** A port is found by its number, its target port or its name, whichever comes first in the list. */
function pickPort(service: Service, wanted: string): ServicePort | undefined {
  const ports = service.spec?.ports ?? [];
  if (ports.length === 0 && service.spec?.type === 'ExternalName') {
    const number = /^\d{1,5}$/u.test(wanted) ? Number(wanted) : 0;
    return { port: number, targetPort: number };
  }
  return ports.find(
    ({ port, targetPort, name }) =>
      String(port) === wanted || String(targetPort ?? '') === wanted || name === wanted,
  );
}
