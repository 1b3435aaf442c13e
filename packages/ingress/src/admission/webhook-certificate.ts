import { createPrivateKey, generateKeyPair, randomBytes, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import type { ListenerKeyPair } from '@waygate/runtime';
import { makeCertificate, pemText } from '@waygate/text';

/** Clocks differ: a certificate is good a little before it was made. */
const backdateMs = 5 * 60 * 1000;

/**
 * A certificate for these names with its key, signed by itself: who trusts it trusts nothing else with it, and there is
 * no key of an authority to keep.
 */
export async function makeServingPair(
  names: readonly string[],
  now: number,
  lifetimeMs: number,
): Promise<ListenerKeyPair> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const der = makeCertificate({
    subject: [['CN', 'waygate-webhook']],
    names,
    purposes: ['serverAuth'],
    from: new Date(now - backdateMs),
    to: new Date(now + lifetimeMs),
    serial: BigInt(`0x01${randomBytes(12).toString('hex')}`),
    key: privateKey,
  });
  return {
    cert: pemText('CERTIFICATE', der),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
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
