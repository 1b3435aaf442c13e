import { describe, expect, it } from 'vitest';
import { KongError } from '../kong-error.ts';
import type { StateObject } from '../rewrite/state-document.ts';
import { convertOpenApi, type OpenApiOptions } from './convert-openapi.ts';

const api = (title: string, rest: object): string =>
  JSON.stringify({ openapi: '3.0.3', info: { title, version: 'v1' }, ...rest });

const convert = (text: string, options?: OpenApiOptions): StateObject =>
  convertOpenApi(text, 'api.yaml', options);

const services = (document: StateObject): StateObject[] => document.services as StateObject[];
const routes = (document: StateObject, index = 0): StateObject[] =>
  services(document)[index]?.routes as StateObject[];
const plugins = (entity: StateObject | undefined): StateObject[] =>
  entity?.plugins as StateObject[];

/** One path with one operation. */
const one = (operation: object, path = '/x'): object => ({ paths: { [path]: { get: operation } } });

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

describe('paths', () => {
  it.each([
    ['/plain', '~/plain$', 200],
    ['/a.b+c(d)[e]$', '~/a\\.b\\+c\\(d\\)\\[e]\\$$', 200],
    ['/demo/{something}/else/', '~/demo/(?<something>[^#?/]+)/else/$', 100],
    [
      '/{ white space }/{x*()_-+=x}/{-To_Do}',
      '~/(?<white_space>[^#?/]+)/(?<x_x>[^#?/]+)/(?<to_do>[^#?/]+)$',
      100,
    ],
    ["/m(A='{A}',B='{B}')", "~/m\\(A='(?<a>[^#?/]+)',B='(?<b>[^#?/]+)'\\)$", 100],
  ])('%s', (path, expected, priority) => {
    const [route] = routes(convert(api('t', one({}, path))));
    expect(route).toMatchObject({ paths: [expected], regex_priority: priority, strip_path: false });
  });

  it('may be empty where a parameter may, and the operation has its way', () => {
    const text = api('t', {
      components: { parameters: { A: { name: 'a', in: 'path', schema: { minLength: 0 } } } },
      paths: {
        '/{a}/{b}': {
          parameters: [
            { $ref: '#/components/parameters/A' },
            { name: 'b', in: 'path', schema: { minLength: 0 } },
          ],
          get: { parameters: [{ name: 'b', in: 'path', schema: { minLength: 1 } }] },
        },
      },
    });
    expect(routes(convert(text))[0]?.paths).toEqual(['~/(?<a>[^#?/]*)/(?<b>[^#?/]+)$']);
  });
});

describe('headers', () => {
  const text = api('Example API', {
    paths: {
      '/api/v1/example': {
        post: {
          operationId: 'exampleOperation',
          'x-kong-plugin-rate-limiting-advanced': { enabled: true, config: { limit: [500] } },
          parameters: [
            {
              name: 'Content-Type',
              in: 'header',
              required: true,
              schema: { type: 'string', enum: ['application/xml', 'Application/XML', 'text/xml'] },
            },
            { name: 'X-Free', in: 'header', schema: { enum: ['a'] } },
          ],
        },
      },
    },
  });

  it('that are required make routes of their own, before the one without', () => {
    const made = routes(convert(text));
    expect(made.map(({ id, name, headers }) => [id, name, headers])).toEqual([
      [
        'a079e253-1adf-5c97-9759-bf8d74731856',
        'example-api_exampleoperation_0',
        { 'Content-Type': ['application/xml'] },
      ],
      [
        'bbbcee70-d94a-5f9d-8df1-bfb895589dcb',
        'example-api_exampleoperation_1',
        { 'Content-Type': ['text/xml'] },
      ],
      ['4773c6b3-8ca7-548b-85eb-4a45ae2be299', 'example-api_exampleoperation', undefined],
    ]);
    expect(made.map((route) => plugins(route)[0]?.id)).toEqual([
      'bddcead7-86ba-5276-ad3b-04847c81ccee',
      '339689c4-0aab-591e-bd21-88d949cfc124',
      '9770aa9c-6849-5a68-824f-f3b3ae31f2e5',
    ]);
  });

  it('make none when asked', () => {
    expect(routes(convert(text, { skipRouteByHeader: true }))).toHaveLength(1);
  });

  it('never make so many routes that nobody could want them', () => {
    const values = Array.from({ length: 30 }, (_, index) => `v${index}`);
    const parameters = ['A', 'B', 'C', 'D', 'E'].map((name) => ({
      name,
      in: 'header',
      required: true,
      schema: { enum: values },
    }));
    expect(() => convert(api('t', one({ parameters })))).toThrow('make 24300000 routes');
  });
});

