import { describe, expect, test } from 'vitest';
import type { HttpRouteFilter } from '../../objects/gateway-api.ts';
import { applyFilters, ruleProblem } from './http-filters.ts';

const plain = { hasRedirectPlugin: false, hasOwnPlugins: false, tags: ['t'] };
const apply = (filters: object[], path = '/a', options: object = {}) =>
  applyFilters(filters as HttpRouteFilter[], path, { ...plain, ...options });
const pluginsOf = (...given: Parameters<typeof apply>) => {
  const outcome = apply(...given);
  return typeof outcome === 'string' ? outcome : outcome.plugins;
};
const tags = ['t'];

describe('headers', () => {
  const set = [{ name: 'a', value: '1' }];
  const add = [{ name: 'b', value: '2' }];
  const lines = {
    replace: { headers: ['a:1'] },
    add: { headers: ['a:1'] },
    append: { headers: ['b:2'] },
    remove: { headers: ['c'] },
  };

  test.each([
    ['RequestHeaderModifier', 'requestHeaderModifier', 'request-transformer'],
    ['ResponseHeaderModifier', 'responseHeaderModifier', 'response-transformer'],
  ])('%s sets, adds and removes', (type, field, name) => {
    const modifier = { set, add, remove: ['c'] };
    expect(pluginsOf([{ type, [field]: modifier }])).toEqual([{ name, config: lines, tags }]);
    const nothing = { set: [], add: [], remove: [] };
    expect(pluginsOf([{ type, [field]: nothing }])).toEqual([{ name, config: {}, tags }]);
    expect(pluginsOf([{ type }])).toEqual([{ name, config: {}, tags }]);
  });

  test('several filters feed one plugin, in their order', () => {
    const type = 'RequestHeaderModifier';
    const filters = [
      { type, requestHeaderModifier: { set } },
      { type, requestHeaderModifier: { set: add, remove: ['c'] } },
      { type: 'ResponseHeaderModifier', responseHeaderModifier: { add } },
    ];
    expect(pluginsOf(filters)).toEqual([
      {
        name: 'request-transformer',
        config: {
          replace: { headers: ['a:1', 'b:2'] },
          add: { headers: ['a:1', 'b:2'] },
          remove: { headers: ['c'] },
        },
        tags,
      },
      { name: 'response-transformer', config: { append: { headers: ['b:2'] } }, tags },
    ]);
  });
});

