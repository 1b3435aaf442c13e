import { describe, expect, test } from 'vitest';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject } from '../entity/entities.ts';
import { passwordHashProblem } from '../schema/password-hash-form.ts';
import { normalizePath } from '../schema/uri-path.ts';
import { gatherConfig } from './gather-config.ts';
import { validateFileContent } from './validate-file.ts';

describe('the shape of a file', () => {
  const service = (fields: object) => ({ services: [{ name: 's', ...fields }] });
  test.each<[string, object, readonly string[]]>([
    ['nothing', {}, []],
    [
      'a list that is none',
      { services: {} },
      ['services: Invalid type. Expected: array, given: object'],
    ],
    [
      'an element that is none',
      { services: [5] },
      ['services.0: Invalid type. Expected: object, given: integer'],
    ],
    ['null', { services: [null] }, ['services.0: Invalid type. Expected: object, given: null']],
    [
      'a field that nobody knows',
      service({ x: 1 }),
      ['services.0: Additional property x is not allowed'],
    ],
    [
      'a name that is none',
      service({ name: 1.5 }),
      ['services.0.name: Invalid type. Expected: string, given: number'],
    ],
    [
      'a number that is none',
      service({ port: '80' }),
      ['services.0.port: Invalid type. Expected: integer, given: string'],
    ],
    [
      'half a number',
      service({ port: 80.5 }),
      ['services.0.port: Invalid type. Expected: integer, given: number'],
    ],
    [
      'a truth that is none',
      service({ enabled: 'yes' }),
      ['services.0.enabled: Invalid type. Expected: boolean, given: string'],
    ],
    [
      'texts that are none',
      service({ tags: ['a', 1] }),
      ['services.0.tags.1: Invalid type. Expected: string, given: integer'],
    ],
    [
      'texts that are no list',
      service({ tags: 'a' }),
      ['services.0.tags: Invalid type. Expected: array, given: string'],
    ],
    [
      'several at once, those that nobody knows first',
      service({ y: 1, port: [], retries: true }),
      [
        'services.0: Additional property y is not allowed',
        'services.0.port: Invalid type. Expected: integer, given: array',
        'services.0.retries: Invalid type. Expected: integer, given: boolean',
      ],
    ],
    [
      'headers of routes',
      { routes: [{ name: 'r', headers: { a: ['x'], b: 'y', c: [1] } }] },
      [
        'routes.0.headers.b: Invalid type. Expected: array, given: string',
        'routes.0.headers.c.0: Invalid type. Expected: string, given: integer',
      ],
    ],
    [
      'headers that are none',
      { routes: [{ name: 'r', headers: [] }] },
      ['routes.0.headers: Invalid type. Expected: object, given: array'],
    ],
  ])('%s', (_what, content, problems) => {
    expect(validateFileContent({ _format_version: '3.0', ...content } as JsonObject)).toEqual(
      problems,
    );
  });
});

test('files of several teams become one, with what they leave out', () => {
  const config = {
    _format_version: '1.1',
    _info: { defaults: { service: { retries: 2, protocol: 'https' }, target: { weight: 7 } } },
    services: [
      { name: 's', read_timeout: 1, routes: [{ name: 'r', protocols: ['grpc'] }, { name: 'q' }] },
    ],
    routes: [{ name: 't', protocols: ['grpcs'] }],
    upstreams: [
      { name: 'u', targets: [{ target: 'a:80' }] },
      { name: 'v', slots: 10 },
    ],
    plugins: [{ name: 'cors' }],
  } as unknown as DeclarativeConfig;
  const route = {
    preserve_host: false,
    protocols: ['http', 'https'],
    regex_priority: 0,
    strip_path: true,
  };
  const upstream = {
    hash_fallback: 'none',
    hash_on: 'none',
    hash_on_cookie_path: '/',
    slots: 10_000,
  };
  expect(gatherConfig(config, '3.0')).toEqual({
    _format_version: '3.0',
    services: [
      {
        name: 's',
        retries: 2,
        protocol: 'https',
        connect_timeout: 60_000,
        read_timeout: 1,
        write_timeout: 60_000,
        routes: [
          { ...route, name: 'r', protocols: ['grpc'], strip_path: false },
          { ...route, name: 'q' },
        ],
      },
    ],
    routes: [{ ...route, name: 't', protocols: ['grpcs'], strip_path: false }],
    upstreams: [
      { ...upstream, name: 'u', targets: [{ target: 'a:80', weight: 7 }] },
      { ...upstream, name: 'v', slots: 10 },
    ],
    plugins: [{ name: 'cors' }],
  });
  expect(gatherConfig({} as DeclarativeConfig, '1.1')).toEqual({ _format_version: '1.1' });
});

describe('hashes of passwords', () => {
  const unknown = 'the form of the hash is not known';
  const salt = 'a'.repeat(22);
  const cost = 'a cost of 4 to 12 is taken for bcrypt';
  test.each<[string, string | undefined]>([
    ['{SHA}x', undefined],
    ['{SSHA}x', undefined],
    ['{PLAIN}x', undefined],
    ['{MD5}x', unknown],
    ['$apr1$salt$x', undefined],
    ['$1$salt$x', undefined],
    ['$1$too-long-salt$x', unknown],
    ['abcdefghijklm', undefined],
    ['abcdefghijkl', unknown],
    [`$2y$04$${salt}`, undefined],
    [`$2$12$${salt}${'b'.repeat(31)}`, undefined],
    [`$2y$03$${salt}`, cost],
    [`$2y$13$${salt}`, cost],
    [`$2y$05$${salt}b`, unknown],
    ['$5$salt$x', undefined],
    ['$6$rounds=100000$salt$x', undefined],
    ['$6$rounds=100001$salt$x', 'at most 100000 rounds are taken'],
    ['$7$salt$x', unknown],
    ['', unknown],
  ])('%s', (hash, problem) => {
    expect(passwordHashProblem(hash)).toBe(problem);
  });
});

test.each([
  ['/a', '/a'],
  ['/a//b', '/a/b'],
  ['/a/./b', '/a/b'],
  ['/a/.', '/a/'],
  ['/a/../b', '/b'],
  ['/a/..', '/'],
  ['/../a', '/a'],
  ['/a/b/..', '/a/'],
  ['a', '/a'],
  ['..', '/'],
  ['/%61%7e', '/a~'],
  ['/%2f%3F', '/%2F%3F'],
  ['/%zz%4', '/%zz%4'],
  ['/é%C3%A9', '/éé'],
  ['/%2e%2e/a', '/a'],
])('the path %s is %s', (path, normal) => {
  expect(normalizePath(path)).toBe(normal);
});
