import { describe, expect, it } from 'vitest';
import { api, convert, routes, services } from '../../test/openapi-document.ts';

describe('servers', () => {
  it.each([
    [[], { protocol: 'https', host: 'localhost', port: 443, path: '/' }],
    [[{ url: '/base' }], { protocol: 'https', host: 'localhost', port: 443, path: '/base' }],
    [[{ url: 'http://a.b' }], { protocol: 'http', host: 'a.b', port: 80, path: '/' }],
    [[{ url: 'https://a.b:8443/c%20d/' }], { host: 'a.b', port: 8443, path: '/c d/' }],
    [
      [
        {
          url: 'https://{env}.a.b/{v}',
          variables: { env: { default: 'qa' }, v: { default: 'v1' } },
        },
      ],
      { host: 'qa.a.b', path: '/v1' },
    ],
  ])('%j', (servers, expected) => {
    const document = convert(api('t', { servers, paths: {} }));
    expect(services(document)[0]).toMatchObject(expected);
    expect(document.upstreams).toEqual([]);
  });

  it('of paths and operations make services of their own, and the unused one goes', () => {
    const document = convert(
      api('t', {
        paths: {
          '/a': { servers: [{ url: 'https://a' }], get: {} },
          '/b': { get: { servers: [{ url: 'https://b' }] } },
        },
      }),
    );
    expect(services(document).map(({ name, host }) => [name, host])).toEqual([
      ['t_a', 'a'],
      ['t_b_get', 'b'],
    ]);
  });

  it('that are the same make one service when asked', () => {
    const text = api('t', {
      paths: {
        '/a': { servers: [{ url: 'https://one' }], get: {} },
        '/b': { servers: [{ url: 'https://one:443/' }], get: {} },
        '/c': { servers: [{ url: 'https://two' }], get: {} },
        '/d': { servers: [{ url: 'https://one' }], 'x-kong-plugin-cors': {}, get: {} },
      },
    });
    expect(services(convert(text)).map(({ name }) => name)).toEqual(['t_a', 't_b', 't_c', 't_d']);
    const shared = convert(text, { reuseServices: true });
    expect(services(shared).map(({ name }) => name)).toEqual(['t_a', 't_c', 't_d']);
    expect(routes(shared).map(({ name }) => name)).toEqual(['t_a_get', 't_b_get']);
  });

  it('take defaults, and a path with other defaults keeps the upstream', () => {
    const document = convert(
      api('t', {
        servers: [{ url: 'https://a' }, { url: 'https://b' }],
        'x-kong-service-defaults': { retries: 9, read_timeout: 1 },
        'x-kong-upstream-defaults': { hash_on: 'ip' },
        'x-kong-route-defaults': { preserve_host: true, service: 'no', regex_priority: 5 },
        paths: {
          '/a': { 'x-kong-service-defaults': { retries: 1 }, get: {} },
          '/b/{id}': { get: {} },
        },
      }),
    );
    expect(services(document)).toMatchObject([
      { name: 't', retries: 9, host: 't.upstream' },
      { name: 't_a', retries: 1, host: 't.upstream' },
    ]);
    expect(services(document)[1]).not.toHaveProperty('read_timeout');
    expect(document.upstreams).toMatchObject([{ name: 't.upstream', hash_on: 'ip' }]);
    expect(routes(document, 0)).toMatchObject([{ preserve_host: true, regex_priority: 4 }]);
    expect(routes(document, 1)).toMatchObject([{ preserve_host: true, regex_priority: 5 }]);
    expect(routes(document, 0)[0]).not.toHaveProperty('service');
  });
});
