import { startTestServer } from '@waygate/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../protocol/pages.ts';
import { as, DashboardStage, tenantTokens } from '../testing/dashboard-stage.ts';

let stage: DashboardStage;

beforeAll(async () => {
  stage = await DashboardStage.start(await startTestServer({ tokens: tenantTokens }));
});

afterAll(() => stage[Symbol.asyncDispose]());

describe('who may look', () => {
  test('nobody without a sign-in', async () => {
    for (const path of ['/api/session', '/api/routes', '/api/stream?topics=routes', '/api/flow']) {
      const { status, text } = await stage.ask(path);
      expect([path, status]).toEqual([path, 401]);
      expect(JSON.parse(text)).toMatchObject({
        error: { code: 'WG_DASHBOARD_UNAUTHENTICATED' },
        signIn: { token: true },
      });
    }
    expect((await stage.ask('/api/session', { authorization: 'Bearer wrong' })).status).toBe(401);
  });

  test('whoever has the token of the address, once', async () => {
    const path = `/?token=${stage.door.renew()}`;
    const first = await stage.ask(path);
    expect([first.status, first.headers.location]).toEqual([303, '/']);
    const [cookie = ''] = first.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^test=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/;/);
    const signedIn = { cookie: cookie.split(';')[0]! };
    expect(JSON.parse((await stage.ask('/api/session', signedIn)).text)).toMatchObject({
      user: 'owner',
    });
    const second = await stage.ask(path);
    expect([second.status, second.headers['set-cookie']]).toEqual([303, undefined]);
    await expect.poll(() => stage.routesOf(signedIn)).toEqual(['route-of-anna', 'route-of-bert']);
  });

  test('a tenant, at what is theirs', async () => {
    await expect.poll(() => stage.routesOf(as('anna'))).toEqual(['route-of-anna']);
    await expect.poll(() => stage.routesOf(as('bert'))).toEqual(['route-of-bert']);
    for (const topic of ['flow', 'routes', 'problems', 'changes', 'traffic'])
      expect((await stage.ask(`/api/${topic}`, as('anna'))).text).not.toContain('bert');
    const { namespaces } = JSON.parse(
      (await stage.ask('/api/session', as('anna'))).text,
    ) as Session;
    expect(namespaces).toEqual(['anna']);
  });

  test('whoever the proxy names, and nobody of the cluster itself', async () => {
    await expect.poll(() => stage.routesOf({ 'x-user': 'anna' })).toEqual(['route-of-anna']);
    expect((await stage.ask('/api/session', { 'x-user': 'system:admin' })).status).toBe(401);
    const masked = await stage.ask('/api/routes', {
      'x-user': 'carl',
      'x-groups': 'system:masters',
    });
    expect(JSON.parse(masked.text)).toMatchObject({ items: [] });
  });

  // Only Linux has more than one address of its own to call from.
  test.skipIf(process.platform !== 'linux')(
    'whom another than the proxy names, is nobody',
    async () => {
      const named = { 'x-user': 'anna' };
      expect((await stage.ask('/api/session', named)).status).toBe(200);
      expect((await stage.ask('/api/session', named, { from: '127.0.0.2' })).status).toBe(401);
      // Nor is it who says that they come from there.
      const claimed = { ...named, 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' };
      expect((await stage.ask('/api/session', claimed, { from: '127.0.0.2' })).status).toBe(401);
      // One name came through the proxy, the other is its own: which is which, nobody knows.
      expect((await stage.ask('/api/session', { 'x-user': ['bert', 'anna'] })).status).toBe(401);
    },
  );

  test('with a token that is exchanged for a cookie, until it is given back', async () => {
    const json = { 'content-type': 'application/json' };
    const wrong = { method: 'POST', body: JSON.stringify({ token: 'wrong' }) };
    expect((await stage.ask('/api/sign-in', json, wrong)).status).toBe(401);
    const body = JSON.stringify({ token: 'token-of-anna' });
    const { status, headers } = await stage.ask('/api/sign-in', json, { method: 'POST', body });
    expect(status).toBe(204);
    const cookie = { cookie: (headers['set-cookie']?.[0] ?? '').split(';')[0]! };
    const session = JSON.parse((await stage.ask('/api/session', cookie)).text) as Session;
    expect(session.user).toBe('anna');
    await stage.ask('/api/sign-out', cookie, { method: 'POST' });
    expect((await stage.ask('/api/session', cookie)).status).toBe(401);
  });
});

describe('pages of other origins', () => {
  test('are refused by Host, Origin and Sec-Fetch-Site', async () => {
    for (const headers of [
      { host: 'evil.example' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      expect((await stage.ask('/api/session', { ...as('anna'), ...headers })).status).toBe(403);
    const sameOrigin = {
      origin: `http://127.0.0.1:${stage.port}`,
      host: `127.0.0.1:${stage.port}`,
    };
    expect((await stage.ask('/api/session', { ...as('anna'), ...sameOrigin })).status).toBe(200);
  });

  test('may link to a page, and to nothing else', async () => {
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    const page = await stage.ask('/trace?url=http://shop.test/', link);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await stage.ask('/api/routes', { ...as('anna'), ...link })).status).toBe(403);
  });

  test('what is served runs nothing inline and stands in no frame', async () => {
    const { headers } = await stage.ask('/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    const again = await stage.ask('/', { 'if-none-match': String(headers.etag) });
    expect(again.status).toBe(304);
    expect((await stage.ask('/assets/gone.js')).status).toBe(404);
  });
});
