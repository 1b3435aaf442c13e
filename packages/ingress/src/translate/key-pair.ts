import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type Secret, secretText } from '../objects/secret.ts';

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const known = new WeakMap<Secret, KeyPair | 'invalid'>();

/** The certificate and key of a TLS Secret, trimmed; undefined when they do not form a pair. */
export function keyPairOf(secret: Secret): KeyPair | undefined {
  let pair = known.get(secret);
  if (pair === undefined) {
    pair = parse(secret) ?? 'invalid';
    known.set(secret, pair);
  }
  return pair === 'invalid' ? undefined : pair;
}

function parse(secret: Secret): KeyPair | undefined {
  const cert = secretText(secret, 'tls.crt')?.trim();
  const key = secretText(secret, 'tls.key')?.trim();
  if (cert === undefined || key === undefined) return undefined;
  try {
    const certificate = new X509Certificate(cert);
    return certificate.checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch {
    return undefined;
  }
}
