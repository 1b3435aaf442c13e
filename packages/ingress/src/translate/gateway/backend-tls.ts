import { createHash, X509Certificate } from 'node:crypto';
import type { BackendTlsPolicy } from '../../objects/gateway-api.ts';
import { compareByAge } from '../../objects/reference.ts';
import { type ConfigMap, type Secret, secretText } from '../../objects/secret.ts';
import type { ServicePort } from '../../objects/service.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { entityId } from '../entity-ids.ts';
import type {
  CaCertificateEntity,
  PluginEntity,
  ServiceEntity,
  UpstreamEntity,
} from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import { tagsOf } from '../tags.ts';

/** Why the authorities of a policy cannot be had, in the words of the Gateway API. */
interface PolicyRefusal {
  readonly reason: 'InvalidCACertificateRef' | 'InvalidKind';
  readonly message: string;
}

/** A certificate of an authority, in PEM. */
export type Authority = string;

/** The policy for a port of a Service: one that names the port comes before others, and the oldest first. */
export function policyOfPort(
  reader: ObjectReader,
  namespace: string,
  service: string,
  port: Pick<ServicePort, 'name'>,
): BackendTlsPolicy | undefined {
  const named: BackendTlsPolicy[] = [];
  const general: BackendTlsPolicy[] = [];
  for (const policy of reader.backendTlsPoliciesOf(namespace, service)) {
    const sections = sectionsOf(policy, service);
    if (sections.includes(undefined)) general.push(policy);
    if (port.name !== undefined && sections.includes(port.name)) named.push(policy);
  }
  return named.sort(compareByAge)[0] ?? general.sort(compareByAge)[0];
}

/** The ports of a Service that a policy is for, by name; undefined for all that no other names. */
export function sectionsOf(policy: BackendTlsPolicy, service: string): (string | undefined)[] {
  return (policy.spec?.targetRefs ?? [])
    .filter(
      ({ group, kind, name }) =>
        (group ?? '') === '' && (kind ?? 'Service') === 'Service' && name === service,
    )
    .map(({ sectionName }) => sectionName ?? undefined);
}

/** The authorities that a policy trusts, none for those of the system; or why there are none. */
export function authoritiesOf(
  policy: BackendTlsPolicy,
  reader: ObjectReader,
  now: Date,
): readonly Authority[] | PolicyRefusal {
  const { caCertificateRefs: references, wellKnownCACertificates: wellKnown } =
    policy.spec?.validation ?? {};
  const refused = (reason: PolicyRefusal['reason'], message: string) => ({ reason, message });
  if (!references?.length)
    return wellKnown === 'System'
      ? []
      : refused('InvalidCACertificateRef', 'there is no certificate of an authority');
  const { namespace = '' } = policy.metadata;
  const authorities: Authority[] = [];
  for (const { group, kind, name } of references) {
    if ((group ?? '') !== '' || (kind !== 'ConfigMap' && kind !== 'Secret'))
      return refused('InvalidKind', `an authority cannot be a ${kind}`);
    const text =
      kind === 'ConfigMap'
        ? reader.get<ConfigMap>('ConfigMap', namespace, name)?.data?.['ca.crt']
        : secretData(reader.get<Secret>('Secret', namespace, name));
    const found = authoritiesIn(text ?? '', now);
    if (found.length === 0)
      return refused(
        'InvalidCACertificateRef',
        `${kind} ${namespace}/${name} holds no certificate of an authority that is good now under ca.crt`,
      );
    authorities.push(...found);
  }
  return authorities;
}

function secretData(secret: Secret | undefined): string | undefined {
  return secret && secretText(secret, 'ca.crt');
}

/**
 * Each certificate by itself, written anew, so that nothing else reaches the gateway. None if one of them is
 * what a gateway refuses: no authority's, or not good any more.
 */
export function authoritiesIn(text: string, now: Date): Authority[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/gu) ?? [];
  try {
    const certificates = blocks.map((block) => new X509Certificate(block));
    return certificates.every(({ ca, validTo }) => ca && new Date(validTo) > now)
      ? certificates.map(String)
      : [];
  } catch {
    return [];
  }
}

function authorityId(authority: Authority, { workspace }: ResolvedOptions): string {
  const digest = createHash('sha256').update(authority).digest('hex');
  return entityId('ca_certificates', digest, workspace);
}

/** The authorities of all policies, as the gateway keeps them. */
export function policyAuthorities(
  reader: ObjectReader,
  options: ResolvedOptions,
): CaCertificateEntity[] {
  if (!options.features.httpRoutePlugins) return [];
  const entities = new Map<string, CaCertificateEntity>();
  for (const policy of reader.list<BackendTlsPolicy>('BackendTLSPolicy')) {
    const authorities = authoritiesOf(policy, reader, options.now());
    if ('reason' in authorities) continue;
    for (const cert of authorities) {
      const id = authorityId(cert, options);
      if (!entities.has(id)) entities.set(id, { id, cert, tags: tagsOf(policy) });
    }
  }
  return [...entities.values()];
}

const secureProtocols: Readonly<Record<string, string>> = { http: 'https', grpc: 'grpcs' };

/**
 * Has a service speak TLS as a policy says: its authorities, the name that is asked for, and the names that
 * the certificate may be for. A policy that cannot be followed lets no request through.
 */
export function followPolicy(
  entity: ServiceEntity,
  plugins: PluginEntity[],
  policy: BackendTlsPolicy,
  reader: ObjectReader,
  options: ResolvedOptions,
): void {
  const authorities = authoritiesOf(policy, reader, options.now());
  if ('reason' in authorities) {
    const config = { status_code: 500, message: 'the policy of the backend cannot be followed' };
    plugins.push({ name: 'request-termination', config });
    return;
  }
  const { hostname, subjectAltNames } = policy.spec?.validation ?? {};
  entity.protocol = secureProtocols[entity.protocol] ?? entity.protocol;
  // A service for gRPC has no fields for that: Kong's schema refuses them.
  const isGrpc = entity.protocol === 'grpcs';
  if (!isGrpc) entity.tls_verify = true;
  if (!isGrpc && authorities.length > 0)
    entity.ca_certificates = authorities.map((each) => authorityId(each, options));
  const names = (subjectAltNames ?? []).map(({ type, hostname: host, uri }) =>
    type === 'URI' ? `URI:${uri ?? ''}` : `DNS:${host ?? ''}`,
  );
  const config = {
    server_name: true,
    name: hostname ?? '',
    ...(names.length === 0 ? {} : { alternative_names: names }),
    ...(isGrpc ? { grpc_authorities: [...authorities] } : {}),
  };
  plugins.push({ name: 'proxy-ssl', config });
}

/**
 * The same for a TLSRoute whose TLS ends here: to its backends it starts anew. What it is to be called is said
 * by its upstream. Undefined if the policy can be followed, else why not: then nothing may be let through.
 */
export function followStreamPolicy(
  entity: ServiceEntity,
  upstream: UpstreamEntity,
  policy: BackendTlsPolicy,
  reader: ObjectReader,
  options: ResolvedOptions,
): string | undefined {
  const authorities = authoritiesOf(policy, reader, options.now());
  if ('reason' in authorities) return authorities.message;
  const { hostname, subjectAltNames } = policy.spec?.validation ?? {};
  if (subjectAltNames?.length) return 'subjectAltNames are not supported for a TLSRoute';
  entity.protocol = 'tls';
  entity.tls_verify = true;
  if (authorities.length > 0)
    entity.ca_certificates = authorities.map((each) => authorityId(each, options));
  if (hostname) upstream.host_header = hostname;
  return undefined;
}
