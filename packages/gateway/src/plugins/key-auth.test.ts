import { failed, type Row, rowTime, testRows } from '../testing/plugin-rows.ts';

const now = rowTime;
const key = (config: object) => [{ name: 'key-auth', config }];
const refused = (message: string, realm = 'Key') => ({
  status: 401,
  headers: { 'www-authenticate': realm },
  body: failed(message),
});
const ann = {
  'x-consumer-id': 'a0000000-0000-4000-8000-000000000001',
  'x-consumer-username': 'ann',
  'x-consumer-custom-id': 'c-1',
};
const guest = {
  'x-consumer-id': 'a0000000-0000-4000-8000-000000000002',
  'x-consumer-username': 'guest',
  'x-anonymous-consumer': 'true',
};
const withKey = { ...ann, 'x-credential-identifier': 'a0000000-0000-4000-8000-0000000000a1' };
const form = 'application/x-www-form-urlencoded';
const json = 'application/json';

const keyAuthRows: Row[] = [
  {
    what: 'a key in a header',
    plugins: key({}),
    ask: { headers: { apikey: 'k' } },
    seen: { upstream: { headers: { apikey: 'k', ...withKey } } },
  },
  {
    what: 'a key in the query',
    plugins: key({}),
    ask: { path: '/p?a=1&apikey=k' },
    seen: { upstream: { url: '/p?a=1&apikey=k', headers: withKey } },
  },
  {
    what: 'a key under the second of its names, hidden in the query',
    plugins: key({ key_names: ['x-a', 'x-b'], hide_credentials: true }),
    ask: { path: '/p?a=1&x-b=k' },
    seen: { upstream: { url: '/p?a=1', headers: withKey } },
  },
  {
    what: 'a key that was all of the query, hidden',
    plugins: key({ hide_credentials: true }),
    ask: { path: '/p?apikey=k' },
    seen: { upstream: { url: '/p', headers: withKey } },
  },
  {
    what: 'a key in a header, hidden',
    plugins: key({ hide_credentials: true }),
    ask: { headers: { apikey: 'k', other: 'o' } },
    seen: { upstream: { headers: { other: 'o', ...withKey } } },
  },
  {
    what: 'a header that may not hold the key',
    plugins: key({ key_in_header: false }),
    ask: { headers: { apikey: 'k' } },
    seen: refused('No API key found in request'),
  },
  {
    what: 'a query that may not hold the key',
    plugins: key({ key_in_query: false }),
    ask: { path: '/?apikey=k' },
    seen: refused('No API key found in request'),
  },
  {
    what: 'two keys in a header',
    plugins: key({}),
    ask: { headers: { apikey: ['k', 'k'] } },
    seen: refused('No API key found in request'),
  },
  {
    what: 'an empty key',
    plugins: key({}),
    ask: { headers: { apikey: '' } },
    seen: refused('No API key found in request'),
  },
  {
    what: 'a key that nobody has, in a realm',
    plugins: key({ realm: 'shop' }),
    ask: { headers: { apikey: 'x' } },
    seen: refused('Unauthorized', 'Key realm="shop"'),
  },
  {
    what: 'a body that is not looked at',
    plugins: key({}),
    ask: { method: 'POST', body: 'apikey=k', headers: { 'content-type': form } },
    seen: refused('No API key found in request'),
  },
  {
    what: 'a key in a form',
    plugins: key({ key_in_body: true }),
    ask: { method: 'POST', body: 'a=1&apikey=k', headers: { 'content-type': form } },
    seen: { upstream: { method: 'POST', body: 'a=1&apikey=k', headers: withKey } },
  },
  {
    what: 'a key in JSON',
    plugins: key({ key_in_body: true }),
    ask: { method: 'POST', body: '{"apikey":"k"}', headers: { 'content-type': json } },
    seen: { upstream: { method: 'POST', body: '{"apikey":"k"}', headers: withKey } },
  },
  {
    what: 'JSON whose key is no text',
    plugins: key({ key_in_body: true }),
    ask: { method: 'POST', body: '{"apikey":1}', headers: { 'content-type': json } },
    seen: refused('No API key found in request'),
  },
  {
    what: 'what is no JSON',
    plugins: key({ key_in_body: true }),
    ask: { method: 'POST', body: '{apikey', headers: { 'content-type': json } },
    seen: refused('No API key found in request'),
  },
  {
    what: 'a body of another type',
    plugins: key({ key_in_body: true }),
    ask: { method: 'POST', body: 'apikey=k', headers: { 'content-type': 'text/plain' } },
    seen: refused('No API key found in request'),
  },
  {
    what: 'a preflight, which needs no key if it is told so',
    plugins: key({ run_on_preflight: false }),
    ask: { method: 'OPTIONS' },
    seen: { upstream: { method: 'OPTIONS' } },
  },
  {
    what: 'a preflight, which needs a key else',
    plugins: key({}),
    ask: { method: 'OPTIONS' },
    seen: refused('No API key found in request'),
  },
  {
    what: 'a key that has run out',
    plugins: key({}),
    ask: { headers: { apikey: 'late' } },
    seen: refused('Unauthorized'),
  },
  {
    what: 'a stranger who may come in',
    plugins: key({ anonymous: 'guest' }),
    ask: { headers: { 'x-consumer-custom-id': 'mine', 'x-credential-identifier': 'mine' } },
    seen: {
      upstream: {
        headers: guest,
      },
    },
  },
  {
    what: 'a body in chunks that is too long to look for a key in, of a stranger who may come in',
    plugins: key({ key_in_body: true, anonymous: 'guest' }),
    ask: {
      method: 'POST',
      body: `apikey=k&more=${'x'.repeat(1_024 * 1_024)}`,
      isChunked: true,
      headers: { 'content-type': form },
    },
    seen: {
      upstream: {
        method: 'POST',
        body: `apikey=k&more=${'x'.repeat(1_024 * 1_024)}`,
        headers: guest,
      },
    },
  },
];

