import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';
import { decodeToken, isSignedWith } from './json-web-token.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function token(claims: object, header: object = {}, key = 'secret'): string {
  const text = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const future = 4_000_000_000;

let gateway: Gateway;
let base: string;

const configs: Record<string, object> = {
  plain: {},
  verified: { claims_to_verify: ['exp', 'nbf'] },
  shortly: { claims_to_verify: ['exp'], maximum_expiration: 60 },
  elsewhere: { header_names: ['x-token'], uri_param_names: ['t'], cookie_names: ['c'] },
  kid: { key_claim_name: 'kid', realm: 'shop' },
  encoded: { secret_is_base64: true },
  anonymous: { anonymous: 'guest' },
  preflight: { run_on_preflight: false },
};

beforeAll(async () => {
  const terminate = { name: 'request-termination', config: { status_code: 200, message: 'in' } };
  gateway = new Gateway({
    proxy: [{ host: '127.0.0.1', port: 0 }],
    admin: false,
    config: {
      _format_version: '3.0',
      routes: Object.entries(configs).map(([name, config]) => ({
        name,
        paths: [`/${name}`],
        plugins: [{ name: 'jwt', config }, terminate],
      })),
      consumers: [
        {
          username: 'ann',
          jwt_secrets: [
            { key: 'k', secret: 'secret' },
            { key: 'e', secret: Buffer.from('secret').toString('base64') },
            { key: 'r', algorithm: 'RS256', rsa_public_key: pem, secret: 'unused' },
          ],
        },
        { username: 'guest' },
      ],
    },
  });
  const { proxy } = await gateway.start();
  base = `http://127.0.0.1:${proxy[0]?.port}`;
});

afterAll(() => gateway.stop());

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const answer = await fetch(`${base}${path}`, { method, headers });
  const body = (await answer.json()) as Record<string, string>;
  return { status: answer.status, body, told: answer.headers.get('www-authenticate') };
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
const good = token({ iss: 'k' });

describe('where a token is looked for', () => {
  test.each([
    ['a header', '/plain', bearer(good)],
    ['a header, however it is written', '/plain', { authorization: ` bearer   ${good}  ` }],
    ['the query', `/plain?jwt=${good}`, {}],
    ['another header', '/elsewhere', { 'x-token': `Bearer ${good}` }],
    ['another field of the query', `/elsewhere?t=${good}`, {}],
    ['a cookie', '/elsewhere', { cookie: `x=1; c=${good}` }],
    ['two places that say the same', `/plain?jwt=${good}`, bearer(good)],
    ['the head of the token', '/kid', bearer(token({}, { kid: 'k' }))],
  ])('%s', async (_name, path, headers) => {
    expect(await ask(path, headers)).toMatchObject({ status: 200 });
  });

  test.each([
    ['nowhere', '/plain', {}],
    ['a header of another kind', '/plain', { authorization: `Basic ${good}` }],
    ['an empty one', '/plain?jwt=', { authorization: 'Bearer ' }],
    ['a place that does not count', '/elsewhere', bearer(good)],
    ['a cookie that is empty', '/elsewhere', { cookie: 'c=' }],
  ])('not %s', async (_name, path, headers) => {
    const { status, body, told } = await ask(path, headers);
    expect([status, body.message, told]).toEqual([401, 'Unauthorized', 'Bearer']);
  });
});

describe('a token is refused', () => {
  test.each([
    ['two of them', `/plain?jwt=${good}x`, bearer(good), 'Multiple tokens provided'],
    ['no token', '/plain', bearer('x'), 'Bad token; invalid JSON'],
    ['no JSON', '/plain', bearer('a.b.c'), 'Bad token; invalid JSON'],
    ['one part too many', '/plain', bearer(`${good}.x`), 'Bad token; invalid JSON'],
    ['a list', '/plain', bearer(`${encode([])}.${encode({})}.x`), 'Bad token; invalid JSON'],
    ['nobody', '/plain', bearer(token({})), "No mandatory 'iss' in claims"],
    ['an empty name', '/plain', bearer(token({ iss: '' })), "No mandatory 'iss' in claims"],
    ['a stranger', '/plain', bearer(token({ iss: 'z' })), "No credentials found for given 'iss'"],
    ['another key', '/plain', bearer(token({ iss: 'k' }, {}, 'x')), 'Invalid signature'],
    ['no algorithm', '/plain', bearer(token({ iss: 'k' }, { alg: 'none' })), 'Invalid algorithm'],
    [
      'a shared key for a public one',
      '/plain',
      bearer(token({ iss: 'r' }, {}, pem)),
      'Invalid algorithm',
    ],
    ['a secret as it is written', '/encoded', bearer(token({ iss: 'k' })), 'Invalid signature'],
  ])('%s', async (_name, path, headers, message) => {
    const { status, body, told } = await ask(path, headers as Record<string, string>);
    expect([status, body.message, told]).toEqual([401, message, 'Bearer error="invalid_token"']);
  });

  test('with the realm, if there is one', async () => {
    expect((await ask('/kid')).told).toBe('Bearer realm="shop"');
    const { told } = await ask('/kid', bearer('x'));
    expect(told).toBe('Bearer realm="shop", error="invalid_token"');
  });
});

