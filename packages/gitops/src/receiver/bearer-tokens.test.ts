import { createHmac } from 'node:crypto';
import { FakeClock } from '@waygate/runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OidcProvider, ReceiverSpec } from '../api/notification-objects.ts';
import { TokenIssuer } from '../testing/token-issuer.ts';
import { BearerTokens } from './bearer-tokens.ts';
import { oidcProblem } from './oidc-claims.ts';

let issuer: TokenIssuer;
let clock: FakeClock;
let tokens: BearerTokens;

beforeEach(async () => {
  issuer = await TokenIssuer.start();
  clock = new FakeClock(Date.now());
  tokens = new BearerTokens({ clock, googleIssuer: issuer.url, issuerTimeoutMs: 200 });
});

afterEach(async () => {
  tokens.close();
  await issuer[Symbol.asyncDispose]();
});

const always = { expression: 'true', message: 'never' };

function specOf(provider: Partial<OidcProvider> = {}): ReceiverSpec {
  const oidcProviders = [{ issuerURL: issuer.url, validations: [always], ...provider }];
  return { type: 'generic-oidc', resources: [], oidcProviders };
}

const post = (token: string, spec = specOf()) =>
  tokens.authenticate(spec, `Bearer ${token}`, undefined);

describe('a token of a configured issuer', () => {
  test('is taken, time and again, for one look at the keys', async () => {
    for (let time = 0; time < 3; time += 1)
      expect(await post(issuer.token({ sub: 'me' }))).toMatchObject({ claims: { sub: 'me' } });
    expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  test('of a key that is new is taken, and those of the old one no longer', async () => {
    const old = issuer.token();
    await post(old);
    issuer.rotate();
    // A moment after the keys were read they are not read again, whoever asks.
    expect(await post(issuer.token())).toMatchObject({ refusal: expect.stringMatching(/signed/) });
    expect(issuer.asked).toHaveLength(2);
    await clock.advance(10_000);
    expect(await post(issuer.token())).toHaveProperty('claims');
    expect(issuer.asked).toHaveLength(4);
    expect(await post(old)).toMatchObject({ refusal: expect.stringMatching(/signed/) });
  });

  test('is refused an hour after its key was taken back', async () => {
    const old = issuer.token({ exp: clock.now() / 1_000 + 7_200 });
    await post(old);
    issuer.rotate();
    await clock.advance(59 * 60_000);
    expect(await post(old)).toHaveProperty('claims');
    await clock.advance(60_000);
    expect(await post(old)).toMatchObject({ refusal: expect.stringMatching(/signed/) });
  });

  test('must hold by every validation, with variables one after another', async () => {
    const spec = specOf({
      variables: [
        { name: 'owner', expression: "claims.repository.split('/')[0]" },
        { name: 'isOurs', expression: "vars.owner in ['acme']" },
      ],
      validations: [
        { expression: 'vars.isOurs', message: 'wrong owner' },
        { expression: "claims.ref == 'refs/heads/main'", message: 'wrong branch' },
      ],
    });
    const claims = { repository: 'acme/shop', ref: 'refs/heads/main' };
    expect(await post(issuer.token(claims), spec)).toMatchObject({ claims });
    expect(await post(issuer.token({ repository: 'evil/shop', ref: 'x' }), spec)).toEqual({
      refusal: 'the token is refused: wrong owner; wrong branch',
    });
    expect(await post(issuer.token({ ref: 'x' }), spec)).toMatchObject({
      refusal: expect.stringMatching(/no such key|repository/),
    });
  });

  test('is one of RSA where the issuer says nothing else', async () => {
    await using usual = await TokenIssuer.start('rsa');
    expect(await post(usual.token(), specOf({ issuerURL: usual.url }))).toHaveProperty('claims');
  });

  test('is for whom the provider says', async () => {
    const spec = specOf({ audience: 'flux' });
    expect(await post(issuer.token({ aud: ['a', 'flux'] }), spec)).toHaveProperty('claims');
    expect(await post(issuer.token(), spec)).toMatchObject({
      refusal: expect.stringMatching(/not for flux/),
    });
  });
});

describe('a hostile token', () => {
  const inPast = () => clock.now() / 1_000 - 1;
  const shared = () => {
    const [, body] = issuer.token().split('.');
    const head = Buffer.from(JSON.stringify({ alg: 'HS256', kid: issuer.keyId }));
    const data = `${head.toString('base64url')}.${body}`;
    const pem = issuer.publicKey.export({ type: 'spki', format: 'pem' });
    return `${data}.${createHmac('sha256', pem).update(data).digest('base64url')}`;
  };
  test.each<[string, () => string, RegExp]>([
    ['without a signature', () => issuer.token({}, { alg: 'none' }), /none/],
    ['signed with what is public', shared, /HS256/],
    ['that is huge', () => issuer.token({ pad: 'x'.repeat(70_000) }), /no JWT/],
    ['that is none', () => 'x', /no JWT/],
    ['of noise', () => 'a.b.c', /cannot be read/],
    ['that has ended', () => issuer.token({ exp: inPast() }), /ended/],
    ['without an end', () => issuer.token({ exp: undefined }), /ended/],
    ['whose end is a text', () => issuer.token({ exp: '99999999999' }), /ended/],
    ['of the future', () => issuer.token({ nbf: inPast() + 600 }), /future/],
    ['for somebody else', () => issuer.token({ aud: 'other' }), /not for/],
    ['for nobody', () => issuer.token({ aud: undefined }), /not for/],
    ['of another issuer', () => issuer.token({ iss: 'http://127.0.0.1:1' }), /none of the issuers/],
    ['without an issuer', () => issuer.token({ iss: undefined }), /none of the issuers/],
    ['with critical headers', () => issuer.token({}, { crit: ['b64'] }), /critical/],
  ])('%s is refused, and nobody is asked', async (_, make, why) => {
    expect(await post(make())).toEqual({ refusal: expect.stringMatching(why) });
    expect(issuer.asked).toEqual([]);
  });

  test('whose signature is another’s is refused', async () => {
    const [head, body] = issuer.token().split('.');
    const [, , signature] = issuer.token({ sub: 'other' }).split('.');
    expect(await post(`${head}.${body}.${signature}`)).toMatchObject({
      refusal: expect.stringMatching(/not signed/),
    });
    await using other = await TokenIssuer.start();
    expect(await post(other.token({ iss: issuer.url }))).toMatchObject({
      refusal: expect.stringMatching(/not signed/),
    });
  });

  test('that brings its own key, or its address, is not believed', async () => {
    await using other = await TokenIssuer.start();
    const jwk = other.publicKey.export({ format: 'jwk' });
    const head = { kid: 'mine', jwk, jku: `${other.url}/keys` };
    expect(await post(other.token({ iss: issuer.url }, head))).toMatchObject({
      refusal: expect.stringMatching(/not signed/),
    });
    expect(other.asked).toEqual([]);
  });

  test('in numbers makes no numbers of questions', async () => {
    const made = (_: unknown, index: number) => issuer.token({}, { kid: `made-${index}` });
    const posted = await Promise.allSettled(
      Array.from({ length: 50 }, made).map((one) => post(one)),
    );
    expect(issuer.asked).toHaveLength(2);
    expect(posted.filter(({ status }) => status === 'fulfilled').length).toBe(8);
    expect(await post(issuer.token({}, { kid: 'made' }))).toMatchObject({
      refusal: expect.stringMatching(/not signed/),
    });
    expect(issuer.asked).toHaveLength(2);
  });

  test.each([
    ['', 'no header'],
    ['Basic eDp5', 'another scheme'],
    ['Bearer ', 'no token'],
  ])('%j is none: %s', async (authorization) => {
    expect(await tokens.authenticate(specOf(), authorization, undefined)).toMatchObject({
      refusal: expect.stringMatching(/no bearer token/),
    });
  });

  test('of an algorithm that the issuer does not use is refused', async () => {
    for (const named of [['RS256'], [], undefined]) {
      issuer.configuration = { id_token_signing_alg_values_supported: named };
      const { refusal } = (await post(issuer.token())) ?? {};
      expect(refusal).toMatch(/not signed/);
      tokens.close();
      tokens = new BearerTokens({ clock });
    }
  });
});

describe('an issuer', () => {
  test.each(['silent', 'error', 'cut', 'nonsense'] as const)(
    'that is %s is a matter of time, and asked again after a while',
    async (ailment) => {
      issuer.ailment = ailment;
      await expect(post(issuer.token())).rejects.toThrow(/cannot be had/);
      const asked = issuer.asked.length;
      await expect(post(issuer.token())).rejects.toThrow(/cannot be had/);
      expect(issuer.asked).toHaveLength(asked);
      issuer.recover();
      await clock.advance(10_000);
      expect(await post(issuer.token())).toHaveProperty('claims');
    },
  );

  test('that goes away is not missed while its keys are known', async () => {
    await post(issuer.token());
    issuer.ailment = 'error';
    await clock.advance(30_000);
    expect(await post(issuer.token())).toHaveProperty('claims');
    await expect(post(issuer.token({}, { kid: 'new' }))).rejects.toThrow(/answers 500/);
    // The question was in vain, and what is known is known still.
    expect(await post(issuer.token())).toHaveProperty('claims');
  });

  test.each([
    [{ issuer: 'http://other.test' }, /another issuer/],
    [{ jwks_uri: undefined }, /no jwks_uri/],
    [{ jwks_uri: 'file:///etc/passwd' }, /no https/],
  ])('with a configuration of %j is not trusted', async (configuration, why) => {
    issuer.configuration = configuration;
    await expect(post(issuer.token())).rejects.toThrow(why);
  });

  test('with keys of all sorts is asked for those that can be used', async () => {
    issuer.furtherKeys = [{ kty: 'oct', k: 'AAAA' }, { kty: 'RSA', n: 'x' }, [], {}];
    expect(await post(issuer.token())).toHaveProperty('claims');
    expect(await post(issuer.token({}, { kid: undefined }))).toHaveProperty('claims');
  });
});

describe('a push of Google', () => {
  const secret = { token: 't', email: 'push@acme.test', audience: 'https://hook.test' };
  const claims = { aud: secret.audience, email: secret.email, email_verified: true };
  const spec: ReceiverSpec = { type: 'gcr', secretRef: { name: 's' }, resources: [] };
  const push = (token: string, data: Record<string, string> = secret) =>
    tokens.authenticate(spec, `Bearer ${token}`, data);

  test('is taken of the account that the Secret names, by both of Google’s names', async () => {
    expect(await push(issuer.token(claims))).toHaveProperty('claims');
    const iss = issuer.url.replace('http://', '');
    expect(await push(issuer.token({ ...claims, iss }))).toHaveProperty('claims');
  });

  test.each<[object, RegExp]>([
    [{ email: 'other@acme.test' }, /another account/],
    [{ email: undefined }, /another account/],
    [{ email_verified: false }, /not verified/],
    [{ email_verified: 'true' }, /not verified/],
    [{ aud: 'https://other.test' }, /not for/],
    [{ iss: 'https://accounts.google.com' }, /not of Google/],
    [{ exp: 1 }, /ended/],
  ])('with %j is refused', async (wrong, why) => {
    const { refusal } = (await push(issuer.token({ ...claims, ...wrong }))) ?? {};
    expect(refusal).toMatch(why);
  });

  test.each(['email', 'audience'])('needs the key %s of its Secret', async (key) => {
    const { refusal } = (await push(issuer.token(claims), { ...secret, [key]: '' })) ?? {};
    expect(refusal).toContain(`'${key}'`);
  });

  test('other types take no tokens', async () => {
    expect(await tokens.authenticate({ ...spec, type: 'github' }, 'Bearer x', secret)).toBe(
      undefined,
    );
  });
});

describe('a spec', () => {
  const provider: OidcProvider = { issuerURL: 'https://id.test', validations: [always] };
  const oidc = (...oidcProviders: OidcProvider[]): ReceiverSpec => ({
    type: 'generic-oidc',
    resources: [],
    oidcProviders,
  });
  const secretRef = { name: 's' };
  test.each<[string, ReceiverSpec, RegExp, string]>([
    ['no provider', oidc(), /at least one/, 'ValidationFailed'],
    ['a Secret', { ...oidc(provider), secretRef }, /secretRef is not/, 'ValidationFailed'],
    [
      'providers of others',
      { ...oidc(provider), type: 'gcr', secretRef },
      /generic-oidc/,
      'ValidationFailed',
    ],
    ['no Secret', { type: 'gcr', resources: [] }, /secretRef is missing/, 'ValidationFailed'],
    [
      'an address',
      oidc({ ...provider, issuerURL: 'id.test' }),
      /\[0\].issuerURL/,
      'ValidationFailed',
    ],
    ['one twice', oidc(provider, provider), /\[1\].issuerURL is there twice/, 'ValidationFailed'],
    ['no validation', oidc({ ...provider, validations: [] }), /everybody/, 'ValidationFailed'],
    [
      'no message',
      oidc({ ...provider, validations: [{ ...always, message: '' }] }),
      /validations\[0\]/,
      'ValidationFailed',
    ],
    [
      'no name',
      oidc({ ...provider, variables: [{ name: '', expression: '1' }] }),
      /variables\[0\]/,
      'ValidationFailed',
    ],
    [
      'a broken variable',
      oidc({ ...provider, variables: [{ name: 'a', expression: '(' }] }),
      /variables\[0\]: failed to parse/,
      'InvalidCELExpression',
    ],
    [
      'a broken validation',
      oidc({ ...provider, validations: [{ ...always, expression: '1 +' }] }),
      /validations\[0\]: failed to parse/,
      'InvalidCELExpression',
    ],
  ])('with %s is stalled', (_, spec, message, reason) => {
    expect(oidcProblem(spec)).toMatchObject({ reason, message: expect.stringMatching(message) });
  });

  test('that is whole is not', () => {
    expect(oidcProblem(oidc(provider))).toBeUndefined();
    expect(oidcProblem({ type: 'gcr', resources: [], secretRef })).toBeUndefined();
  });
});