describe('redirects', () => {
  const redirect = (requestRedirect: object) => [{ type: 'RequestRedirect', requestRedirect }];
  const full = (replaceFullPath: string) => ({ type: 'ReplaceFullPath', replaceFullPath });

  test.each([
    [{}, '/a', 302],
    [{ statusCode: 301 }, '/a', 301],
    [{ hostname: 'b.example' }, 'http://b.example/a', 302],
    [{ hostname: 'b.example', scheme: 'https' }, 'https://b.example/a', 302],
    [{ hostname: 'b.example', port: 80 }, 'http://b.example/a', 302],
    [{ hostname: 'b.example', port: 443 }, 'http://b.example:443/a', 302],
    [{ hostname: 'b.example', scheme: 'https', port: 443 }, 'https://b.example/a', 302],
    [{ hostname: 'b.example', scheme: 'https', port: 80 }, 'https://b.example:80/a', 302],
    [{ hostname: 'b.example', path: full('/x') }, 'http://b.example/x', 302],
    [{ path: full('/x') }, '/x', 302],
    [{ path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/y' } }, '/a', 302],
  ])('%j of an older Kong', (said, location, status) => {
    expect(pluginsOf(redirect(said))).toEqual([
      { name: 'request-termination', config: { status_code: status }, tags },
      {
        name: 'response-transformer',
        config: { add: { headers: [`Location:${location}`] } },
        tags,
      },
    ]);
  });

  test.each([
    [{}, '/a', true],
    [{ hostname: 'b.example', port: 8080 }, 'http://b.example:8080', true],
    [{ hostname: 'b.example', path: full('/x') }, 'http://b.example/x', false],
    [{ path: full('/x'), statusCode: 308 }, '/x', false],
  ])('%j of a newer Kong', (said, location, keeps) => {
    const config = {
      status_code: 'statusCode' in said ? said.statusCode : 302,
      location,
      keep_incoming_path: keeps,
    };
    expect(pluginsOf(redirect(said), '/a', { hasRedirectPlugin: true })).toEqual([
      { name: 'redirect', config, tags },
    ]);
  });

  test('our own plugin is preferred', () => {
    const options = { hasOwnPlugins: true, hasRedirectPlugin: true };
    const [plugin] = pluginsOf(redirect({}), '/a', options) as { name: string }[];
    expect(plugin?.name).not.toMatch(/^(redirect|request-termination)$/);
  });
});

describe('rewrites', () => {
  const rewrite = (urlRewrite?: object) => [{ type: 'URLRewrite', urlRewrite }];
  const prefix = (replacePrefixMatch?: string | null) =>
    rewrite({ path: { type: 'ReplacePrefixMatch', replacePrefixMatch } });

  test('of the host and of the whole path', () => {
    expect(pluginsOf(rewrite({ hostname: 'b' }))).toEqual([
      {
        name: 'request-transformer',
        config: { replace: { headers: ['host:b'] }, add: { headers: ['host:b'] } },
        tags,
      },
    ]);
    const path = { type: 'ReplaceFullPath', replaceFullPath: '/x' };
    const outcome = apply(rewrite({ path, hostname: 'b' }));
    expect(outcome).toEqual({
      plugins: [
        {
          name: 'request-transformer',
          config: { replace: { uri: '/x', headers: ['host:b'] }, add: { headers: ['host:b'] } },
          tags,
        },
      ],
      pluginNames: [],
    });
  });

  test.each([
    ['/a', '/x', '/x$(uri_captures[1])', ['~/a$', '~/a(/.*)']],
    ['/a/', '/x/', '/x$(uri_captures[1])', ['~/a$', '~/a(/.*)']],
    ['/a', '/', '$(uri_captures[1] == nil and "/" or uri_captures[1])', ['~/a$', '~/a(/.*)']],
    ['/a', undefined, '/', ['~/a$', '~/a(/.*)']],
    ['/a', null, '/', ['~/a$', '~/a(/.*)']],
    ['/', '/x', '/x$(uri_captures[1] == nil and "" or "/" .. uri_captures[1])', ['~/$', '~/(.*)']],
    ['', '', '$(uri_captures[1] == nil and "/" or "/" .. uri_captures[1])', ['~/$', '~/(.*)']],
  ])('of the prefix %s by %s', (path, by, uri, paths) => {
    const outcome = apply(prefix(by), path);
    if (typeof outcome === 'string') expect.fail(outcome);
    expect(outcome.plugins[0]?.config).toEqual({ replace: { uri } });
    expect(outcome.capture?.paths).toEqual(paths);
  });

  test.each([
    [undefined, 'URLRewrite is not provided'],
    [{}, 'URLRewrite missing Path and Hostname'],
    [{ path: { type: 'ReplaceFullPath' } }, 'URLRewrite missing ReplaceFullPath'],
    [{ path: { type: 'Other' } }, 'unsupported path type Other for URLRewrite'],
  ])('%j is refused', (said, message) => {
    expect(apply(rewrite(said))).toBe(message);
  });
});

describe('others', () => {
  test('plugins of the cluster are named', () => {
    const ref = (group: string, kind: string) => [
      { type: 'ExtensionRef', extensionRef: { group, kind, name: 'p' } },
    ];
    expect(apply(ref('configuration.konghq.com', 'KongPlugin'))).toEqual({
      plugins: [],
      pluginNames: ['p'],
    });
    expect(apply(ref('x', 'KongPlugin'))).toBe('plugin x/KongPlugin unsupported');
    expect(apply(ref('configuration.konghq.com', 'Y'))).toBe(
      'plugin configuration.konghq.com/Y unsupported',
    );
    expect(apply([{ type: 'ExtensionRef' }])).toBe('plugin / unsupported');
  });

  test.each(['CORS', 'RequestMirror', 'Other'])('%s is not what Kong can do', (type) => {
    expect(apply([{ type }])).toBe(`httpFilter ${type} unsupported`);
  });

  test('with our own plugins some more is done', () => {
    const own = { hasOwnPlugins: true };
    expect(pluginsOf([{ type: 'CORS', cors: {} }], '/', own)).toHaveLength(1);
    expect(apply([{ type: 'RequestMirror' }], '/', own)).toBe(
      'httpFilter RequestMirror unsupported',
    );
    const mirror = { type: 'RequestMirror', requestMirror: { backendRef: { name: 'm' } } };
    const mirrored = pluginsOf([mirror, mirror], '/', { ...own, mirrorHost: () => 'm.svc' });
    expect(mirrored).toHaveLength(1);
    expect(JSON.stringify(mirrored)).toContain('m.svc');
    expect(apply([{ type: 'Other' }], '/', own)).toBe('httpFilter Other unsupported');
  });

  test.each([
    [{}, undefined],
    [{ backendRefs: [{ name: 'a' }, { name: 'b', filters: [] }] }, undefined],
    [
      { backendRefs: [{ name: 'a', filters: [{}] }] },
      'filters of a single backendRef are not supported',
    ],
    [{ retry: { codes: [] } }, undefined],
    [{ retry: { codes: [500] } }, 'retries by status are not supported'],
  ])('of the rule %j is said: %s', (rule, said) => {
    expect(ruleProblem(rule as never)).toBe(said);
  });
});
