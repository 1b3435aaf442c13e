import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { ListenerKeyPair } from '@waygate/runtime';
import { makeCertificate, pemText } from '@waygate/text';

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
  // RSA: a certificate for a name takes the place of the default one only if their keys are alike.
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 });
  const der = makeCertificate({
    subject: [
      ['CN', 'Kubernetes Ingress Controller Fake Certificate'],
      ['O', 'Acme Co'],
    ],
    names: ['ingress.local'],
    from: new Date(now - 60_000),
    to: new Date(now + lifetimeMs),
    serial: BigInt(`0x01${randomBytes(12).toString('hex')}`),
    key: privateKey,
  });
  return {
    cert: pemText('CERTIFICATE', der),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
