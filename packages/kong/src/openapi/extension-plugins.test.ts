import { describe, expect, it } from 'vitest';
import { api, convert, plugins, routes, services } from '../../test/openapi-document.ts';
import type { StateObject } from '../rewrite/state-document.ts';

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
