import { describe, expect, it } from 'vitest';
import { api, convert, one, routes, services } from '../../test/openapi-document.ts';
import { KongError } from '../kong-error.ts';

describe('names and ids', () => {
  const named = api('Simple API overview', {
    servers: [{ url: 'http://backend1.com/some/path' }, { url: 'http://backend2.com/some/path' }],
    paths: {
      '/': { get: { operationId: 'opsid1' }, post: {} },
      '/application': { get: { operationId: 'opsid2' }, post: {} },
      '/application/': { get: { operationId: 'opsid3' }, post: {} },
    },
  });

  it('are those of decK', () => {
    const document = convert(named);
    expect(services(document)).toMatchObject([
      {
        id: '0907c4ab-d9e4-5d21-813b-c57a97eeaad9',
        name: 'simple-api-overview',
        host: 'simple-api-overview.upstream',
        path: '/some/path',
        port: 80,
        protocol: 'http',
        plugins: [],
        tags: [],
      },
    ]);
    expect(routes(document).map(({ name, id }) => [name, id])).toEqual([
      ['simple-api-overview_opsid1', '6fb3ba5b-774a-5b28-aa3c-ab9c6a26b484'],
      ['simple-api-overview_~_post', '2ab3e49d-7565-5ac2-aaee-18d060e2e712'],
      ['simple-api-overview_opsid2', 'fc7203a1-3b29-5eac-ac56-a1d361e14d97'],
      ['simple-api-overview_application_post', 'f388efcc-933e-54d5-a549-2b27ef4b935f'],
      ['simple-api-overview_opsid3', '63973e08-181f-53b7-8dbb-b9acad0930e3'],
      ['simple-api-overview_application~_post', 'f8102b40-3925-5071-9333-82334952cd8c'],
    ]);
    expect(document.upstreams).toEqual([
      {
        id: '811c42d6-ef18-5296-a550-7dca2262b4d8',
        name: 'simple-api-overview.upstream',
        tags: [],
        targets: [
          { target: 'backend1.com:80', tags: [] },
          { target: 'backend2.com:80', tags: [] },
        ],
      },
    ]);
  });

  it('are left out when asked, and begin with another name when asked', () => {
    const bare = convert(named, { noId: true });
    expect(JSON.stringify(bare)).not.toContain('"id"');
    const based = convert(named, { uuidBase: 'Other One' });
    expect(services(based)[0]).toMatchObject({ name: 'other-one' });
    expect(routes(based)[0]?.name).toBe('other-one_opsid1');
  });

  it('are those of Inso when asked', () => {
    const document = convert(
      api('Learn', {
        'x-kong-name': 'documentname',
        paths: {
          '/': { put: {} },
          '/regex/path/{userId}': { put: {}, post: { 'x-kong-name': 'x-kong-ops' } },
          '/named/path': { 'x-kong-name': 'x-kong-path', get: { operationId: 'Ops2' }, put: {} },
        },
      }),
      { insoCompatible: true },
    );
    expect(routes(document).map(({ name, id }) => [name, id])).toEqual([
      ['documentname-put', undefined],
      ['documentname-Ops2', undefined],
      ['documentname-x-kong-path-put', undefined],
      ['documentname-x-kong-ops', undefined],
      ['documentname-regex_path_userId-put', undefined],
    ]);
    expect(routes(document).at(-1)?.paths).toEqual(['~/regex/path/(?<userId>[^#?/]+)$']);
  });

  it.each([
    ["C'est déjà l'été.", 'c-est-deja-l-ete'],
    ['kožušček hello__world', 'kozuscek-hello-world'],
    ['Straße / Ærø', 'strasse-aero'],
    ['Магазин', 'magazin'],
    ['北京 API', 'u5317-u4eac-api'],
    ['上海 API', 'u4e0a-u6d77-api'],
  ])('of %s is %s', (title, name) => {
    expect(services(convert(api(title, { paths: {} })))[0]?.name).toBe(name);
  });
});

describe('what is wrong', () => {
  const circle = (pet: object) => api('t', { components: { schemas: { Pet: pet } }, paths: {} });
  const self = { $ref: '#/components/schemas/Pet' };

  it.each([
    ['- a', 'expected the data to be an Object'],
    ['swagger: "2.0"', 'OpenAPI 2 (Swagger)'],
    ['a: 1', 'no OpenAPI document of version 3'],
    ['openapi: 3.1.0', 'must have `.paths`'],
    [api('t', { servers: [{ url: 'a.b/c' }], paths: {} }), "failed to parse uri 'a.b/c'"],
    [api('t', { 'x-kong-service-defaults': [], paths: {} }), "expected 'x-kong-service-defaults'"],
    [api('t', { 'x-kong-plugin-a': { $ref: '#/x' }, paths: {} }), "at '#/components/x-kong/...'"],
    [
      api('t', { 'x-kong-plugin-a': { $ref: '#/components/x-kong/b' }, paths: {} }),
      "reference '#/components/x-kong/b' not found",
    ],
    [api('t', { 'x-kong-tags': 'a', paths: {} }), 'x-kong-tags is not a string-array'],
    [api('t', one({ parameters: [{ $ref: 'other.yaml#/a' }] })), 'leads out of the document'],
    [api('t', one({}, '/{abcdefghijklmnopqrstuvwxyzabcdefgh}')), 'exceeds 32 characters'],
    [circle({ required: ['a'], properties: { a: self } }), 'Pet -> Pet'],
  ])('is told: %s', (text, message) => {
    expect(() => convert(text)).toThrow(KongError);
    expect(() => convert(text)).toThrow(message);
  });

  it('is no schema that may hold itself, and no list of itself when asked', () => {
    expect(() => convert(circle({ properties: { a: self } }))).not.toThrow();
    const list = circle({ required: ['a'], properties: { a: { type: 'array', items: self } } });
    expect(() => convert(list)).toThrow('infinite circular reference');
    expect(() => convert(list, { ignoreCircularRefs: true })).not.toThrow();
  });
});
