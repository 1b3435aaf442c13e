import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

type Headers = Readonly<Record<string, string | string[]>>;

/** A backend that answers `/` with these headers, and other paths with their own. */
async function start(first: Headers, others: Headers = {}, guards: readonly object[] = []) {
  const port = await world.backend('a', ({ url }) => ({
    headers: url === '/' ? first : others,
    body: `page ${url}`,
  }));
  const proxy = { name: 'nginx-proxy', config: {} };
  const route = (name: string, path: string, plugins: readonly object[]) => ({
    ...{ name, paths: [path], strip_path: false, preserve_host: true },
    plugins,
  });
  const service = { name: 's', host: '127.0.0.1', port };
  const routes = [route('all', '/', [proxy]), route('guarded', '/guarded', [proxy, ...guards])];
  await world.start(port, [], { services: [{ ...service, routes }] });
}

const asked = () => world.received.map(({ method, url }) => `${method} ${url}`);

describe('X-Accel-Redirect', () => {
  test('another path of the host answers, with what the first said on the whole', async () => {
    await start(
      {
        'X-Accel-Redirect': '/files/a%20b?v=1',
        'Set-Cookie': ['a=1', 'b=2'],
        'Content-Disposition': 'attachment',
        'X-First': '1',
        'Content-Type': 'application/pdf',
      },
      { 'Content-Type': 'text/css', 'X-Second': '2' },
    );
    const answer = await world.ask({ method: 'POST', body: 'form', headers: { 'x-mine': 'm' } });
    expect(asked()).toEqual(['POST /', 'GET /files/a%20b?v=1']);
    expect(answer.body).toBe('page /files/a%20b?v=1');
    expect(answer.headers).toMatchObject({
      'set-cookie': ['a=1', 'b=2'],
      'content-disposition': 'attachment',
      'content-type': 'text/css',
      'x-second': '2',
    });
    expect(answer.headers).not.toHaveProperty('x-first');
    expect(answer.headers).not.toHaveProperty('x-accel-redirect');
    const [first, second] = world.received;
    expect(second?.headers['x-mine']).toBe('m');
    expect(second?.headers).not.toHaveProperty('content-length');
    expect(second?.headers['x-request-id']).toBe(first?.headers['x-request-id']);
  });

  test('the connection of the client goes on, and HEAD stays HEAD', async () => {
    await start({ 'X-Accel-Redirect': '/x' });
    expect((await world.ask({ method: 'HEAD' })).status).toBe(200);
    expect(asked()).toEqual(['HEAD /', 'HEAD /x']);
  });

  test('guards of the path that is pointed to look again', async () => {
    const guard = { name: 'address-filter', config: { deny: ['127.0.0.1'] } };
    await start({ 'X-Accel-Redirect': '/guarded/x' }, {}, [guard]);
    expect((await world.ask()).status).toBe(403);
    expect(asked()).toEqual(['GET /']);
  });

  test('circles end after ten rounds', async () => {
    await start({ 'X-Accel-Redirect': '/' });
    expect((await world.ask()).status).toBe(500);
    expect(asked()).toHaveLength(11);
  });

  test.each([
    ['@named', 500],
    ['http://elsewhere.test/', 404],
    ['relative', 404],
    ['', 404],
    ['/../etc/passwd', 404],
    ['/a/..', 404],
    ['/%2e%2e/x', 404],
    ['/a%00b', 404],
  ])('%s leads nowhere', async (value, status) => {
    await start({ 'X-Accel-Redirect': value });
    const answer = await world.ask();
    expect(answer.status).toBe(status);
    expect(answer.body).toContain('<center>nginx</center>');
    expect(asked()).toEqual(['GET /']);
  });

  test('it means nothing to a route in Kong’s manner', async () => {
    const port = await world.backend('a', () => ({ headers: { 'X-Accel-Redirect': '/x' } }));
    await world.start(port, []);
    const answer = await world.ask();
    expect(answer.status).toBe(200);
    expect(answer.headers['x-accel-redirect']).toBe('/x');
  });
});

describe('X-Accel-Limit-Rate', () => {
  const body = 'x'.repeat(12_500);
  const slow = { name: 'response-rate', config: { bytes_per_second: 1_000 } };

  async function timeWith(value: string, ...plugins: object[]): Promise<number> {
    const port = await world.backend('a', () => ({
      headers: { 'X-Accel-Limit-Rate': value },
      body,
    }));
    await world.start(port, [{ name: 'nginx-proxy', config: {} }, ...plugins]);
    const startedAt = performance.now();
    const answer = await world.ask();
    expect(answer.body).toBe(body);
    expect(answer.headers).not.toHaveProperty('x-accel-limit-rate');
    return performance.now() - startedAt;
  }

  test('is the pace of the answer', async () => {
    expect(await timeWith('10000')).toBeGreaterThanOrEqual(240);
  });

  test('lifts a limit with 0', async () => {
    expect(await timeWith('0', slow)).toBeLessThan(11_000);
  });

  test('is not looked at if it is no number', async () => {
    expect(await timeWith('fast')).toBeLessThan(11_000);
  });
});
