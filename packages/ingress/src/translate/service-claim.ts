import type { KubeObject } from '@waygate/schema';
import type { HttpRouteRule } from '../objects/gateway-api.ts';
import { type Annotations, annotationsOf } from './annotations.ts';
import type { PluginEntity, RouteEntity, ServiceEntity } from './kong-state.ts';

/** How a rule names a port of a Service. */
export type PortDefinition =
  | { readonly by: 'number'; readonly number: number }
  | { readonly by: 'name'; readonly name: string }
  /** Neither: the Service's only port is meant. */
  | { readonly by: 'position' };

/** The port as it appears in names of Kong entities. */
export function portText(port: PortDefinition): string {
  if (port.by === 'number') return String(port.number);
  return port.by === 'name' ? port.name : 'implicitPort';
}

export function portOfBackend(
  port: { number?: number; name?: string } | null | undefined,
): PortDefinition {
  if (port?.number) return { by: 'number', number: port.number };
  return port?.name ? { by: 'name', name: port.name } : { by: 'position' };
}

export interface Backend {
  readonly kind: 'Service' | 'KongServiceFacade';
  readonly namespace: string;
  readonly name: string;
  readonly port: PortDefinition;
  readonly weight?: number;
}

/** A route on its way into the state, with what it takes to finish it. */
export interface RouteDraft {
  readonly entity: RouteEntity;
  /** Of the object that it comes from; plugins that filters name are added to them. */
  readonly annotations: Annotations;
  readonly source: KubeObject;
  readonly isExpression: boolean;
}

/** A route with the annotations of the object that it comes from. */
export function draftOf(
  entity: RouteEntity,
  source: KubeObject,
  { isExpressions }: { readonly isExpressions: boolean },
): RouteDraft {
  return { entity, annotations: annotationsOf(source), source, isExpression: isExpressions };
}

/**
 * The kinds of objects that make Kong services. The order decides who keeps a name that two
 * families give out, and is the order of precedence of TLS hosts.
 */
export const families = [
  'Ingress',
  'TCPIngress',
  'UDPIngress',
  'KnativeIngress',
  'HTTPRoute',
  'UDPRoute',
  'TCPRoute',
  'TLSRoute',
  'GRPCRoute',
] as const;

export type Family = (typeof families)[number];

/** One object's wish that a Kong service exists and leads some routes to some backends. */
export interface ServiceClaim {
  readonly serviceName: string;
  readonly family: Family;
  /** The object with the rules. */
  readonly owner: KubeObject;
  /** What problems with the service are reported on: the owner, or the facade that it names. */
  readonly parent: KubeObject;
  /** The service as the first claim on its name makes it. */
  readonly service: ServiceEntity;
  readonly backends: readonly Backend[];
  readonly routes: readonly RouteDraft[];
  readonly plugins?: readonly PluginEntity[];
  /** The catch-all of `spec.defaultBackend`. */
  readonly isDefaultBackend?: boolean;
  /** HTTPRoutes: the routes are made once all rules with the same backends are known. */
  readonly httpRule?: { readonly index: number; readonly rule: HttpRouteRule };
}

const defaultTimeoutMs = 60_000;
const defaultRetries = 5;

/** The fields that every new service starts with. */
export function newService(
  name: string,
  host: string,
  protocol: string,
  fields: Partial<ServiceEntity> = {},
): ServiceEntity {
  return {
    name,
    host,
    protocol,
    connect_timeout: defaultTimeoutMs,
    read_timeout: defaultTimeoutMs,
    write_timeout: defaultTimeoutMs,
    retries: defaultRetries,
    ...fields,
  };
}
