import { describe, expect, test } from 'vitest';
import { errorBody, errorMessage } from './error-body.ts';
import { QueryArguments } from './query-arguments.ts';

describe('errors', () => {
  test.each([
    [undefined, 'json', 'application/json; charset=utf-8'],
    [undefined, 'text', 'text/plain; charset=utf-8'],
    ['*/*', 'text', 'application/json; charset=utf-8'],
    ['application/*', 'text', 'application/json; charset=utf-8'],
    ['application/json', 'text', 'application/json; charset=utf-8'],
    ['image/png', 'text', 'application/json; charset=utf-8'],
    ['text/html', 'json', 'text/html; charset=utf-8'],
    ['text/*', 'json', 'text/html; charset=utf-8'],
    ['TEXT/PLAIN', 'json', 'text/plain; charset=utf-8'],
    ['text/xml', 'json', 'application/xml; charset=utf-8'],
    ['application/xml', 'json', 'application/xml; charset=utf-8'],
    ['text/plain, text/html', 'json', 'text/plain; charset=utf-8'],
    ['text/plain;q=0.5, text/html', 'json', 'text/html; charset=utf-8'],
    ['text/plain; a=b; q=0.5, text/html ;q=0.4', 'json', 'text/plain; charset=utf-8'],
    ['text/html;q=no, text/plain;q=0.1', 'json', 'text/plain; charset=utf-8'],
  ] as const)('Accept: %s, else %s: %s', (accept, fallback, type) => {
    expect(errorBody('m', 'id', accept, fallback).contentType).toBe(type);
  });

  test.each([
    ['application/json', '{\n  "message":"a \\"<b>\\" & c",\n  "request_id":"id"\n}'],
    ['text/plain', 'a "<b>" & c\nrequest_id: id\n'],
    [
      'application/xml',
      '<?xml version="1.0" encoding="UTF-8"?>\n<error>\n  <message>a &quot;&lt;b&gt;&quot; &amp; c</message>\n  <requestid>id</requestid>\n</error>\n',
    ],
    [
      'text/html',
      '<!doctype html>\n<html>\n  <head>\n    <meta charset="utf-8">\n    <title>Error</title>\n  </head>\n  <body>\n    <h1>Error</h1>\n    <p>a &quot;&lt;b&gt;&quot; &amp; c.</p>\n    <p>request_id: id</p>\n  </body>\n</html>\n',
    ],
  ])('%s', (accept, text) => {
    expect(errorBody('a "<b>" & c', 'id', accept).text).toBe(text);
  });

  test('have the words of Kong', () => {
    const statuses = [400, 401, 404, 405, 408, 411, 412, 413, 414, 417, 426, 494, 500, 502, 503];
    expect(statuses.map(errorMessage)).toEqual([
      'Bad request',
      'Unauthorized',
      'Not found',
      'Method not allowed',
      'Request timeout',
      'Length required',
      'Precondition failed',
      'Payload too large',
      'URI too long',
      'Expectation failed',
      'Upgrade required',
      'Request header or cookie too large',
      'An unexpected error occurred',
      'An invalid response was received from the upstream server',
      'The upstream server is currently unavailable',
    ]);
    expect(errorMessage(504)).toBe('The upstream server is timing out');
    expect(errorMessage(418)).toBe('An unexpected error occurred');
  });
});

describe('arguments', () => {
  const of = (text: string) => new QueryArguments(text);
  test.each([
    ['', []],
    ['a', [['a', undefined]]],
    ['a=', [['a', '']]],
    [
      'a=1&b=2&a=3',
      [
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
      ],
    ],
    ['a+b=c+d', [['a b', 'c d']]],
    [
      '%61=%C3%BC&x=%zz',
      [
        ['a', 'ü'],
        ['x', '%zz'],
      ],
    ],
    ['a=b=c', [['a', 'b=c']]],
  ])('%s', (text, entries) => {
    expect([...of(text).entries()]).toEqual(entries);
  });

  test('are found, set, added, renamed and removed', () => {
    const list = of('a=1&b=2&a=3');
    expect([list.get('a'), list.getAll('a'), list.has('b'), list.has('c')]).toEqual([
      '1',
      ['1', '3'],
      true,
      false,
    ]);
    list.rename('b', 'c');
    list.set('a', '9');
    list.add('d', 'x y');
    expect([...list.entries()].sort()).toEqual([
      ['a', '9'],
      ['c', '2'],
      ['d', 'x y'],
    ]);
    list.remove('a');
    list.remove('c');
    expect(list.toString()).toBe('d=x%20y');
  });
});
