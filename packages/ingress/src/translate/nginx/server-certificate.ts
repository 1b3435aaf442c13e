import { X509Certificate } from 'node:crypto';
import type { Ingress, IngressTls } from '../../objects/ingress.ts';
import type { Secret } from '../../objects/secret.ts';
import { secretText } from '../../objects/secret.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { CertificateClaim } from '../certificates.ts';
import type { ProblemList } from '../problem.ts';
import { anyHost } from './parsed-ingress.ts';
import type { NginxServer } from './server.ts';

/** The certificate that a server shows. */
export interface ServerCertificate {
  /** Whether there is one for the host, be it the default: such hosts redirect to https. */
  readonly isConfigured: boolean;
  readonly claims: readonly CertificateClaim[];
}

/** Of the Ingresses of a host the first that has one for it decides. */
export function certificateOf(
  { host, ingresses }: NginxServer,
  reader: ObjectReader,
  problems: ProblemList,
): ServerCertificate {
  if (host === anyHost) return { isConfigured: false, claims: [] };
  for (const { ingress } of ingresses) {
    const entry = tlsOf(ingress, host, reader);
    if (entry === undefined) continue;
    const { secretName } = entry;
    if (!secretName) return { isConfigured: true, claims: [] };
    const namespace = ingress.metadata.namespace ?? '';
    const secret = reader.get<Secret>('Secret', namespace, secretName);
    const certificate = certificateIn(secret);
    if (certificate === undefined || !covers(certificate, host)) {
      const why = certificate === undefined ? 'holds no certificate' : `is not for ${host}`;
      problems.add(`the default certificate is shown: Secret ${secretName} ${why}`, ingress);
      return { isConfigured: true, claims: [] };
    }
    return {
      isConfigured: true,
      claims: [{ namespace, secretName, hosts: [host], parent: ingress }],
    };
  }
  return { isConfigured: false, claims: [] };
}

/** The entry that names the host, or else one whose certificate is for it. */
function tlsOf(ingress: Ingress, host: string, reader: ObjectReader): IngressTls | undefined {
  const entries = ingress.spec?.tls ?? [];
  const named = entries.find(({ hosts }) =>
    (hosts ?? []).some((one) => one.toLowerCase() === host),
  );
  if (named !== undefined) return named;
  return entries.find(({ secretName }) => {
    if (!secretName) return false;
    const namespace = ingress.metadata.namespace ?? '';
    const certificate = certificateIn(reader.get<Secret>('Secret', namespace, secretName));
    return certificate !== undefined && covers(certificate, host);
  });
}

function certificateIn(secret: Secret | undefined): X509Certificate | undefined {
  const text = secret && secretText(secret, 'tls.crt');
  if (!text) return undefined;
  try {
    return new X509Certificate(text);
  } catch {
    // What is wrong with it is said where the certificate is loaded.
    return undefined;
  }
}

function covers(certificate: X509Certificate, host: string): boolean {
  if (!host.startsWith('*.')) return certificate.checkHost(host) !== undefined;
  return (certificate.subjectAltName ?? '').split(', ').includes(`DNS:${host}`);
}
