import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, PluginGateway, type Received } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

type Respond = Parameters<PluginGateway['backend']>[1];

/** A gateway before a backend `a`, with a service that decides. */
async function start(config: object, respond: Respond, status = 200): Promise<number> {
  const auth = await world.backend('auth', respond);
  const port = await world.backend('a', () => ({ status, headers: { 'x-from': 'a' } }));
  await world.start(port, [
    { name: 'nginx-proxy' },
    { name: 'external-auth', config: { url: `http://127.0.0.1:${auth}/check`, ...config } },
  ]);
  return auth;
}

const of = (server: string): Received[] => world.received.filter((one) => one.server === server);
const token: Respond = ({ headers }) =>
  headers['x-token'] === 'good'
    ? undefined
    : {
        status: 401,
        headers: { 'www-authenticate': 'Bearer realm="case"', 'set-cookie': 'nope=1; Path=/' },
      };

describe('what the service is asked', () => {
  test('is the client’s headers and where they were sent to', async () => {
    await start({}, undefined);
    await world.ask({
      path: '/x?z=1',
      method: 'POST',
      body: 'hello',
      headers: {
        cookie: 'a=b',
        authorization: 'Bearer t',
        'x-forwarded-for': '1.2.3.4',
        'x-forwarded-host': 'evil.test',
        'x-original-url': 'http://evil.test/',
        'x-request-id': 'rid',
      },
    });
    expect(of('auth')[0]).toMatchObject({ method: 'GET', url: '/check', body: '' });
    expect(of('auth')[0]?.headers).toEqual({
      host: '127.0.0.1',
      connection: 'keep-alive',
      cookie: 'a=b',
      authorization: 'Bearer t',
      'x-request-id': 'rid',
      'x-original-url': 'http://shop.test/x?z=1',
      'x-original-method': 'POST',
      'x-sent-from': 'nginx-ingress-controller',
      'x-real-ip': '127.0.0.1',
      'x-forwarded-for': '127.0.0.1',
      'x-auth-request-redirect': '/x?z=1',
    });
    expect(of('a')[0]).toMatchObject({ body: 'hello', url: '/x?z=1' });
  });

  test('may have another method, another way back and headers of its own', async () => {
    await start(
      {
        method: 'POST',
        request_redirect: 'https://back.test$request_uri',
        set_headers: [
          { name: 'X-Sent-From', value: 'mine' },
          { name: 'X-Host', value: '$host' },
        ],
      },
      undefined,
    );
    await world.ask({ path: '/p' });
    expect(of('auth')[0]).toMatchObject({
      method: 'POST',
      headers: {
        'x-sent-from': 'mine',
        'x-host': 'shop.test',
        'x-original-uri': '/p',
        'x-scheme': 'http',
        'x-auth-request-redirect': 'https://back.test/p',
      },
    });
  });

  test('goes to a URL with variables', async () => {
    const port = await world.backend('other');
    await start({ url: `http://127.0.0.1:${port}/ok?host=$host&uri=$request_uri` }, undefined);
    await world.ask({ path: '/p?q=1' });
    expect(of('other')[0]?.url).toBe('/ok?host=shop.test&uri=/p?q=1');
  });
});

