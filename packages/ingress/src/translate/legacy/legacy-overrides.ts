import type { KubeObject } from '@waygate/schema';
import type { KongIngressResource } from '../../objects/kong-resources.ts';
import type { Service } from '../../objects/service.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { annotationsOf, parseInteger } from '../annotations.ts';
import type { RouteEntity, ServiceEntity, UpstreamEntity } from '../kong-state.ts';
import { trueOrFalse } from '../route-annotations.ts';
import { isLegacyProtocol, legacyAnnotation } from './legacy-annotations.ts';

const serviceFields = [
  'protocol',
  'path',
  'retries',
  'connect_timeout',
  'read_timeout',
  'write_timeout',
] as const;

const routeFields = [
  'methods',
  'headers',
  'protocols',
  'regex_priority',
  'strip_path',
  'preserve_host',
  'https_redirect_status_code',
  'path_handling',
] as const;

/** A Service's KongIngress is the one that its annotation names. */
function kongIngressOfService(
  service: Service | undefined,
  reader: ObjectReader,
): KongIngressResource | undefined {
  const name = service && legacyAnnotation(annotationsOf(service), 'override');
  if (!name) return undefined;
  return reader.get<KongIngressResource>('KongIngress', service.metadata.namespace ?? '', name);
}

/** An Ingress's is the one that its annotation names, or else the one with its own name. */
function kongIngressOfIngress(
  ingress: KubeObject,
  reader: ObjectReader,
): KongIngressResource | undefined {
  const { namespace = '', name = '' } = ingress.metadata;
  const named = legacyAnnotation(annotationsOf(ingress), 'override');
  const found = named && reader.get<KongIngressResource>('KongIngress', namespace, named);
  return found || reader.get<KongIngressResource>('KongIngress', namespace, name);
}

export function overrideService(
  entity: ServiceEntity,
  service: Service | undefined,
  reader: ObjectReader,
): void {
  const { proxy } = kongIngressOfService(service, reader) ?? {};
  take(entity as unknown as Record<string, unknown>, proxy, serviceFields);
  const annotations = service ? annotationsOf(service) : {};
  const protocol = legacyAnnotation(annotations, 'protocol');
  if (protocol && isLegacyProtocol(protocol)) entity.protocol = protocol;
  const path = legacyAnnotation(annotations, 'path');
  if (path?.startsWith('/')) entity.path = path;
  if (entity.protocol === 'grpc' || entity.protocol === 'grpcs') delete entity.path;
}

/** The upstream section replaces everything but the name. */
export function overrideUpstream(
  upstream: UpstreamEntity,
  service: Service | undefined,
  reader: ObjectReader,
): UpstreamEntity {
  const section = kongIngressOfService(service, reader)?.upstream;
  if (!section) return upstream;
  return {
    ...section,
    name: upstream.name,
    ...(upstream.targets && { targets: upstream.targets }),
  };
}

export function overrideRoute(route: RouteEntity, source: KubeObject, reader: ObjectReader): void {
  const section = kongIngressOfIngress(source, reader)?.route;
  take(route as unknown as Record<string, unknown>, section, routeFields);
  const annotations = annotationsOf(source);
  const protocols = legacyAnnotation(annotations, 'protocols')?.split(',') ?? [];
  if (protocols.length > 0 && protocols.every(isLegacyProtocol)) route.protocols = protocols;
  const stripPath = trueOrFalse(legacyAnnotation(annotations, 'strip-path'));
  if (stripPath !== undefined) route.strip_path = stripPath;
  const code = parseInteger(legacyAnnotation(annotations, 'https-redirect-status-code') ?? '');
  if (code !== undefined && [301, 302, 307, 308, 426].includes(code))
    route.https_redirect_status_code = code;
  const preserveHost = trueOrFalse(legacyAnnotation(annotations, 'preserve-host'));
  if (preserveHost !== undefined) route.preserve_host = preserveHost;
  normalizeProtocols(route);
}

function take(
  entity: Record<string, unknown>,
  section: Record<string, unknown> | null | undefined,
  fields: readonly string[],
): void {
  for (const field of fields) {
    const value = section?.[field];
    if (value === undefined || value === null) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    entity[field] = value;
  }
}

function normalizeProtocols(route: RouteEntity): void {
  const protocols = route.protocols ?? [];
  if (!protocols.some((protocol) => protocol.includes('grpc'))) return;
  if (protocols.some((protocol) => protocol.includes('http'))) route.protocols = ['http', 'https'];
  delete route.strip_path;
}
