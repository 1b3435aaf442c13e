import { X509Certificate } from 'node:crypto';
import type { Ingress, IngressTls } from '../../objects/ingress.ts';
import { type Secret, secretText } from '../../objects/secret.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { CertificateClaim } from '../certificates.ts';
import type { ProblemList } from '../problem.ts';
import { anyHost } from './parsed-ingress.ts';
import type { NginxServer } from './server.ts';

/** The certificate that a server shows. */
export interface ServerCertificate {
  /** Whether there is one for a name, be it the default: such names redirect to https. */
  isFor(name: string): boolean;
  readonly claims: readonly CertificateClaim[];
}

const none: ServerCertificate = { isFor: () => false, claims: [] };

/** Of the Ingresses of a host the first that has one for it decides. */
export function certificateOf(
  { host, aliases, wwwHost, ingresses }: NginxServer,
  reader: ObjectReader,
  problems: ProblemList,
): ServerCertificate {
  if (host === anyHost) return none;
  for (const { ingress } of ingresses) {
    if (!hasTls(ingress)) continue;
    const byDefault = { isFor: (name: string) => name === host, claims: [] };
    const secretName = tlsOf(ingress, host, reader)?.secretName;
    if (!secretName) return byDefault;
    const namespace = ingress.metadata.namespace ?? '';
    const secret = reader.get<Secret>('Secret', namespace, secretName);
    const certificate = certificateIn(secret);
    if (certificate === undefined || !covers(certificate, host)) {
      const why = certificate === undefined ? 'holds no certificate' : `is not for ${host}`;
      problems.add(`the default certificate is shown: Secret ${secretName} ${why}`, ingress);
      return byDefault;
    }
    const others = [...aliases, ...(wwwHost === undefined ? [] : [wwwHost])];
    const hosts = [host, ...others.filter((name) => covers(certificate, name))];
    return {
      isFor: (name) => hosts.includes(name),
      claims: [{ namespace, secretName, hosts, parent: ingress }],
    };
  }
  return none;
}

/** Whether an Ingress says anything on TLS: its hosts then have a certificate, be it the default. */
export function hasTls({ spec }: Ingress): boolean {
  return (spec?.tls ?? []).length > 0;
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
  if (host.startsWith('~')) return false;
  if (!host.startsWith('*.')) return certificate.checkHost(host) !== undefined;
  return (certificate.subjectAltName ?? '').split(', ').includes(`DNS:${host}`);
}
