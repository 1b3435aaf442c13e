import {
  createPrivateKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { pemText, readPem } from '@waygate/text';
import { GoError } from '../go/function.ts';
import { dsaKeyPem } from './dsa-key.ts';
import { makeRsaKey, makeRsaKeyAside } from './rsa-key.ts';

/** The kinds of keys that functions ask for. */
export type KeyKind = 'rsa-2048' | 'rsa-4096' | 'dsa' | 'ecdsa' | 'ed25519';

const dsaSizes = { modulusLength: 2048, divisorLength: 256 };
const keyPairAside = promisify(generateKeyPair);

/**
 * What making a key counts as: about what it takes, all steps of a rendering being about a second. A chart that asks for
 * more than it may have is refused before any is made (`KeyRing`).
 */
export const stepsOfKey: Readonly<Record<KeyKind, number>> = {
  'rsa-2048': 350_000,
  'rsa-4096': 3_500_000,
  dsa: 3_500_000,
  ecdsa: 2_000,
  ed25519: 2_000,
};

/** Whether a key takes long: a tenth of a second, or a whole one. */
export function isCostly(kind: KeyKind): boolean {
  return stepsOfKey[kind] >= 100_000;
}

/** Makes a key by node:crypto, whose randomness is the system's own. */
export function makeKey(kind: KeyKind): KeyObject {
  switch (kind) {
    case 'rsa-2048':
      return makeRsaKey(2048);
    case 'rsa-4096':
      return makeRsaKey(4096);
    case 'dsa':
      return generateKeyPairSync('dsa', dsaSizes).privateKey;
    case 'ecdsa':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    case 'ed25519':
      return generateKeyPairSync('ed25519').privateKey;
  }
}

/** Makes a key that takes long by another thread, while this one goes on. */
export async function makeKeyAside(kind: KeyKind): Promise<KeyObject> {
  switch (kind) {
    case 'rsa-2048':
      return makeRsaKeyAside(2048);
    case 'rsa-4096':
      return makeRsaKeyAside(4096);
    case 'dsa':
      return (await keyPairAside('dsa', dsaSizes)).privateKey;
    default:
      return makeKey(kind);
  }
}

/** A key as Sprig writes it: PKCS#1 for RSA, SEC 1 for elliptic curves, DSA as OpenSSL had it, PKCS#8 for others. */
export function privateKeyPem(key: KeyObject): string {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return pemText('RSA PRIVATE KEY', key.export({ format: 'der', type: 'pkcs1' }));
    case 'ec':
      return pemText('EC PRIVATE KEY', key.export({ format: 'der', type: 'sec1' }));
    case 'dsa':
      return dsaKeyPem(key);
    default:
      return pemText('PRIVATE KEY', key.export({ format: 'der', type: 'pkcs8' }));
  }
}

/** @throws GoError in Sprig's words */
export function parsePrivateKey(pem: string): KeyObject {
  const block = readPem(pem);
  if (block === undefined) throw new GoError('no PEM data in input');
  const { label, der } = block;
  if (label === 'PRIVATE KEY') return decoded(der, 'pkcs8', 'decoding PEM as PKCS#8');
  if (!label.endsWith(' PRIVATE KEY'))
    throw new GoError(`no private key data in PEM block of type ${label}`);
  switch (label.slice(0, -12)) {
    case 'RSA':
      return decoded(der, 'pkcs1', 'parsing RSA private key from PEM');
    case 'EC':
      return decoded(der, 'sec1', 'parsing EC private key from PEM');
    case 'DSA':
      throw new GoError('parsing DSA private key from PEM: DSA keys cannot sign certificates');
    default:
      throw new GoError(`invalid private key type ${label.slice(0, -12)}`);
  }
}

function decoded(key: Buffer, type: 'pkcs1' | 'pkcs8' | 'sec1', doing: string): KeyObject {
  try {
    return createPrivateKey({ key, format: 'der', type });
  } catch (error) {
    // Go and OpenSSL have different words for what is wrong inside.
    throw new GoError(`${doing}: ${(error as Error).message}`);
  }
}
