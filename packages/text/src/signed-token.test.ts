import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SignedToken, tokenKeysOf } from './signed-token.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const curves = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
  ES384: generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
  ES512: generateKeyPairSync('ec', { namedCurve: 'secp521r1' }),
};
const edwards = generateKeyPairSync('ed25519');

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(alg: string, { privateKey: key }: Pair, head: object = {}): string {
  const data = `${part({ alg, ...head })}.${part({ sub: 'me' })}`;
  const hash = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`;
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  const pss = alg.startsWith('PS') ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength } : {};
  const dsa = alg.startsWith('ES') ? { dsaEncoding: 'ieee-p1363' as const } : {};
  return `${data}.${sign(hash, Buffer.from(data), { key, ...pss, ...dsa }).toString('base64url')}`;
}

const jwk = ({ publicKey }: Pair, rest: object = {}) => ({
  ...publicKey.export({ format: 'jwk' }),
  ...rest,
});

const pairs: readonly (readonly [string, Pair])[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((alg) => [alg, rsa] as const),
  ...Object.entries(curves),
  ['EdDSA', edwards],
];
const all = tokenKeysOf({ keys: [rsa, ...Object.values(curves), edwards].map((one) => jwk(one)) });

describe('a signed token', () => {
  test.each(pairs)('of %s is that of its key alone', (alg, pair) => {
    const text = signed(alg, pair);
    const token = SignedToken.parse(text);
    expect(token).toMatchObject({ algorithm: alg, claims: { sub: 'me' }, keyId: undefined });
    expect(token.isSignedBy(all)).toBe(true);
    expect(token.isSignedBy([])).toBe(false);
    const other = pair === rsa ? curves.ES256 : rsa;
    expect(token.isSignedBy(tokenKeysOf({ keys: [jwk(other)] }))).toBe(false);
    const cut = SignedToken.parse(text.slice(0, -6));
    expect(cut.isSignedBy(all)).toBe(false);
    const none = SignedToken.parse(text.replace(/[^.]+$/, ''));
    expect(none.isSignedBy(all)).toBe(false);
  });

  test('is of the key that it names, and of the algorithm that the key is for', () => {
    const token = SignedToken.parse(signed('RS256', rsa, { kid: 'a' }));
    expect(token.isSignedBy(tokenKeysOf({ keys: [jwk(rsa, { kid: 'a' })] }))).toBe(true);
    expect(token.isSignedBy(tokenKeysOf({ keys: [jwk(rsa, { kid: 'b' })] }))).toBe(false);
    expect(token.isSignedBy(tokenKeysOf({ keys: [jwk(rsa)] }))).toBe(false);
    const other = jwk(rsa, { kid: 'a', alg: 'RS512' });
    expect(token.isSignedBy(tokenKeysOf({ keys: [other] }))).toBe(false);
  });

  test.each([
    ['none', `${part({ alg: 'none' })}.${part({})}.`],
    ['HS256', `${part({ alg: 'HS256' })}.${part({})}.AAAA`],
    ['a field of every object', `${part({ alg: 'constructor' })}.${part({})}.AAAA`],
    ['no name', `${part({ alg: { a: 1 } })}.${part({})}.AAAA`],
    ['nothing', `${part({})}.${part({})}.AAAA`],
    ['what must be understood', `${part({ alg: 'RS256', crit: ['x'] })}.${part({})}.AAAA`],
    ['a list', `${part([])}.${part({})}.AAAA`],
    ['claims of a list', `${part({ alg: 'RS256' })}.${part([])}.AAAA`],
    ['two parts', 'a.b'],
    ['four parts', 'a.b.c.d'],
    ['noise', '%.%.%'],
    ['too much', `${'x'.repeat(70_000)}.b.c`],
    ['nothing at all', ''],
  ])('is refused: one of %s', (_, text) => {
    expect(() => SignedToken.parse(text)).toThrow(/the token is refused: it/);
  });
});

describe('the keys of a document', () => {
  test('are those that sign, can be read and are worth a look', () => {
    const good = jwk(rsa, { kid: 'a', use: 'sig', alg: 'RS256' });
    const { n } = good as { n: string };
    const keys = [
      good,
      jwk(rsa, { use: 'enc' }),
      { kty: 'oct', k: 'c2VjcmV0' },
      { kty: 'RSA', n: 'x' },
      { kty: 'RSA', n, e: n },
      { kty: 'RSA', n: n.repeat(5), e: 'AQAB' },
      'text',
      null,
    ];
    const read = tokenKeysOf({ keys });
    expect(read.map(({ id, algorithm }) => [id, algorithm])).toEqual([['a', 'RS256']]);
  });

  test.each([[undefined], [null], [[]], [{}], [{ keys: {} }], ['keys']])(
    'of %j are none',
    (document) => {
      expect(tokenKeysOf(document)).toEqual([]);
    },
  );

  test('are not more than anybody has', () => {
    const keys = Array.from({ length: 150 }, () => jwk(edwards));
    expect(tokenKeysOf({ keys })).toHaveLength(100);
  });
});
