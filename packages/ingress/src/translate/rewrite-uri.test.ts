import { expect, test } from 'vitest';
import { rewriteTemplate } from './rewrite-uri.ts';

test.each([
  ['/plain', { template: '/plain' }],
  ['/$1/x$23', { template: '/$(uri_captures[1])/x$(uri_captures[23])' }],
  ['/\\$1', { template: '/$1' }],
  ['/é$1', { template: '/é$(uri_captures[1])' }],
  ['/\\', { error: 'unexpected end of string' }],
  ['/\\x', { error: 'unexpected x at pos 2' }],
  ['/é\\x', { error: 'unexpected x at pos 4' }],
  ['/$', { error: 'unexpected end of string' }],
  ['/$x', { error: 'unexpected x at pos 2' }],
])('%s', (uri, result) => {
  expect(rewriteTemplate(uri)).toEqual(result);
});
