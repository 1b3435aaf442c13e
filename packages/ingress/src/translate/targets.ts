import { isIPv6 } from 'node:net';
import type { EndpointSlice, Endpoints, Service, ServicePort } from '../objects/service.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotationsOf, isServiceUpstream } from './annotations.ts';
import { classParameters } from './ingress-class.ts';
import type { TargetEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';

interface EndpointAddress {
  readonly target: string;
  readonly isTerminating: boolean;
}

/** The targets of one backend, with its weight shared among those that take traffic. */
export function backendTargets(
  service: Service,
  port: ServicePort,
  weight: number | undefined,
  reader: ObjectReader,
  options: ResolvedOptions,
): TargetEntity[] {
  const endpoints = endpointsOf(service, port, reader, options);
  const active = endpoints.filter(({ isTerminating }) => !isTerminating).length;
  return endpoints.map(({ target, isTerminating }) => {
    if (isTerminating) return { target, weight: 0 };
    return weight === undefined ? { target } : { target, weight: shareOf(weight, active) };
  });
}

/** Whole numbers only, and at least 1: only a weight of 0 takes a backend out of traffic. */
function shareOf(weight: number, targets: number): number {
  if (weight === 0) return 0;
  return Math.max(1, Math.floor(weight / targets));
}

/** What Kong takes for a target without a weight. */
const defaultWeight = 100;

/** Two backends may lead to the same address; an upstream may have a target once: weights add up. */
export function addTargets(
  targets: Map<string, TargetEntity>,
  more: readonly TargetEntity[],
): void {
  for (const target of more) {
    const before = targets.get(target.target);
    const weight = (before?.weight ?? defaultWeight) + (target.weight ?? defaultWeight);
    targets.set(target.target, before === undefined ? target : { ...before, weight });
  }
}

function endpointsOf(
  service: Service,
  port: ServicePort,
  reader: ObjectReader,
  options: ResolvedOptions,
): EndpointAddress[] {
  const { name = '', namespace = '' } = service.metadata;
  const isOwnUpstream =
    isServiceUpstream(annotationsOf(service)) ||
    classParameters(reader, options.ingressClass).isServiceUpstream;
  if (isOwnUpstream) {
    const domain = options.clusterDomain === '' ? '' : `.${options.clusterDomain}`;
    return [{ target: `${name}.${namespace}.svc${domain}:${port.port}`, isTerminating: false }];
  }
  if (service.spec?.type === 'ExternalName') {
    const target = `${service.spec.externalName ?? ''}:${port.targetPort ?? port.port}`;
    return [{ target, isTerminating: false }];
  }
  return sliceEndpoints(service, port, reader, options);
}

function sliceEndpoints(
  service: Service,
  port: ServicePort,
  reader: ObjectReader,
  options: ResolvedOptions,
): EndpointAddress[] {
  const { name = '', namespace = '' } = service.metadata;
  const protocols = new Set(['TCP']);
  for (const { protocol } of service.spec?.ports ?? []) if (protocol) protocols.add(protocol);
  const slices = reader.endpointSlicesOf(namespace, name);
  if (slices.length === 0) return subsetEndpoints(service, port, protocols, reader);
  const found = new Map<string, EndpointAddress>();
  for (const slice of slices) {
    for (const slicePort of slice.ports ?? []) {
      if (typeof slicePort.port !== 'number' || slicePort.port < 0) continue;
      if (!protocols.has(slicePort.protocol ?? 'TCP')) continue;
      if ((slicePort.name ?? '') !== (port.name ?? '')) continue;
      for (const endpoint of slice.endpoints ?? []) {
        const address = addressOf(endpoint, slicePort.port, options);
        if (address !== undefined && !found.has(address.target)) found.set(address.target, address);
      }
    }
  }
  return [...found.values()];
}

/** Where an endpoint is reached, if it is to be: one that terminates only while it drains. */
function addressOf(
  { addresses, conditions }: NonNullable<EndpointSlice['endpoints']>[number],
  port: number,
  options: ResolvedOptions,
): EndpointAddress | undefined {
  const address = addresses?.[0];
  if (address === undefined) return undefined;
  const isReady = conditions?.ready ?? true;
  const isTerminating = conditions?.terminating === true;
  const isDraining = !isReady && isTerminating && options.isDrainSupportEnabled;
  if (!isReady && !isDraining) return undefined;
  return { target: `${bracketed(address)}:${port}`, isTerminating: isDraining };
}

/** Endpoints written by hand, where nothing turns them into slices. */
function subsetEndpoints(
  service: Service,
  port: ServicePort,
  protocols: ReadonlySet<string>,
  reader: ObjectReader,
): EndpointAddress[] {
  const { name = '', namespace = '' } = service.metadata;
  const targets = new Set<string>();
  for (const { ports, addresses } of reader.get<Endpoints>('Endpoints', namespace, name)?.subsets ??
    []) {
    for (const subsetPort of ports ?? []) {
      if (!protocols.has(subsetPort.protocol ?? 'TCP')) continue;
      if ((subsetPort.name ?? '') !== (port.name ?? '')) continue;
      for (const { ip } of addresses ?? []) targets.add(`${bracketed(ip)}:${subsetPort.port}`);
    }
  }
  return [...targets].map((target) => ({ target, isTerminating: false }));
}

/** An address as it stands in front of a port. */
export function bracketed(address: string): string {
  return address.includes(':') && isIPv6(address) ? `[${address}]` : address;
}
