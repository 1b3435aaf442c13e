import { createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeCertificate, makeCertificateRequest, type NamePart, signerOf } from './certificate.ts';
import { readDer, readDerParts } from './der.ts';

// Node.js reads what was written here: its OpenSSL is the judge.

const keys: readonly (readonly [string, KeyObject])[] = [
  ['RSA', generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey],
  ['ECDSA', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
  ['Ed25519', generateKeyPairSync('ed25519').privateKey],
];
const from = new Date('2026-01-02T03:04:05Z');
const to = new Date('2051-01-02T03:04:05Z');
const subject: readonly NamePart[] = [
  ['CN', 'shop'],
  ['O', 'Läden'],
  ['C', 'DE'],
];

test.each(keys)('a certificate with a key of %s is read as it was meant', (_, key) => {
  const der = makeCertificate({
    subject,
    names: ['shop.example', '*.shop.example'],
    addresses: ['127.0.0.1', '2001:db8::7'],
    from,
    to,
    isAuthority: false,
    usage: ['digitalSignature'],
    purposes: ['serverAuth'],
    serial: 0x81n,
    key,
  });
  const read = new X509Certificate(der);
  expect(read.subject).toBe('CN=shop\nO=Läden\nC=DE');
  expect(read.issuer).toBe(read.subject);
  expect(read.subjectAltName).toBe(
    'DNS:shop.example, DNS:*.shop.example, IP Address:127.0.0.1, IP Address:2001:DB8:0:0:0:0:0:7',
  );
  expect([Date.parse(read.validFrom), Date.parse(read.validTo)]).toEqual([+from, +to]);
  expect(read.serialNumber).toBe('81');
  expect(read.ca).toBe(false);
  expect(read.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(read.checkPrivateKey(key)).toBe(true);
  expect(read.verify(createPublicKey(key))).toBe(true);
});

test.each(keys)('an authority with a key of %s signs for others', (_, key) => {
  const usage = ['digitalSignature', 'keyCertSign'] as const;
  const authority = makeCertificate({
    subject: [['CN', 'authority']],
    from,
    to,
    isAuthority: true,
    usage,
    serial: 1n,
    key,
  });
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const signer = signerOf(authority, key);
  const leaf = makeCertificate({ subject, from, to, serial: 2n, key: own }, signer);
  const [above, below] = [new X509Certificate(authority), new X509Certificate(leaf)];
  expect(above.ca).toBe(true);
  expect(below.issuer).toBe('CN=authority');
  expect(below.checkIssued(above)).toBe(true);
  expect(below.verify(above.publicKey)).toBe(true);
  expect(signer?.keyId).toHaveLength(20);
});

test('a key that signs no certificates is refused by name', () => {
  const { privateKey: key } = generateKeyPairSync('x25519');
  expect(() => makeCertificate({ subject, from, to, serial: 1n, key })).toThrow('x25519');
});

test.each(keys)(
  'a request with a key of %s holds its name, its key and no version but the first',
  (_, key) => {
    const der = makeCertificateRequest({ subject: [['CN', 'shop']], names: ['shop.example'], key });
    const [info] = readDerParts(readDer(der)!.content);
    const [version, , publicKey, attributes] = readDerParts(info!.content);
    expect([...version!.content]).toEqual([0]);
    expect(
      createPublicKey({ key: Buffer.from(publicKey!.whole), format: 'der', type: 'spki' })
        .asymmetricKeyType,
    ).toBe(key.asymmetricKeyType);
    expect(Buffer.from(attributes!.content).includes('shop.example')).toBe(true);
  },
);
