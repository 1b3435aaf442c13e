import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

const names = { namespace: 'shop', ingress: 'main', service: 'a', service_port: '80' };

/** A backend that answers with the status in the path, and a service for pages. */
async function start(config: object, more: readonly object[] = [], page = 418) {
  const pages = await world.backend('pages', ({ headers }) => ({
    status: page,
    headers: { 'set-cookie': ['a=1', 'b=2'], server: 'pages/1' },
    body: `page for ${headers['x-code']}`,
  }));
  const port = await world.backend('a', ({ url }) =>
    url === '/drop'
      ? { drop: true }
      : { status: Number(/\d{3}/.exec(url)?.[0] ?? 200), body: 'own' },
  );
  const upstreams = [{ name: 'pages', targets: [{ target: `127.0.0.1:${pages}` }] }];
  await world.start(
    port,
    [
      { name: 'nginx-proxy', config: { body_size: 10 } },
      { name: 'error-pages', config: { upstream: 'pages', headers: names, ...config } },
      ...more,
    ],
    { upstreams },
  );
}

const pages = () => world.received.filter(({ server }) => server === 'pages');

describe('error-pages', () => {
  test('gives the page of another service, which is told what happened', async () => {
    await start({ codes: [404] });
    const answer = await world.ask({
      path: '/404?x=1',
      method: 'POST',
      body: 'hello',
      headers: { accept: 'text/html', 'x-code': 'evil', 'x-request-id': 'rid' },
    });
    expect(answer).toMatchObject({ status: 418, body: 'page for 404' });
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(answer.headers.server).toBeUndefined();
    expect(pages()[0]).toMatchObject({
      method: 'POST',
      url: '/?x=1',
      body: 'hello',
      headers: {
        host: 'shop.test',
        'x-code': '404',
        'x-format': 'text/html',
        'x-original-uri': '/404?x=1',
        'x-namespace': 'shop',
        'x-ingress-name': 'main',
        'x-service-name': 'a',
        'x-service-port': '80',
        'x-request-id': 'rid',
        'x-forwarded-for': '127.0.0.1',
      },
    });
  });

  test('lets other answers pass, and its own', async () => {
    await start({ codes: [404, 418] });
    expect(await world.ask({ path: '/500' })).toMatchObject({ status: 500, body: 'own' });
    expect(pages()).toEqual([]);
    expect((await world.ask({ path: '/404' })).status).toBe(418);
    expect(pages().length).toBe(1);
  });

  test.each([
    ['a body that is too large', 413, { method: 'POST', body: 'x'.repeat(20) }],
    ['an upstream that breaks off', 502, { path: '/drop' }],
  ])('answers for %s', async (_name, code, ask) => {
    await start({ codes: [413, 502] });
    expect(await world.ask(ask)).toMatchObject({ status: 418, body: `page for ${code}` });
    expect(pages()[0]?.headers['x-namespace']).toBe(code === 413 ? undefined : 'shop');
  });

  test('answers for a plugin, and with the headers that others put on answers', async () => {
    await start({ codes: [503] }, [
      { name: 'nginx-return', config: { status: 503 } },
      { name: 'cors-nginx' },
    ]);
    const answer = await world.ask();
    expect(answer).toMatchObject({ status: 418, body: 'page for 503' });
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  test('leaves an upstream’s own errors alone when it is told to', async () => {
    await start({ codes: [404, 502], intercept: false });
    expect((await world.ask({ path: '/404' })).status).toBe(404);
    expect((await world.ask({ path: '/drop' })).status).toBe(418);
  });

  test.each([
    [{ upstream: null }, 404],
    [{ upstream: null, recursion: true }, 500],
    [{ upstream: '127.0.0.1', port: 1 }, 502],
    [{ upstream: 'nowhere.invalid' }, 503],
  ])('with %o answers %i', async (config, status) => {
    await start({ codes: [404], ...config });
    expect((await world.ask({ path: '/404' })).status).toBe(status);
  });

  test('takes the requests of a service that has no targets', async () => {
    await start({ unavailable: true });
    expect(await world.ask({ path: '/app/x?y=1', headers: { accept: 'a/b' } })).toMatchObject({
      status: 418,
      body: 'page for 503',
    });
    expect(world.received).toHaveLength(1);
    expect(pages()[0]).toMatchObject({
      url: '/app/x?y=1',
      headers: {
        'x-code': '503',
        'x-format': 'a/b',
        'x-namespace': 'shop',
        'x-real-ip': '127.0.0.1',
      },
    });
  });
});
