import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { type ConnectionConfig, KubeClient, staticToken } from '@waygate/kube';
import { systemClock } from '@waygate/runtime';
import { HttpClient, tokenKeysOf } from '@waygate/text';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Dashboard } from '../server/dashboard.ts';
import { DashboardCore } from '../server/dashboard-core.ts';
import { CookieSeal } from './cookie-seal.ts';
import { verifiedClaims } from './id-token.ts';
import { Oidc } from './oidc.ts';
import { People } from './people.ts';
import { Sessions } from './sessions.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwks = {
  keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
};

function signed(claims: object, head: object = { alg: 'RS256', kid: 'one' }): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const data = `${part(head)}.${part(claims)}`;
  const signature = createSign('sha256').update(data).sign(privateKey).toString('base64url');
  return `${data}.${signature}`;
}

describe('an ID token', () => {
  const nowMs = 1_000_000_000_000;
  const good = {
    iss: 'https://id.test',
    aud: 'dash',
    nonce: 'n',
    exp: nowMs / 1_000 + 60,
    sub: 'x',
  };
  const expected = { issuer: 'https://id.test', clientId: 'dash', nonce: 'n', nowMs };
  const keys = tokenKeysOf(jwks);

  test('counts when everything fits', () => {
    expect(verifiedClaims(signed(good), keys, expected)).toMatchObject({ sub: 'x' });
    expect(
      verifiedClaims(signed({ ...good, aud: ['a', 'dash'], azp: 'dash' }), keys, expected),
    ).toBeDefined();
  });

  test.each([
    ['of another issuer', signed({ ...good, iss: 'https://evil.test' })],
    ['for somebody else', signed({ ...good, aud: 'other' })],
    ['made for somebody else', signed({ ...good, aud: ['other', 'dash'], azp: 'other' })],
    ['to another question', signed({ ...good, nonce: 'm' })],
    ['that has ended', signed({ ...good, exp: nowMs / 1_000 - 120 })],
    ['without an end', signed({ ...good, exp: undefined })],
    ['of the future', signed({ ...good, iat: nowMs / 1_000 + 600 })],
    ['unsigned', signed(good, { alg: 'none' })],
    ['signed with what is public', signed(good, { alg: 'HS256', kid: 'one' })],
    ['of another key', signed(good, { alg: 'RS256', kid: 'two' })],
    [
      'changed',
      signed(good).replace(
        /\.[^.]+\./,
        `.${Buffer.from(JSON.stringify({ ...good, sub: 'y' })).toString('base64url')}.`,
      ),
    ],
    ['cut', signed(good).slice(0, -40)],
    ['that is none', 'x.y'],
  ])('is refused: one %s', (_, token) => {
    expect(() => verifiedClaims(token, keys, expected)).toThrow(/refused/);
  });
});