describe('plugins', () => {
  it('are on what they stand at, and those for a consumer at the top', () => {
    const termination = (consumer: string) => ({
      'x-kong-plugin-request-termination': { consumer, config: { status_code: 403 } },
    });
    const document = convert(
      api('Simple API overview', {
        ...termination('johndoe1'),
        'x-kong-plugin-cors': { $ref: '#/components/x-kong/plugins/open' },
        components: { 'x-kong': { plugins: { open: { config: { origins: ['*'] } } } } },
        paths: {
          '/path1': { get: { operationId: 'uses-doc-plugin' } },
          '/path2': {
            ...termination('johndoe2'),
            get: { operationId: 'uses-path-plugin' },
            post: { operationId: 'uses-ops-plugin', ...termination('johndoe3') },
          },
        },
      }),
    );
    expect(
      (document.plugins as StateObject[]).map(({ id, consumer, route, service }) => [
        id,
        consumer,
        route ?? service,
      ]),
    ).toEqual([
      ['ead16074-ccb0-52dd-9f56-4193529e8ffa', 'johndoe3', 'simple-api-overview_uses-ops-plugin'],
      ['aa56031e-7155-599f-a9e9-93e6b271ba58', 'johndoe2', 'simple-api-overview_uses-path-plugin'],
      ['ef93d30f-dc7d-581b-8b1b-3f8942a0d171', 'johndoe1', 'simple-api-overview'],
    ]);
    expect(plugins(services(document)[0])).toMatchObject([
      { name: 'cors', config: { origins: ['*'] } },
    ]);
    expect(routes(document).map((route) => plugins(route))).toEqual([[], [], []]);
  });

  it('of the document go along to a service of an operation, each with its own id', () => {
    const document = convert(
      api('t', {
        servers: [{ url: 'https://a' }],
        'x-kong-plugin-cors': {},
        paths: { '/x': { 'x-kong-plugin-acl': {}, get: { servers: [{ url: 'https://b' }] } } },
      }),
    );
    expect(plugins(services(document)[1])).toEqual([]);
    const [route] = routes(document, 1);
    expect(plugins(route).map(({ name }) => name)).toEqual(['acl', 'cors']);
    expect(plugins(route)[1]?.id).not.toBe(plugins(services(document)[0])[0]?.id);
  });

  it('validate requests by the schemas of the document', () => {
    const document = convert(
      api('t', {
        'x-kong-plugin-request-validator': { config: { verbose_response: true } },
        components: {
          schemas: { Pet: { properties: { mother: { $ref: '#/components/schemas/Pet' } } } },
        },
        paths: {
          '/pets/{Pet-Id}': {
            parameters: [
              { name: 'Pet-Id', in: 'path', required: true, schema: { type: 'string' } },
            ],
            post: {
              parameters: [
                { name: 'q', in: 'query', schema: { type: 'string', pattern: '<a>' } },
                { name: 'c', in: 'cookie', schema: { type: 'string' } },
              ],
              requestBody: {
                content: {
                  'text/plain': {},
                  'application/vnd.pet+json; charset=utf-8': {
                    schema: { $ref: '#/components/schemas/Pet' },
                  },
                },
              },
            },
          },
          '/nothing': { get: {} },
        },
      }),
    );
    expect(routes(document).map((route) => plugins(route))).toMatchObject([
      [],
      [
        {
          name: 'request-validator',
          config: {
            verbose_response: true,
            version: 'draft4',
            allowed_content_types: ['application/vnd.pet+json; charset=utf-8', 'text/plain'],
            body_schema:
              '{"$ref":"#/definitions/Pet","definitions":{"Pet":{"properties":{"mother":{"$ref":"#/definitions/Pet"}}}}}',
            parameter_schema: [
              {
                style: 'simple',
                explode: false,
                in: 'path',
                name: 'pet_id',
                required: true,
                schema: '{"type":"string"}',
              },
              {
                style: 'form',
                explode: true,
                in: 'query',
                name: 'q',
                required: false,
                schema: '{"pattern":"\\u003ca\\u003e","type":"string"}',
              },
            ],
          },
        },
      ],
    ]);
  });
});

describe('security', () => {
  const oidc = (config?: object) => ({
    type: 'openIdConnect',
    openIdConnectUrl: 'https://issuer',
    ...(config === undefined ? {} : { 'x-kong-security-openid-connect': { config } }),
  });
  const text = (security: object[], more: object = {}) =>
    api('t', {
      security: [{ main: ['top'] }],
      components: {
        securitySchemes: {
          main: oidc({ scopes_required: ['z', 'a'], issuer: 'https://ours' }),
          other: oidc(),
          key: { type: 'apiKey', in: 'header', name: 'apikey' },
        },
      },
      paths: { '/a': { get: {} }, '/b': { get: { security } } },
      ...more,
    });

  it('becomes a plugin only when asked', () => {
    expect(JSON.stringify(convert(text([{ other: ['s'] }])))).not.toContain('openid-connect');
    const document = convert(text([{ other: ['s'] }]), { generateSecurity: true });
    expect(plugins(services(document)[0])).toEqual([
      {
        name: 'openid-connect',
        config: { scopes_required: ['a', 'top', 'z'], issuer: 'https://ours' },
      },
    ]);
    expect(routes(document).map((route) => plugins(route))).toEqual([
      [],
      [{ name: 'openid-connect', config: { scopes_required: ['s'], issuer: 'https://issuer' } }],
    ]);
  });

  it.each([
    [[{ main: [] }, { other: [] }], 'only a single security-requirement is supported'],
    [[{ main: [], other: [] }], 'only a single security-scheme is supported'],
    [[{ none: [] }], "no security-schemes with name 'none' found in components"],
    [[{ key: [] }], "only security-schemes of type 'openIdConnect' are supported"],
  ])('that Kong has no plugin for is refused: %j', (security, message) => {
    expect(() => convert(text(security), { generateSecurity: true })).toThrow(message);
    const passed = convert(text(security), { generateSecurity: true, ignoreSecurityErrors: true });
    expect(plugins(services(passed)[0])).toMatchObject([{ name: 'openid-connect' }]);
    expect(routes(passed).map((route) => plugins(route))).toEqual([[], []]);
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
