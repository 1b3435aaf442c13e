import type { KubeObject } from '@waygate/schema';
import { parseApiVersion } from '@waygate/schema';
import type {
  KongIngressResource,
  KongUpstreamPolicyResource,
  UpstreamHash,
} from '../objects/kong-resources.ts';
import type { Service } from '../objects/service.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotation, annotationsOf } from './annotations.ts';
import type { UpstreamEntity } from './kong-state.ts';
import type { ProblemList } from './problem.ts';

/** The fields of a KongIngress's upstream section that are taken over; its name never is. */
const kongIngressFields = [
  'host_header',
  'algorithm',
  'slots',
  'healthchecks',
  'hash_on',
  'hash_fallback',
  'hash_on_header',
  'hash_fallback_header',
  'hash_on_cookie',
  'hash_on_cookie_path',
  'hash_on_query_arg',
  'hash_fallback_query_arg',
  'hash_on_uri_capture',
  'hash_fallback_uri_capture',
];

/** What KongIngress, annotations and KongUpstreamPolicy of the Services say, the later winning. */
export function applyUpstreamOverrides(
  upstream: UpstreamEntity,
  parent: KubeObject,
  services: readonly Service[],
  reader: ObjectReader,
  problems: ProblemList,
): void {
  applyKongIngress(upstream, parent, services, reader, problems);
  const named = services.find((service) => annotation(annotationsOf(service), 'upstream-policy'));
  if (named === undefined) return;
  const name = annotation(annotationsOf(named), 'upstream-policy') ?? '';
  const namespace = named.metadata.namespace ?? '';
  const policy = reader.get<KongUpstreamPolicyResource>('KongUpstreamPolicy', namespace, name);
  if (policy === undefined) {
    const message = `failed fetching KongUpstreamPolicy: KongUpstreamPolicy ${namespace}/${name} not found`;
    problems.add(message, ...services);
    return;
  }
  Object.assign(upstream, policyFields(policy));
}

function applyKongIngress(
  upstream: UpstreamEntity,
  parent: KubeObject,
  services: readonly Service[],
  reader: ObjectReader,
  problems: ProblemList,
): void {
  const overridden = services.find((service) => annotation(annotationsOf(service), 'override'));
  let kongIngress: KongIngressResource | undefined;
  if (overridden !== undefined) {
    const name = annotation(annotationsOf(overridden), 'override') ?? '';
    const namespace = overridden.metadata.namespace ?? '';
    kongIngress = reader.get<KongIngressResource>('KongIngress', namespace, name);
    if (kongIngress === undefined) {
      problems.add(`failed to get KongIngress: KongIngress ${name} not found`, ...services);
      return;
    }
    // Gateway API routes are not for KongIngress to change.
    if (parseApiVersion(parent.apiVersion ?? '').group === 'gateway.networking.k8s.io') return;
  }
  for (const field of kongIngressFields) {
    const value = kongIngress?.upstream?.[field];
    if (value !== undefined && value !== null) upstream[field] = value;
  }
  for (const service of services) {
    const host = annotation(annotationsOf(service), 'host-header');
    if (host) upstream.host_header = host;
  }
}

function policyFields(policy: KongUpstreamPolicyResource): Record<string, unknown> {
  const { algorithm, slots, hashOn, hashOnFallback, healthchecks, stickySessions } =
    policy.spec ?? {};
  const fields: Record<string, unknown> = {
    algorithm,
    slots,
    healthchecks: healthchecks ? snakeCased(healthchecks) : undefined,
    hash_on: hashInput(hashOn),
    hash_on_header: hashOn?.header,
    hash_on_cookie: hashOn?.cookie,
    hash_on_cookie_path: hashOn?.cookiePath,
    hash_on_query_arg: hashOn?.queryArg,
    hash_on_uri_capture: hashOn?.uriCapture,
    hash_fallback: hashInput(hashOnFallback),
    hash_fallback_header: hashOnFallback?.header,
    hash_fallback_query_arg: hashOnFallback?.queryArg,
    hash_fallback_uri_capture: hashOnFallback?.uriCapture,
    sticky_sessions_cookie: stickySessions?.cookie,
    sticky_sessions_cookie_path: stickySessions?.cookiePath,
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

function hashInput(hash: UpstreamHash | null | undefined): string | undefined {
  if (!hash) return undefined;
  const isGiven = (value: string | null | undefined) => value !== undefined && value !== null;
  if (isGiven(hash.input)) return hash.input;
  if (isGiven(hash.header)) return 'header';
  if (isGiven(hash.cookie)) return 'cookie';
  if (isGiven(hash.queryArg)) return 'query_arg';
  return isGiven(hash.uriCapture) ? 'uri_capture' : undefined;
}

/** Health checks have Kong's structure with Kubernetes' spelling; headers are user data and stay. */
function snakeCased(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined && field !== null)
      .filter(([, field]) => !Array.isArray(field) || field.length > 0)
      .map(([key, field]) => {
        const name = key.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
        const isRecord = typeof field === 'object' && !Array.isArray(field) && key !== 'headers';
        return [name, isRecord ? snakeCased(field as Record<string, unknown>) : field];
      }),
  );
}