describe('claims', () => {
  test.each<[string, string, object, object | undefined]>([
    ['both', '/verified', { exp: future, nbf: 1 }, undefined],
    ['none', '/verified', {}, { exp: 'must be a number', nbf: 'must be a number' }],
    ['past', '/verified', { exp: 1, nbf: 1 }, { exp: 'token expired' }],
    ['not yet', '/verified', { exp: future, nbf: future }, { nbf: 'token not valid yet' }],
    ['a text', '/verified', { exp: 'x', nbf: 1 }, { exp: 'must be a number' }],
    ['too long', '/shortly', { exp: future }, { exp: 'exceeds maximum allowed expiration' }],
    ['soon', '/shortly', { exp: Math.floor(Date.now() / 1000) + 50 }, undefined],
    ['not asked for', '/plain', { exp: 1 }, undefined],
  ])('%s', async (_name, path, claims, problems) => {
    const { status, body } = await ask(path, bearer(token({ iss: 'k', ...claims })));
    expect(status).toBe(problems === undefined ? 200 : 401);
    if (problems !== undefined) expect(body).toMatchObject(problems);
  });
});

test('somebody may stand in, a secret may be encoded, and a preflight may pass', async () => {
  expect((await ask('/anonymous')).status).toBe(200);
  expect((await ask('/anonymous', bearer('x'))).status).toBe(200);
  expect((await ask('/encoded', bearer(token({ iss: 'e' })))).status).toBe(200);
  expect((await ask('/preflight', {}, 'OPTIONS')).status).toBe(200);
  expect((await ask('/preflight')).status).toBe(401);
  expect((await ask('/plain', {}, 'OPTIONS')).status).toBe(401);
});

describe('signatures', () => {
  const text = `${encode({})}.${encode({})}`;
  const signedBy = (signature: Buffer) =>
    decodeToken(`${text}.${signature.toString('base64url')}`)!;
  const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
  const data = Buffer.from(text);

  test.each(['256', '384', '512'])('of %s bits', (bits) => {
    const mac = createHmac(`sha${bits}`, 'k').update(data).digest();
    expect(isSignedWith(signedBy(mac), `HS${bits}`, 'k')).toBe(true);
    expect(isSignedWith(signedBy(mac), `HS${bits}`, 'x')).toBe(false);
    expect(isSignedWith(signedBy(mac.subarray(1)), `HS${bits}`, 'k')).toBe(false);
    const plain = sign(`sha${bits}`, data, rsa.privateKey);
    expect(isSignedWith(signedBy(plain), `RS${bits}`, pem)).toBe(true);
    expect(isSignedWith(signedBy(plain), `PS${bits}`, pem)).toBe(false);
    const pss = sign(`sha${bits}`, data, { key: rsa.privateKey, padding: 6, saltLength: -1 });
    expect(isSignedWith(signedBy(pss), `PS${bits}`, pem)).toBe(true);
    const namedCurve = { 256: 'P-256', 384: 'P-384', 512: 'P-521' }[bits]!;
    const pair = generateKeyPairSync('ec', { namedCurve });
    const both = sign(`sha${bits}`, data, { key: pair.privateKey, dsaEncoding: 'ieee-p1363' });
    expect(isSignedWith(signedBy(both), `ES${bits}`, spki(pair.publicKey))).toBe(true);
    const der = sign(`sha${bits}`, data, pair.privateKey);
    expect(isSignedWith(signedBy(der), `ES${bits}`, spki(pair.publicKey))).toBe(false);
  });

  test('of Ed25519, and of what is no key', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const signature = sign(null, data, privateKey);
    expect(isSignedWith(signedBy(signature), 'EdDSA', spki(publicKey))).toBe(true);
    expect(isSignedWith(signedBy(signature), 'RS256', 'no key')).toBe(false);
  });
});
