import { createHash } from 'node:crypto';
import type { KongCaCertificate, KongCertificate, KongService } from '@waygate/kong';
import type { Snapshot } from '../configuration/snapshot.ts';
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

const settingsOf = new WeakMap<KongService, { snapshot: Snapshot; settings: ServiceSettings }>();

/** The settings of a service; computed once for each configuration. */
export function serviceSettings(service: KongService, snapshot: Snapshot): ServiceSettings {
  const known = settingsOf.get(service);
  if (known !== undefined && (known.snapshot === snapshot || known.settings.tls === undefined)) {
    return known.settings;
  }
  const settings = createSettings(service, snapshot);
  settingsOf.set(service, { snapshot, settings });
  return settings;
}

function createSettings(service: KongService, snapshot: Snapshot): ServiceSettings {
  const protocol = service.protocol ?? 'http';
  const isSecure = ['https', 'grpcs', 'tls', 'wss'].includes(protocol);
  const tls = isSecure ? upstreamTls(service, snapshot) : undefined;
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

function upstreamTls(service: KongService, snapshot: Snapshot): UpstreamTls {
  const client = snapshot.find<KongCertificate>('certificates', service.client_certificate?.id);
  const ca = (service.ca_certificates ?? []).flatMap((id) => {
    const certificate = snapshot.find<KongCaCertificate>('ca_certificates', id)?.cert;
    return certificate === undefined ? [] : [certificate];
  });
  return { isVerified: service.tls_verify === true, ca, cert: client?.cert, key: client?.key };
}
