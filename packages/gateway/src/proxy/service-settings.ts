import { createHash } from 'node:crypto';
import type { KongCaCertificate, KongCertificate, KongService } from '@waygate/kong';
import type { RequestSnapshot } from '../plugin/request-context.ts';
import type { UpstreamTls } from './upstream-pools.ts';

/** What a service says on how to reach it, with Kong's defaults filled in. */
export interface ServiceSettings {
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
  readonly connectTimeoutMs: number;
  /** Longest silence while the request is sent, and while its answer comes. */
  readonly writeTimeoutMs: number;
  readonly readTimeoutMs: number;
  readonly retries: number;
  readonly tls: UpstreamTls | undefined;
  /** Tells different TLS settings apart without holding their keys. */
  readonly tlsKey: string;
}

/** Settings with the certificates that they were made from. */
interface Known {
  readonly settings: ServiceSettings;
  readonly used: readonly (object | undefined)[];
}

const settingsOf = new WeakMap<KongService, Known>();

/** The settings of a service; computed once, until the service or one of its certificates changes. */
export function serviceSettings(service: KongService, snapshot: RequestSnapshot): ServiceSettings {
  const known = settingsOf.get(service);
  if (known?.settings.tls === undefined && known !== undefined) return known.settings;
  const used = isSecureProtocol(service.protocol) ? certificatesOf(service, snapshot) : [];
  if (known?.used.every((one, index) => one === used[index]) === true) return known.settings;
  const settings = createSettings(service, used);
  settingsOf.set(service, { settings, used });
  return settings;
}

type Certificates = readonly (KongCertificate | KongCaCertificate | undefined)[];

/** The client's certificate, and then the authorities that the upstream's is checked against. */
function certificatesOf(service: KongService, { certificates }: RequestSnapshot): Certificates {
  return [
    certificates.certificate(service.client_certificate?.id),
    ...(service.ca_certificates ?? []).map((id) => certificates.authority(id)),
  ];
}

function isSecureProtocol(protocol: string | undefined): boolean {
  return ['https', 'grpcs', 'tls', 'wss'].includes(protocol ?? 'http');
}

function createSettings(service: KongService, certificates: Certificates): ServiceSettings {
  const protocol = service.protocol ?? 'http';
  const isSecure = isSecureProtocol(protocol);
  const tls = isSecure ? upstreamTls(service, certificates) : undefined;
  return {
    protocol,
    host: service.host ?? '',
    port: service.port ?? (isSecure ? 443 : 80),
    connectTimeoutMs: service.connect_timeout ?? 60_000,
    writeTimeoutMs: service.write_timeout ?? 60_000,
    readTimeoutMs: service.read_timeout ?? 60_000,
    retries: service.retries ?? 5,
    tls,
    tlsKey:
      tls === undefined ? '' : createHash('sha256').update(JSON.stringify(tls)).digest('base64'),
  };
}

function upstreamTls(service: KongService, [client, ...authorities]: Certificates): UpstreamTls {
  const { cert, key } = (client ?? {}) as KongCertificate;
  const ca = authorities.flatMap((authority) => authority?.cert ?? []);
  return { isVerified: service.tls_verify === true, ca, cert, key };
}
