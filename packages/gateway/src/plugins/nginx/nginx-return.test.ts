import { afterEach, describe, expect, test } from 'vitest';
import { type Ask, PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

async function location(config: object, ask: Ask, proxy: object = {}) {
  await world.start(await world.backend('a'), [
    { name: 'nginx-proxy', config: proxy },
    { name: 'nginx-return', config },
  ]);
  const { status, headers } = await world.ask(ask);
  return [status, headers.location];
}

const at = (path: string, host = 'shop.test') => ({ path, headers: { host } });

describe('nginx-return', () => {
  const toWww = { to_host: { host: 'www.shop.test', status: 308 } };
  test.each<[object, Ask, readonly [number, string | undefined]]>([
    [{ app_root: '/ui/' }, at('/?x=1'), [302, 'http://shop.test/ui/']],
    [{ app_root: '/ui/' }, at('/', 'shop.test:8080'), [302, 'http://shop.test:8080/ui/']],
    [{ app_root: '/ui/' }, at('/x'), [200, undefined]],
    [{ app_root: '/ui/' }, { isSecure: true }, [302, 'https://shop.test/ui/']],
    [{ redirect: { url: 'https://new.test/?a=b' } }, at('/x?q=1'), [301, 'https://new.test/?a=b']],
    [
      { redirect: { url: '/there', status: 307 } },
      at('/', 'shop.test:8080'),
      [307, 'http://shop.test/there'],
    ],
    [{ redirect: { url: '/there' }, relative_redirects: true }, at('/'), [301, '/there']],
    [
      { redirect: { url: 'https://n.test$request_uri' } },
      at('/a%0d%0ab?c'),
      [301, 'https://n.test/a%0d%0ab?c'],
    ],
    [{ redirect: { url: 'https://n.test' }, ssl_redirect: {} }, at('/'), [301, 'https://n.test']],
    [{ add_slash: true }, at('/foo?q=1', 'shop.test:81'), [301, 'http://shop.test/foo/?q=1']],
    [toWww, at('/x/?y=1'), [308, 'http://www.shop.test:80/x/?y=1']],
    [toWww, at('/'), [308, 'http://www.shop.test:80']],
    [toWww, { path: '/s', isSecure: true }, [308, 'https://www.shop.test:443/s']],
    [{ ssl_redirect: {} }, at('/a/', 'shop.test:8080'), [308, 'https://shop.test/a']],
    [{ ssl_redirect: {} }, at('/?x=/'), [308, 'https://shop.test/?x=']],
    [
      { ssl_redirect: { keep_trailing_slash: true, port_in_redirect: true } },
      at('/a/'),
      [308, 'https://shop.test:443/a/'],
    ],
    [{ ssl_redirect: {} }, { isSecure: true }, [200, undefined]],
    [{ status: 503 }, at('/'), [503, undefined]],
    [{ status: 503, ssl_redirect: {} }, at('/'), [308, 'https://shop.test']],
  ])('%o answers %o with %o', async (config, ask, expected) => {
    expect(await location(config, ask)).toEqual(expected);
  });

  test.each<[boolean, readonly [number, string | undefined]]>([
    [true, [200, undefined]],
    [false, [308, 'https://shop.test']],
  ])('believes a proxy on https only when it is trusted (%s)', async (trust, expected) => {
    const ask = { headers: { 'x-forwarded-proto': 'https' } };
    expect(await location({ ssl_redirect: {} }, ask, { forwarded: { trust } })).toEqual(expected);
  });

  test.each<[object, string | undefined]>([
    [{ app_root: '/ui/' }, undefined],
    [toWww, undefined],
    [{ status: 403, is_closed: true }, undefined],
    [{ status: 403 }, 'max-age=60'],
    [{ redirect: { url: '/there' } }, 'max-age=60'],
  ])('%o is said before or after a location adds its headers', async (config, expected) => {
    const hsts = { max_age: 60, include_subdomains: false };
    await world.start(await world.backend('a'), [
      { name: 'nginx-proxy', config: { hsts } },
      { name: 'nginx-return', config },
    ]);
    const { headers } = await world.ask({ isSecure: true });
    expect(headers['strict-transport-security']).toBe(expected);
  });

  test.each([
    [{ app_root: 'x' }, /app_root/],
    [{ redirect: { url: 'https://a\r\nb' } }, /control characters/],
    [{ redirect: { url: '$nowhere' } }, /no variable/],
    [{ redirect: { url: '/', status: 200 } }, /status/],
    [{ to_host: { host: 'a/b' } }, /host/],
  ])('%o is refused', async (config, message) => {
    await expect(location(config, {})).rejects.toThrow(message);
  });
});
