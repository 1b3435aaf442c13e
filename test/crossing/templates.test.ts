import { ingress, plugin } from '../ingress/kind-row.ts';
import { crossingSuite, type Exchange, type Row } from './row.ts';

const used = (config: object, path = '/', pathType = 'Prefix') => [
  ingress('example.com', { 'konghq.com/plugins': 'p' }, { path, pathType }),
  plugin('p', 'request-transformer', config),
];
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const json = { 'Content-Type': 'application/json' };
const post = (headers: Exchange['headers'], body: string, arrives: string): Exchange => ({
  method: 'POST',
  headers: { ...headers },
  body,
  sees: { body: arrives, headers: { 'content-length': String(arrives.length) } },
});

const asBasic = `$((function()
  local value = headers.Authorization
  if not value then return end
  if value:sub(1, 6) == "Basic " then return value end
  return "Basic " .. value
end)())`;

/** What people write in request-transformer, and every list that it has. */
const rows: readonly Row[] = [
  {
    name: 'headers',
    objects: used({
      remove: { headers: ['X-Gone'] },
      rename: { headers: ['X-Old:X-New'] },
      replace: { headers: ['X-There:now', 'X-Not-There:now', 'Host:inner.test'] },
      add: { headers: ['X-There-Too:no', 'X-Added:a:b'] },
      append: { headers: ['X-List:2'] },
    }),
    asks: [
      {
        headers: {
          ...{ 'X-Gone': '1', 'X-Old': 'o', 'X-There': 'was', 'X-There-Too': 'was', 'X-List': '1' },
        },
        sees: {
          headers: {
            ...{ 'x-gone': null, 'x-old': null, 'x-new': 'o', 'x-there': 'now' },
            ...{ 'x-not-there': null, host: 'inner.test', 'x-there-too': 'was' },
            ...{ 'x-added': 'a:b', 'x-list': '1, 2' },
          },
        },
      },
    ],
  },
  {
    name: 'query',
    objects: used({
      remove: { querystring: ['gone'] },
      rename: { querystring: ['old:new'] },
      replace: { querystring: ['there:now', 'not-there:now'] },
      add: { querystring: ['there:no', 'added:1'] },
      append: { querystring: ['list:2'] },
    }),
    asks: [
      {
        path: '/?gone=1&old=o&there=was&list=1',
        sees: { url: '/?new=o&list=1&there=now&added=1&list=2' },
      },
    ],
  },
  {
    name: 'JSON body',
    objects: used({
      remove: { body: ['gone'] },
      rename: { body: ['old:new'] },
      replace: { body: ['there:$(headers["x-user"])'] },
      add: { body: ['added:é'] },
    }),
    asks: [
      post(
        { ...json, 'X-User': 'ann' },
        '{"gone":1,"old":2,"there":3}',
        Buffer.from('{"there":"ann","new":2,"added":"é"}').toString('latin1'),
      ),
    ],
  },
  {
    name: 'form body',
    objects: used({ remove: { body: ['gone'] }, add: { body: ['added:$(query_params.q)'] } }),
    asks: [{ ...post(form, 'gone=1&kept=2', 'kept=2&added=x+y'), path: '/?q=x%20y' }],
  },
  {
    name: 'method',
    objects: used({ http_method: 'PUT' }),
    asks: [{ method: 'POST', body: 'b', sees: { method: 'PUT', body: 'b' } }],
  },
  {
    name: 'fallbacks',
    objects: used(
      {
        add: {
          headers: ['X-User:$(uri_captures["user"] or query_params["user"] or "unknown")'],
        },
      },
      '/~/u(?:sers/(?<user>\\w+))?',
      'ImplementationSpecific',
    ),
    asks: [
      { path: '/users/ann', sees: { headers: { 'x-user': 'ann' } } },
      { path: '/u?user=joe', sees: { headers: { 'x-user': 'joe' } } },
      { path: '/u', sees: { headers: { 'x-user': 'unknown' } } },
    ],
  },
  {
    name: 'a function on the spot',
    objects: used({ replace: { headers: [`Authorization:${asBasic}`] } }),
    asks: [
      { headers: { Authorization: 'dTpw' }, sees: { headers: { authorization: 'Basic dTpw' } } },
      { headers: { Authorization: 'Basic x' }, sees: { headers: { authorization: 'Basic x' } } },
      { sees: { headers: { authorization: null } } },
    ],
  },
  {
    name: 'string methods in a path',
    objects: used({ replace: { uri: '/t/$((headers.host:gsub("%.", "-")):upper())' } }),
    asks: [{ path: '/x?y=z', sees: { url: '/t/EXAMPLE-COM?y=z' } }],
  },
  {
    name: 'a header that came twice',
    objects: used({
      add: { headers: ['X-First:$(type(headers.x) == "table" and headers.x[1] or headers.x)'] },
    }),
    asks: [
      { headers: { X: ['a', 'b'] }, sees: { headers: { 'x-first': 'a' } } },
      { headers: { X: 'c' }, sees: { headers: { 'x-first': 'c' } } },
    ],
  },
  {
    name: 'line ends do not get through',
    objects: used({ add: { headers: ['X-Q:$(query_params.q)'] } }),
    asks: [
      {
        path: '/?q=a%0D%0AX-Evil:%201',
        sees: { headers: { 'x-evil': null, 'x-q': /^a +X-Evil: 1$/ } },
      },
    ],
  },
  {
    name: 'an expression that fails',
    objects: used({ add: { headers: ['X-A:$(headers.absent:upper())'] } }),
    asks: [
      { status: 500, sees: 'none' },
      { headers: { absent: 'no' }, sees: { headers: { 'x-a': 'NO' } } },
    ],
  },
];

crossingSuite('templates', rows);
