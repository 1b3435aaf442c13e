import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import type { ListenerKeyPair } from '@waygate/runtime';

// RSA: a certificate for a name takes the place of the default one only if their keys are alike.
const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2_048,
};
const lifetimeMs = 365 * 24 * 3_600_000;

let made: Promise<ListenerKeyPair> | undefined;

/**
 * The certificate that ingress-nginx shows for names without one, by the same name, so that people
 * recognise it. Signed by itself, and made once in a process.
 *
 * ```ts
 * (await nginxFallbackCertificate()).cert.startsWith('-----BEGIN CERTIFICATE-----'); // true
 * ```
 */
export function nginxFallbackCertificate(now = Date.now()): Promise<ListenerKeyPair> {
  made ??= create(now);
  return made;
}

async function create(now: number): Promise<ListenerKeyPair> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as never);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `01${randomBytes(12).toString('hex')}`,
    name: 'CN=Kubernetes Ingress Controller Fake Certificate, O=Acme Co',
    notBefore: new Date(now - 60_000),
    notAfter: new Date(now + lifetimeMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'ingress.local' }]),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const object = createPrivateKey({ key: Buffer.from(key), format: 'der', type: 'pkcs8' });
  return {
    cert: `${certificate.toString('pem').trim()}\n`,
    key: object.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
