import { type Secret, secretText } from '../../../objects/secret.ts';
import type { ObjectReader } from '../../../store/object-reader.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import type { NginxSettings } from '../settings.ts';
import { resourceOf } from './resource.ts';

/** How a backend that speaks TLS is met. */
export interface ProxySsl {
  readonly secret: Secret;
  readonly hasCertificate: boolean;
  /** PEM of whom certificates of the backend must be signed by. */
  readonly ca: string | undefined;
  readonly isVerified: boolean;
  readonly depth: number;
  readonly name: string | undefined;
  readonly sendsServerName: boolean;
}

/** Nothing of it counts without the Secret. */
export function parseProxySsl(
  namespace: string,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
): ProxySsl | undefined {
  const annotation = 'proxy-ssl-secret';
  const text = read.text(annotation);
  if (text === undefined) return undefined;
  const found = text.includes('/') ? resourceOf(text, namespace, settings) : undefined;
  const secret = found && reader.get<Secret>('Secret', found.namespace, found.name);
  if (secret === undefined) {
    read.deny(annotation, `there is no Secret ${text} for it`);
    return undefined;
  }
  const ca = secretText(secret, 'ca.crt');
  return {
    secret,
    hasCertificate: secretText(secret, 'tls.crt') !== undefined,
    ca: ca || undefined,
    isVerified: read.text('proxy-ssl-verify') === 'on',
    depth: read.int('proxy-ssl-verify-depth') || 1,
    name: read.text('proxy-ssl-name'),
    sendsServerName: read.text('proxy-ssl-server-name') === 'on',
  };
}
