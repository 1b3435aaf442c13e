import type { Ask } from '../testing/plugin-gateway.ts';
import { failed, type Row, testRows } from '../testing/plugin-rows.ts';

const form = 'application/x-www-form-urlencoded';
const json = 'application/json';
const change = (config: object) => [{ name: 'request-transformer', config }];
const posted = (type: string, body: string): Ask => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
});
const headersAsk: Ask = { headers: { a: '1', b: '2' } };
const queryAsk: Ask = { path: '/p?a=1&b=2&b=3' };
/** Fields are changed in this order: removed, renamed, replaced, added, appended. */
const all = (part: string) => ({
  remove: { [part]: ['a', 'none'] },
  rename: { [part]: ['b:c', 'none:d'] },
  replace: { [part]: ['c:x', 'none:y'] },
  add: { [part]: ['c:z', 'e:new'] },
  append: { [part]: ['e:more', 'f:first'] },
});

const requestRows: Row[] = [
  {
    what: 'headers, in all ways',
    plugins: change(all('headers')),
    ask: headersAsk,
    seen: { upstream: { headers: { c: 'x', e: 'new, more', f: 'first' } } },
  },
  {
    what: 'headers that are removed',
    plugins: change({ remove: { headers: ['A'] } }),
    ask: headersAsk,
    seen: { upstream: { headers: { b: '2' } } },
  },
  {
    what: 'a header that is renamed onto another',
    plugins: change({ rename: { headers: ['a:b'] } }),
    ask: headersAsk,
    seen: { upstream: { headers: { b: '1' } } },
  },
  {
    what: 'a header that is replaced, or not there',
    plugins: change({ replace: { headers: ['a:x:y', 'c:z'] } }),
    ask: headersAsk,
    seen: { upstream: { headers: { a: 'x:y', b: '2' } } },
  },
  {
    what: 'a header that is added, or there',
    plugins: change({ add: { headers: ['a:x', 'c:z', 'host:h'] } }),
    ask: headersAsk,
    seen: { upstream: { headers: { a: '1', b: '2', c: 'z' } } },
  },
  {
    what: 'a header that is appended',
    plugins: change({ append: { headers: ['a:x', 'c:y', 'host:h'] } }),
    ask: headersAsk,
    seen: { upstream: { headers: { a: '1, x', b: '2', c: 'y' } } },
  },
  {
    what: 'templates in headers',
    plugins: change({
      add: {
        headers: [
          'c:$(headers.a)-$(query_params.q)',
          'd:$(headers["b"]:upper())',
          'e:$(uri_captures[1] or "none")',
        ],
      },
    }),
    ask: { path: '/?q=w', headers: { a: '1', b: 'x' } },
    seen: { upstream: { url: '/?q=w', headers: { a: '1', b: 'x', c: '1-w', d: 'X', e: 'none' } } },
  },
  {
    what: 'a query, in all ways',
    plugins: change(all('querystring')),
    ask: queryAsk,
    seen: { upstream: { url: '/p?c=x&e=new&e=more&f=first' } },
  },
  {
    what: 'a query of which nothing is left',
    plugins: change({ remove: { querystring: ['a', 'b'] } }),
    ask: queryAsk,
    seen: { upstream: { url: '/p' } },
  },
  {
    what: 'arguments that are replaced or added',
    plugins: change({
      replace: { querystring: ['a:9', 'n:1'] },
      add: { querystring: ['a:8', 'm:ü '] },
    }),
    ask: queryAsk,
    seen: { upstream: { url: '/p?b=2&b=3&a=9&m=%C3%BC%20' } },
  },
  {
    what: 'the method',
    plugins: change({ http_method: 'PATCH' }),
    seen: { upstream: { method: 'PATCH' } },
  },
  {
    what: 'the path',
    plugins: change({ replace: { uri: '/new path/$(query_params.a)' } }),
    ask: { path: '/old?a=1' },
    seen: { upstream: { url: '/new%20path/1?a=1' } },
  },
  {
    what: 'a path that does not start with a slash',
    plugins: change({ replace: { uri: '$(headers.a)' } }),
    ask: headersAsk,
    seen: { status: 500, body: failed('An unexpected error occurred') },
  },
  {
    what: 'JSON, in all ways',
    plugins: change(all('body')),
    ask: posted(json, '{"a":1,"b":{"n":2},"g":[1]}'),
    seen: {
      upstream: {
        method: 'POST',
        body: '{"g":[1],"c":"x","e":["new","more"],"f":"first"}',
      },
    },
  },
  {
    what: 'JSON to whose list something is appended',
    plugins: change({ append: { body: ['g:2'] } }),
    ask: posted('Application/JSON; charset=utf-8', '{"g":[1]}'),
    seen: { upstream: { method: 'POST', body: '{"g":[1,"2"]}' } },
  },
  {
    what: 'JSON that is a list',
    plugins: change(all('body')),
    ask: posted(json, '[1]'),
    seen: { upstream: { method: 'POST', body: '[1]' } },
  },
  {
    what: 'what is no JSON',
    plugins: change(all('body')),
    ask: posted(json, '{'),
    seen: { upstream: { method: 'POST', body: '{' } },
  },
  {
    what: 'a form, in all ways',
    plugins: change(all('body')),
    ask: posted(form, 'a=1&b=2&g=3'),
    seen: { upstream: { method: 'POST', body: 'g=3&c=x&e=new&e=more&f=first' } },
  },
  {
    what: 'a body of another type',
    plugins: change(all('body')),
    ask: posted('text/plain', 'a=1'),
    seen: { upstream: { method: 'POST', body: 'a=1' } },
  },
  {
    what: 'a form in parts, to which nothing is appended',
    plugins: change(all('body')),
    ask: posted(
      'multipart/form-data; boundary=X',
      '--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--X\r\nContent-Disposition: form-data; name="b"\r\n\r\n2\r\n--X--\r\n',
    ),
    seen: {
      upstream: {
        method: 'POST',
        body: '--X\r\nContent-Disposition: form-data; name="c"\r\n\r\nx\r\n--X\r\nContent-Disposition: form-data; name="e"\r\n\r\nnew\r\n--X--\r\n',
      },
    },
  },
  { what: 'no body', plugins: change(all('body')), seen: { upstream: {} } },
];

