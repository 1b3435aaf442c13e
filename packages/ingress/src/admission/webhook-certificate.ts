import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import type { ListenerKeyPair } from '@waygate/runtime';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const serverAuth = '1.3.6.1.5.5.7.3.1';
/** Clocks differ: a certificate is good a little before it was made. */
export const backdateMs = 5 * 60 * 1000;

/**
 * A certificate for these names with its key, signed by itself: who trusts it trusts nothing else with it, and there is
 * no key of an authority to keep.
 */
export async function makeServingPair(
  names: readonly string[],
  now: number,
  lifetimeMs: number,
): Promise<ListenerKeyPair> {
  // Most processes find a pair that was made before: loading these takes longer than making one.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as never);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `01${randomBytes(12).toString('hex')}`,
    name: 'CN=waygate-webhook',
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(now + lifetimeMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.ExtendedKeyUsageExtension([serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const object = createPrivateKey({ key: Buffer.from(key), format: 'der', type: 'pkcs8' });
  return {
    cert: `${certificate.toString('pem').trim()}\n`,
    key: object.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** When a certificate was made and when it ends, in milliseconds; undefined when it is none. */
export function lifetimeOf(
  cert: string,
): { readonly made: number; readonly ends: number } | undefined {
  try {
    const { validFrom, validTo } = new X509Certificate(cert);
    return { made: Date.parse(validFrom) + backdateMs, ends: Date.parse(validTo) };
  } catch {
    return undefined;
  }
}

/** Whether a pair can be served under all of these names. */
export function isServable({ cert, key }: ListenerKeyPair, names: readonly string[]): boolean {
  try {
    const certificate = new X509Certificate(cert);
    return (
      certificate.checkPrivateKey(createPrivateKey(key)) &&
      names.every((name) => certificate.checkHost(name) !== undefined)
    );
  } catch {
    return false;
  }
}

/** The certificates in a bundle, one text each. */
export function certificatesIn(bundle: string): string[] {
  const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => `${block}\n`);
}