const acl = (config: object) => [...key({}), { name: 'acl', config }];
const closed = { status: 403, body: failed('You cannot consume this service') };
const aclRows: Row[] = [
  {
    what: 'one of the groups that are let in',
    plugins: acl({ allow: ['staff', 'none'] }),
    ask: { headers: { apikey: 'k' } },
    seen: {
      upstream: { headers: { apikey: 'k', ...withKey, 'x-consumer-groups': 'staff, shop' } },
    },
  },
  {
    what: 'groups that are not told',
    plugins: acl({ allow: ['shop'], hide_groups_header: true }),
    ask: { headers: { apikey: 'k' } },
    seen: { upstream: { headers: { apikey: 'k', ...withKey } } },
  },
  {
    what: 'none of the groups that are let in',
    plugins: acl({ allow: ['none'] }),
    ask: { headers: { apikey: 'k' } },
    seen: closed,
  },
  {
    what: 'a group that is kept out',
    plugins: acl({ deny: ['shop'] }),
    ask: { headers: { apikey: 'k' } },
    seen: closed,
  },
  {
    what: 'no group that is kept out',
    plugins: acl({ deny: ['none'] }),
    ask: { headers: { apikey: 'k' } },
    seen: {
      upstream: { headers: { apikey: 'k', ...withKey, 'x-consumer-groups': 'staff, shop' } },
    },
  },
  {
    what: 'nobody',
    plugins: [{ name: 'acl', config: { allow: ['staff'] } }],
    seen: { status: 401, body: failed('Unauthorized') },
  },
];

const consumers = [
  {
    id: ann['x-consumer-id'],
    username: 'ann',
    custom_id: 'c-1',
    keyauth_credentials: [
      { id: withKey['x-credential-identifier'], key: 'k' },
      { key: 'late', ttl: 60, created_at: now / 1_000 - 61 },
    ],
    acls: [{ group: 'staff' }, { group: 'shop' }],
  },
  { id: 'a0000000-0000-4000-8000-000000000002', username: 'guest' },
];

testRows(
  [
    ['key-auth', keyAuthRows],
    ['acl', aclRows],
  ],
  { consumers },
);