describe('signing in with a provider', () => {
  let api: TestServer;
  let provider: Server;
  let issuer = '';
  const replicas = ['one', 'two'];
  const addresses: string[] = [];
  let base = '';
  const asked: { nonce?: string; form?: URLSearchParams } = {};
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const web = new HttpClient();
  let client: KubeClient;

  beforeAll(async () => {
    api = await startTestServer();
    const config = {
      server: api.url,
      namespace: 'default',
      credentials: staticToken(api.adminToken),
    };
    client = new KubeClient(config);
    provider = createServer(
      (request, response) =>
        void answerAsProvider(request).then((body) => response.end(JSON.stringify(body))),
    );
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const core = new DashboardCore({ client, kinds: [], objectOf: () => undefined });
    running.push(core.run(stop.signal));
    for (const _ of replicas) addresses.push(await replica(core, config));
    [base = ''] = addresses;
  });

  /** One of several servers that share a key. */
  async function replica(core: DashboardCore, config: ConnectionConfig): Promise<string> {
    const people = new People(config);
    const seal = new CookieSeal(Buffer.alloc(32, 'k'));
    const sessions = new Sessions({
      cookie: 'test',
      isSecure: false,
      clock: systemClock,
      shared: { seal, personOf: (proof) => people.ofProof(proof) },
    });
    const oidc = new Oidc({
      people,
      sessions,
      clock: systemClock,
      send: web.send,
      issuer,
      clientId: 'dash',
      clientSecret: 's3cret',
      redirectUrl: 'http://127.0.0.1/api/sign-in/callback',
      impersonation: { userClaim: 'email', groupsClaim: 'groups', prefix: 'oidc:' },
    });
    const dashboard = new Dashboard({ core, signIns: [oidc], cluster: 'c', version: '0' });
    const { port } = await dashboard.listen();
    running.push(dashboard.run(stop.signal));
    stop.signal.addEventListener('abort', () => people.close());
    return `http://127.0.0.1:${port}`;
  }

  afterAll(async () => {
    stop.abort();
    await Promise.all(running);
    web.close();
    provider.closeAllConnections();
    provider.close();
    await client.close();
    await api.stop();
  });

  async function answerAsProvider(request: IncomingMessage): Promise<object> {
    if (request.url === '/.well-known/openid-configuration')
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
      };
    if (request.url === '/keys') return jwks;
    let body = '';
    for await (const part of request) body += String(part);
    asked.form = new URLSearchParams(body);
    const exp = Math.floor(Date.now() / 1_000) + 600;
    const claims = {
      iss: issuer,
      aud: 'dash',
      nonce: asked.nonce,
      exp,
      email: 'ann@x.test',
      groups: ['dev', 'system:masters'],
    };
    return { id_token: signed(claims) };
  }

  async function begin(): Promise<{
    readonly state: string;
    readonly cookie: string;
    readonly challenge: string;
  }> {
    const start = await fetch(`${base}/api/sign-in/oidc?back=/routes`, { redirect: 'manual' });
    expect(start.status).toBe(303);
    const target = new URL(start.headers.get('location') ?? '');
    expect(target.href).toMatch(`${issuer}/authorize?`);
    asked.nonce = target.searchParams.get('nonce') ?? '';
    return {
      state: target.searchParams.get('state') ?? '',
      challenge: target.searchParams.get('code_challenge') ?? '',
      cookie: (start.headers.get('set-cookie') ?? '').split(';')[0]!,
    };
  }

  test('ends at the page that was wanted, as the person', async () => {
    const { state, cookie } = await begin();
    const end = await fetch(`${base}/api/sign-in/callback?code=abc&state=${state}`, {
      redirect: 'manual',
      headers: { cookie },
    });
    expect([end.status, end.headers.get('location')]).toEqual([303, '/routes']);
    expect(asked.form?.get('code_verifier')).toMatch(/^[\w-]{64}$/);
    const session = (end.headers.getSetCookie()[0] ?? '').split(';')[0]!;
    const who = await fetch(`${base}/api/session`, { headers: { cookie: session } });
    expect(await who.json()).toMatchObject({ user: 'oidc:ann@x.test' });
  });

  test('begun at one replica, it ends at another, and the session is known to both', async () => {
    const { state, cookie } = await begin();
    const end = await fetch(`${addresses[1]}/api/sign-in/callback?code=abc&state=${state}`, {
      redirect: 'manual',
      headers: { cookie },
    });
    expect(end.status).toBe(303);
    const session = (end.headers.getSetCookie()[0] ?? '').split(';')[0]!;
    for (const address of addresses) {
      const who = await fetch(`${address}/api/session`, { headers: { cookie: session } });
      expect(await who.json()).toMatchObject({ user: 'oidc:ann@x.test' });
    }
  });

  test('is refused in another browser, with another question, and with a cookie that was changed', async () => {
    const { state, cookie } = await begin();
    const other = await begin();
    const path = `${base}/api/sign-in/callback?code=abc&state=${state}`;
    const end = (sent: string) => fetch(path, { redirect: 'manual', headers: { cookie: sent } });
    expect((await fetch(path, { redirect: 'manual' })).status).toBe(401);
    expect((await end(other.cookie)).status).toBe(401);
    expect((await end(`${cookie.slice(0, -8)}AAAAAAAA`)).status).toBe(401);
    expect((await end(cookie.split('.')[0]!)).status).toBe(401);
  });
});
