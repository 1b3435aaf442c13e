import { describe, expect, it } from 'vitest';
import { api, convert, one, plugins, routes } from '../../test/openapi-document.ts';

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
