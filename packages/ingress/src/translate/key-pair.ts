import { createPrivateKey, X509Certificate } from 'node:crypto';
import { oncePer } from '@waygate/text';
import { type Secret, secretText } from '../objects/secret.ts';

interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The certificate and key of a TLS Secret, trimmed; undefined when they do not form a pair. */
export const keyPairOf = oncePer((secret: Secret): KeyPair | undefined => {
  const cert = secretText(secret, 'tls.crt')?.trim();
  const key = secretText(secret, 'tls.key')?.trim();
  if (cert === undefined || key === undefined) return undefined;
  try {
    const certificate = new X509Certificate(cert);
    return certificate.checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch {
    return undefined;
  }
});