const answer = (config: object) => [{ name: 'response-transformer', config }];
const given = '{"a":1,"b":{"n":2},"g":[1]}';
const upHeaders = { 'x-a': '1', 'x-b': '2', 'x-two': 'p, q' };
const seenJson = (body: string, headers: object = upHeaders) => ({
  body,
  headers: headers as Record<string, string>,
  upstream: { url: '/json' },
});
const jsonAsk: Ask = { path: '/json' };

const responseRows: Row[] = [
  {
    what: 'headers, in all ways',
    plugins: answer({
      remove: { headers: ['x-a', 'x-two:p'] },
      rename: { headers: ['x-b:x-c', 'x-none:x-d'] },
      replace: { headers: ['x-c:new', 'x-none:y'] },
      add: { headers: ['x-c:z', 'x-e:1:2'] },
      append: { headers: ['x-e:more'] },
    }),
    ask: jsonAsk,
    seen: seenJson(given, { 'x-two': 'q', 'x-c': 'new', 'x-e': '1:2, more' }),
  },
  {
    what: 'JSON, in all ways',
    plugins: answer({
      remove: { json: ['a'] },
      rename: { json: ['b:c'] },
      replace: { json: ['c:true', 'none:1'], json_types: ['boolean', 'string'] },
      add: { json: ['c:1', 'e:5'], json_types: ['number', 'number'] },
      append: { json: ['e:no', 'g:x'], json_types: ['boolean', 'number'] },
    }),
    ask: jsonAsk,
    seen: seenJson('{"g":[1,"x"],"c":true,"e":[5,false]}'),
  },
  {
    what: 'JSON without types',
    plugins: answer({ add: { json: ['e:5'] } }),
    ask: jsonAsk,
    seen: seenJson('{"a":1,"b":{"n":2},"g":[1],"e":"5"}'),
  },
  {
    what: 'an answer of another type',
    plugins: answer({ add: { json: ['e:5'] } }),
    seen: { headers: upHeaders, upstream: {} },
  },
  {
    what: 'JSON that is a list',
    plugins: answer({ add: { json: ['e:5'] } }),
    ask: { path: '/list' },
    seen: { body: '[1]', headers: upHeaders, upstream: { url: '/list' } },
  },
  {
    what: 'what is no JSON',
    plugins: answer({ add: { json: ['e:5'] } }),
    ask: { path: '/broken' },
    seen: { body: '{', headers: upHeaders, upstream: { url: '/broken' } },
  },
];

const id = (config: object) => [{ name: 'correlation-id', config }];
const correlationRows: Row[] = [
  {
    what: 'the id that came, told to both sides',
    plugins: id({ header_name: 'x-id', echo_downstream: true }),
    ask: { headers: { 'x-id': 'mine' } },
    seen: { headers: { ...upHeaders, 'x-id': 'mine' }, upstream: { headers: { 'x-id': 'mine' } } },
  },
  {
    what: 'the id that came, told to the upstream',
    plugins: id({ header_name: 'x-id' }),
    ask: { headers: { 'x-id': 'mine' } },
    seen: { headers: upHeaders, upstream: { headers: { 'x-id': 'mine' } } },
  },
];

const bodies: Readonly<Record<string, string>> = { '/json': given, '/list': '[1]', '/broken': '{' };

testRows(
  [
    ['request-transformer', requestRows.map(withUpstreamHeaders)],
    ['response-transformer', responseRows],
    ['correlation-id', correlationRows],
  ],
  {},
  ({ url }) => {
    const body = bodies[url];
    const type = body === undefined ? 'text/plain' : 'application/vnd.x+json';
    return {
      ...(body === undefined ? {} : { body }),
      headers: { 'x-a': '1', 'x-b': '2', 'x-two': ['p', 'q'], 'Content-Type': type },
    };
  },
);

/** What the upstream of this file says in its head. */
function withUpstreamHeaders(row: Row): Row {
  return row.seen.upstream === undefined
    ? row
    : { ...row, seen: { headers: upHeaders, ...row.seen } };
}
