import type { KubeObject } from '@waygate/schema';
import type { GrpcRoute, HttpRoute, StreamRoute } from '../objects/gateway-api.ts';
import type { Ingress, IngressTls } from '../objects/ingress.ts';
import type { KindId } from '../objects/kind-id.ts';
import { type KnativeIngress, knativeClassAnnotation } from '../objects/knative-ingress.ts';
import type { StreamIngress } from '../objects/kong-resources.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotationsOf } from './annotations.ts';
import type { CertificateClaim } from './certificates.ts';
import { grpcRouteClaims } from './gateway/grpc-routes.ts';
import { httpRouteClaims } from './gateway/http-route-rules.ts';
import { attachedRoute } from './gateway/route-attachment.ts';
import { portRouteClaims, tlsRouteClaims } from './gateway/stream-routes.ts';
import { isIngressOfClass, isObjectOfClass } from './ingress-class.ts';
import { ingressClaims } from './ingress-rules.ts';
import { knativeCertificateClaims, knativeClaims } from './knative-rules.ts';
import { isNginxIngress } from './nginx/class-of.ts';
import { type ParsedIngress, parseIngress } from './nginx/parsed-ingress.ts';
import type { ResolvedOptions } from './options.ts';
import { type Problem, ProblemList } from './problem.ts';
import { type Family, families, type ServiceClaim } from './service-claim.ts';
import { streamIngressClaims } from './stream-ingress-rules.ts';

/** What one object with routing rules asks for. */
export interface RuleResult {
  readonly claims: readonly ServiceClaim[];
  readonly certificates: readonly CertificateClaim[];
  /** An Ingress of our class with a default backend: the oldest of them gets it. */
  readonly hasDefaultBackend: boolean;
  readonly problems: readonly Problem[];
  /** An Ingress of ingress-nginx' class, which is served with the others of its hosts. */
  readonly nginx?: ParsedIngress;
}

/**
 * What is at fault in an object: rules that are in none of its claims because they cannot be translated. Words
 * on an Ingress that is served all the same are no fault, nor is a rule whose backend was taken away.
 */
export function faultsOf({ problems, nginx }: RuleResult): readonly Problem[] {
  return nginx === undefined ? problems.filter(({ isGone }) => isGone !== true) : [];
}

export function isFamily(kind: KindId): kind is Family {
  return (families as readonly string[]).includes(kind);
}

export function buildRules(
  family: Family,
  source: KubeObject,
  reader: ObjectReader,
  options: ResolvedOptions,
  priorityOf: (id: string) => number,
): RuleResult {
  const problems = new ProblemList();
  const none: RuleResult = { claims: [], certificates: [], hasDefaultBackend: false, problems: [] };
  const object = effectiveObject(family, source, reader, options);
  if (object === undefined) return none;
  switch (family) {
    case 'Ingress': {
      const ingress = object as Ingress;
      if (options.nginx !== undefined && isNginxIngress(reader, ingress, options.nginx)) {
        const { parsed, problems } = parseIngress(ingress, reader, options.nginx);
        return { ...none, problems, ...(parsed !== undefined && { nginx: parsed }) };
      }
      if (!isIngressOfClass(reader, ingress, options.ingressClass)) return none;
      return {
        claims: ingressClaims(ingress, reader, options, problems),
        certificates: certificateClaims(ingress, ingress.spec?.tls ?? []),
        hasDefaultBackend: Boolean(ingress.spec?.defaultBackend),
        problems: problems.items,
      };
    }
    case 'TCPIngress':
    case 'UDPIngress': {
      if (!isObjectOfClass(reader, object, options.ingressClass)) return none;
      const ingress = object as StreamIngress;
      const isTcp = family === 'TCPIngress';
      return {
        ...none,
        claims: streamIngressClaims(ingress, family, options),
        certificates: isTcp ? certificateClaims(ingress, ingress.spec?.tls ?? []) : [],
      };
    }
    case 'KnativeIngress': {
      const ingress = object as KnativeIngress;
      if (annotationsOf(ingress)[knativeClassAnnotation] !== options.ingressClass) return none;
      return {
        ...none,
        claims: knativeClaims(ingress, options),
        certificates: knativeCertificateClaims(ingress),
      };
    }
    case 'HTTPRoute':
      return {
        ...none,
        claims: httpRouteClaims(object as HttpRoute, reader, options, problems),
        problems: problems.items,
      };
    case 'GRPCRoute':
      return {
        ...none,
        claims: grpcRouteClaims(object as GrpcRoute, reader, options, priorityOf, problems),
        problems: problems.items,
      };
    case 'TCPRoute':
    case 'UDPRoute':
      return {
        ...none,
        claims: portRouteClaims(object as StreamRoute, family, reader, options, problems),
        problems: problems.items,
      };
    case 'TLSRoute':
      return {
        ...none,
        claims: tlsRouteClaims(object as StreamRoute, reader, options, problems),
        problems: problems.items,
      };
  }
}

/** An object as it counts: in a cluster, routes count as far as a listener of ours takes them. */
export function effectiveObject(
  family: Family,
  object: KubeObject,
  reader: ObjectReader,
  options: ResolvedOptions,
): KubeObject | undefined {
  if (!options.onlyAttachedRoutes || !family.endsWith('Route')) return object;
  return attachedRoute(object as StreamRoute, reader, options);
}

function certificateClaims(parent: KubeObject, tls: readonly IngressTls[]): CertificateClaim[] {
  return tls.flatMap(({ hosts, secretName }) =>
    secretName && hosts?.length
      ? [{ namespace: parent.metadata.namespace ?? '', secretName, hosts, parent }]
      : [],
  );
}
