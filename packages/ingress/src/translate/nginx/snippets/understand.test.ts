import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { understand } from './understand.ts';

describe('snippets', () => {
  test.each<[string, object]>([
    [
      'more_set_headers "X-A: $host" ; # why\nmore_clear_headers X-B;',
      {
        response_headers: [{ name: 'X-A', value: '$host', replaces: true, always: true }],
        clear_headers: ['X-B'],
      },
    ],
    [
      'if ($request_method = DELETE) { return 405; }',
      { rules: [{ variable: '$request_method', operator: '=', value: 'DELETE', status: 405 }] },
    ],
    [
      'if ($uri ~* "^/(a|b)") { return 404; }',
      { rules: [{ variable: '$uri', operator: '~*', value: '^/(a|b)', status: 404 }] },
    ],
    [
      'rewrite ^/old/(.*)$ /new/$1 break;',
      { rules: [{ pattern: '^/old/(.*)$', target: '/new/$1', flag: 'break' }] },
    ],
    [
      'proxy_set_header X-A "v $scheme";',
      { request_headers: [{ name: 'X-A', value: 'v $scheme' }] },
    ],
    [
      'sub_filter "a" \'b c\'; sub_filter_once off; sub_filter_types text/plain;',
      {
        substitutions: {
          pairs: [{ from: 'a', to: 'b c' }],
          once: false,
          types: ['text/html', 'text/plain'],
        },
      },
    ],
    ['client_max_body_size 8m;', { body_size: 8 * 1024 ** 2 }],
    [
      'more_set_input_headers "X-A: b $host" X-C:d; more_clear_input_headers X-E;',
      {
        request_headers: [
          { name: 'X-A', value: 'b $host' },
          { name: 'X-C', value: 'd' },
          { name: 'X-E', value: '' },
        ],
      },
    ],
    [
      'set $who "me@$host"; set $all "$who!"; proxy_set_header X-A $all;',
      { request_headers: [{ name: 'X-A', value: 'me@$host!' }] },
    ],
  ])('%s', (text, expected) => {
    const snippet = understand(text, 'location');
    expect(snippet.unknown).toEqual([]);
    expect(snippet).toMatchObject(expected);
  });

  test('what stands for a server answers before a location adds anything', () => {
    const { rules, response_headers: headers } = understand(
      'location = /a { return 204; } if ($arg_x) { return 403; } more_set_headers "X-A: b";',
      'server',
    );
    expect([...rules, ...headers].map((one) => (one as { is_early?: true }).is_early)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test.each([
    ['location ~* /\\.git { deny all; }', { operator: '~*', value: '/\\.git', status: 403 }],
    ['location ~ /x { deny all; return 404; }', { operator: '~', value: '/x', status: 404 }],
    [
      'location = /y { access_log off; return 200 "z"; }',
      { operator: '=', value: '/y', body: 'z' },
    ],
  ])('of a server: %s', (text, rule) => {
    const { rules, unknown } = understand(text, 'server');
    expect(unknown).toEqual([]);
    expect(rules).toEqual([expect.objectContaining({ variable: '$uri', ...rule })]);
  });

  test.each([
    'set $host x;',
    'set $a b; set $a c;',
    'if ($http_x) { set $a b; } proxy_set_header X $a;',
    'more_clear_input_headers "X: y";',
    'set $a "(((("; if ($uri ~ $a) { return 403; }',
    'sub_filter $a b;',
    'sub_filter_once maybe;',
    'rewrite ^/a /b last;',
    'if ($a = b) { proxy_set_header X-A b; }',
    'access_by_lua_block { ngx.exit(403) }',
    'location = /x { proxy_pass http://y; }',
    'return 200',
    'more_set_headers "X-A: b',
    '} server { listen 81;',
    'if ($nobody_knows = 1) { return 403; }',
    'return 302 https://x/$nobody_knows;',
    'proxy_set_header X-A $nobody_knows;',
    'more_set_headers "X-A: $nobody_knows";',
    'add_header "a b" c;',
    'proxy_set_header X: y;',
    'add_header X-A "a\rb";',
    'proxy_hide_header "a b";',
    'rewrite ^/(a(?=b) /b break;',
    'if ($uri ~ "(((") { return 403; }',
  ])('not understood: %s', (text) => {
    expect(understand(text, 'location').unknown).not.toEqual([]);
  });

  test('any text is understood, or said not to be', () => {
    const words = fc.constantFrom('if', '($a', '=', ')', '{', '}', ';', '"', "'", '#', '\n', 'x');
    const texts = fc.oneof(
      fc.string(),
      fc.array(words).map((list) => list.join(' ')),
    );
    fc.assert(fc.property(texts, (text) => Array.isArray(understand(text, 'server').unknown)));
  });
});
