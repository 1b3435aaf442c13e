import { createVerify, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { TokenKeys } from './token-keys.ts';

const pem = { type: 'pkcs8', format: 'pem' } as const;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const curve = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

function isGood(keys: TokenKeys, token: string): boolean {
  const [header, claims, signature = ''] = token.split('.');
  return keys.isSignedByUs(`${header}.${claims}`, Buffer.from(signature, 'base64url'));
}

test('a key on a curve signs as the standard says', () => {
  const keys = new TokenKeys({ signingKey: String(curve.privateKey.export(pem)) });
  const token = keys.sign({ sub: 'eve' });
  const [header = '', claims, signature = ''] = token.split('.');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg: 'ES256' });
  const verifier = createVerify('sha256').update(`${header}.${claims}`);
  const bytes = Buffer.from(signature, 'base64url');
  expect(verifier.verify({ key: curve.publicKey, dsaEncoding: 'ieee-p1363' }, bytes)).toBe(true);
  expect(keys.keySet().keys).toMatchObject([{ kty: 'EC', crv: 'P-256', alg: 'ES256' }]);
});

test('tokens of further keys are good, those of strangers and with other claims are not', () => {
  const old = new TokenKeys({ signingKey: String(rsa.privateKey.export(pem)) });
  const now = new TokenKeys({
    signingKey: String(curve.privateKey.export(pem)),
    checkingKeys: [String(rsa.publicKey.export({ type: 'spki', format: 'pem' }))],
  });
  const token = old.sign({ sub: 'eve' });
  expect(isGood(now, token)).toBe(true);
  expect(isGood(old, now.sign({ sub: 'eve' }))).toBe(false);
  expect(now.methods()).toEqual(['ES256', 'RS256']);
  const [header, , signature] = token.split('.');
  const other = Buffer.from(JSON.stringify({ sub: 'bob' })).toString('base64url');
  expect(isGood(now, `${header}.${other}.${signature}`)).toBe(false);
  expect(isGood(now, 'e30.e30.AAAA')).toBe(false);
  expect(isGood(now, 'e30.e30.')).toBe(false);
});
