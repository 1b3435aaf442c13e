import { X509Certificate } from 'node:crypto';
import { type Secret, secretText } from '../../../objects/secret.ts';
import type { ObjectReader } from '../../../store/object-reader.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import { isRunnable } from '../runnable-pattern.ts';
import type { NginxSettings } from '../settings.ts';
import { resourceOf } from './resource.ts';

/** Certificates that clients of a host show. */
export interface ClientCertificate {
  /** What the plugin `client-certificate` is told, beside the names of the server. */
  readonly plugin: Readonly<Record<string, unknown>> | undefined;
  /** Something is wrong: the whole host is closed. */
  readonly isBroken: boolean;
}

export function parseClientCertificate(
  namespace: string,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
): ClientCertificate | undefined {
  const annotation = 'auth-tls-secret';
  const text = read.raw(annotation);
  if (!text?.trim()) return undefined;
  const name = read.text(annotation);
  const found = name?.includes('/') ? resourceOf(name, namespace, settings) : undefined;
  const secret = found && reader.get<Secret>('Secret', found.namespace, found.name);
  const ca = secret && secretText(secret, 'ca.crt');
  if (secret === undefined || !ca || !isAuthority(ca)) {
    read.deny(annotation, 'there is no Secret with an authority in ca.crt for it');
    return { plugin: undefined, isBroken: true };
  }
  const crl = secretText(secret, 'ca.crl');
  const errorPage = read.text('auth-tls-error-page');
  const matchCn = read.text('auth-tls-match-cn');
  if (matchCn !== undefined && !isRunnable(matchCn, 'pcre')) {
    read.deny('auth-tls-match-cn', 'is no pattern that can be run');
    return { plugin: undefined, isBroken: true };
  }
  return {
    isBroken: false,
    plugin: {
      verify: read.text('auth-tls-verify-client') ?? 'on',
      depth: Math.min(Math.max(read.int('auth-tls-verify-depth') || 1, 0), 100),
      ca,
      ...(crl && { crl }),
      ...(errorPage !== undefined && { error_page: errorPage }),
      pass_certificate: read.bool('auth-tls-pass-certificate-to-upstream') ?? false,
      ...(matchCn !== undefined && { match_cn: matchCn }),
    },
  };
}

/** Whether a text begins with the certificate of somebody who signs those of clients. */
function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    // It is no certificate.
    return false;
  }
}