describe('what it answers', () => {
  test.each([
    [200, 200],
    [204, 200],
    [299, 200],
    [401, 401],
    [403, 403],
    [302, 500],
    [404, 500],
    [500, 500],
  ])('%i becomes %i', async (said, status) => {
    await start({}, () => ({ status: said }));
    expect((await world.ask()).status).toBe(status);
    expect(of('a').length).toBe(status === 200 ? 1 : 0);
  });

  test.each<[string, object, Respond]>([
    ['that cannot be reached', { url: 'http://127.0.0.1:1/' }, undefined],
    ['whose name is unknown', { url: 'http://nope.invalid/' }, undefined],
    ['that breaks off', {}, () => ({ drop: true })],
    ['that is too slow', { timeout: 50 }, () => new Promise(() => {})],
  ])('a service %s lets nobody in', async (_name, config, respond) => {
    await start(config, respond);
    expect((await world.ask()).status).toBe(500);
    expect(of('a')).toEqual([]);
  });

  test('a service that closes kept connections is asked again', async () => {
    let asked = 0;
    await start({}, () => {
      asked += 1;
      return { drop: asked === 2 };
    });
    expect((await world.ask()).status).toBe(200);
    expect((await world.ask()).status).toBe(200);
    expect(asked).toBe(3);
  });

  test('a challenge is passed on, and a page to log in at instead of it', async () => {
    await start({}, token);
    const plain = await world.ask();
    expect(plain.headers['www-authenticate']).toBe('Bearer realm="case"');
    expect(plain.headers['set-cookie']).toBeUndefined();
    await world.stop();
    await start({ signin: 'https://login.test/start?x=1' }, token);
    const answer = await world.ask({ path: '/a?b=c' });
    expect(answer).toMatchObject({
      status: 302,
      headers: {
        location: 'https://login.test/start?x=1&rd=http://shop.test%2Fa%3Fb%3Dc',
        'www-authenticate': 'Bearer realm="case"',
        'set-cookie': ['nope=1; Path=/'],
      },
    });
  });

  test.each([
    ['https://login.test/start', 'rd', 'https://login.test/start?rd=http://shop.test%2F'],
    ['https://login.test/start', 'back', 'https://login.test/start?back=http://shop.test%2F'],
    ['https://$host/s?rd=$escaped_request_uri', 'rd', 'https://shop.test/s?rd=%2F'],
    ['https://$host/s?ard=x', 'rd', 'https://shop.test/s?ard=x&rd=http://shop.test%2F'],
  ])('%s with %s', async (signin, parameter, location) => {
    await start({ signin, signin_redirect_param: parameter }, token);
    expect((await world.ask()).headers.location).toBe(location);
  });

  test('its headers replace the client’s, also when it has none', async () => {
    await start({ response_headers: ['X-User', 'X-Absent'] }, () => ({
      headers: { 'x-user': 'alice', 'x-other': '1' },
    }));
    await world.ask({ headers: { 'x-user': 'evil', 'x-absent': 'evil' } });
    const { headers } = of('a')[0] ?? {};
    expect(headers?.['x-user']).toBe('alice');
    expect(headers?.['x-absent']).toBeUndefined();
    expect(headers?.['x-other']).toBeUndefined();
  });

  test.each([
    [200, false, true],
    [404, false, false],
    [404, true, true],
  ])('its cookies on an answer %i, always %s: %s', async (status, isAlways, isSet) => {
    await start(
      { always_set_cookie: isAlways },
      () => ({ headers: { 'set-cookie': ['a=1', 'b=2'] } }),
      status,
    );
    const { headers }: Answer = await world.ask();
    expect(headers['set-cookie']).toEqual(isSet ? ['a=1, b=2'] : undefined);
  });
});

describe('answers that are kept', () => {
  const config = {
    cache_key: '$http_x_token',
    location: 'l',
    cache_durations: [{ statuses: [200, 403], seconds: 60 }],
  };

  test('are used for the same key only, and not if they set cookies', async () => {
    await start(config, token);
    const ask = (value: string, path = '/') => world.ask({ path, headers: { 'x-token': value } });
    await ask('good');
    expect((await ask('good', '/other')).status).toBe(200);
    expect(of('auth').length).toBe(1);
    expect((await ask('bad')).status).toBe(401);
    expect((await ask('bad')).status).toBe(401);
    expect(of('auth').length).toBe(3);
    expect((await world.ask({ headers: { host: 'other.test', 'x-token': 'good' } })).status).toBe(
      200,
    );
    expect(of('auth').length).toBe(4);
  });

  test.each([
    ['no-store', 2],
    ['max-age=0', 2],
    ['public, max-age=60', 1],
  ])('as Cache-Control: %s says', async (control, asked) => {
    await start({ ...config, cache_durations: [] }, () => ({
      headers: { 'cache-control': control },
    }));
    await world.ask();
    await world.ask();
    expect(of('auth').length).toBe(asked);
  });

  test('a refusal is kept as well', async () => {
    await start(config, () => ({ status: 403 }));
    await world.ask();
    expect((await world.ask()).status).toBe(403);
    expect(of('auth').length).toBe(1);
  });
});

describe('configurations that are refused', () => {
  test.each([
    [{ url: 'not a url' }, /must be a URL/],
    [{ url: '127.0.0.1:80/ok' }, /must be a URL/],
    [{ url: 'http://a/$nothing' }, /no variable/],
    [{ url: 'http://a/\r\nx' }, /control characters/],
    [{ method: 'FOO' }, /method/],
    [{ signin: 'https://a/$x' }, /no variable/],
    [{ request_redirect: 'a\nb' }, /control characters/],
    [{ response_headers: ['X A'] }, /no name of a header/],
    [{ set_headers: [{ name: 'A', value: '\n' }] }, /control characters/],
    [{ signin_redirect_param: 'a&b' }, /signin_redirect_param/],
  ])('%o', async (config, message) => {
    await expect(start(config, undefined)).rejects.toThrow(message);
  });

  test('a URL with a host that a variable names is taken', async () => {
    await start({ url: 'https://$host/oauth2/auth' }, undefined);
    expect((await world.ask({ headers: { host: '127.0.0.1:1' } })).status).toBe(500);
  });
});
