import { createHmac } from 'node:crypto';
import { pluginNames } from '@waygate/kong';
import { describe, expect, test } from 'vitest';
import { ingress, kong, object, ours, plugin } from '../ingress/kind-row.ts';
import { crossingSuite, type Exchange, type Row } from './row.ts';

const protectedIngress = ingress('example.com', { 'konghq.com/plugins': 'p' });
const used = (name: string, config: object = {}) => [protectedIngress, plugin('p', name, config)];

/** A consumer with one credential. */
function consumer(type: string, fields: Readonly<Record<string, string>>, groups: string[] = []) {
  const labels = { 'konghq.com/credential': type };
  const secrets = [object('v1', 'Secret', 'c', { stringData: fields }, { labels })];
  const acls = groups.map((group) =>
    object(
      'v1',
      'Secret',
      `acl-${group}`,
      { stringData: { group } },
      { labels: { 'konghq.com/credential': 'acl' } },
    ),
  );
  const credentials = ['c', ...groups.map((group) => `acl-${group}`)];
  return [
    ...secrets,
    ...acls,
    object(
      `${kong}/v1`,
      'KongConsumer',
      'ann',
      { username: 'ann', custom_id: 'id-of-ann', credentials },
      { annotations: ours },
    ),
  ];
}

const refused = (status: number, more: Partial<Exchange> = {}): Exchange => ({
  status,
  sees: 'none',
  ...more,
});
const asAnn = { 'x-consumer-username': 'ann', 'x-consumer-custom-id': 'id-of-ann' };
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function token(secret: string): string {
  const text = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ iss: 'ann-key' })}`;
  return `Bearer ${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

function hmacHeaders(secret: string): Record<string, string> {
  const date = new Date().toUTCString();
  const signature = createHmac('sha256', secret).update(`date: ${date}`).digest('base64');
  return {
    Date: date,
    Authorization: `hmac username="ann", algorithm="hmac-sha256", headers="date", signature="${signature}"`,
  };
}

const reportsTo: Readonly<Record<string, object>> = {
  opentelemetry: { traces_endpoint: 'http://127.0.0.1:9/v1/traces' },
  'http-log': { http_endpoint: 'http://127.0.0.1:9/log' },
  'tcp-log': { host: '127.0.0.1', port: 9 },
  'file-log': { path: '/dev/null' },
};

const authRows: readonly Row[] = [
  {
    name: 'key-auth',
    objects: [
      ...used('key-auth', { hide_credentials: true }),
      ...consumer('key-auth', { key: 'k' }),
    ],
    asks: [
      refused(401),
      refused(401, { headers: { apikey: 'wrong' } }),
      { headers: { apikey: 'k' }, sees: { headers: { ...asAnn, apikey: null } } },
      { path: '/?apikey=k&a=b', sees: { url: '/?a=b', headers: asAnn } },
    ],
  },
  {
    name: 'basic-auth',
    objects: [
      ...used('basic-auth'),
      ...consumer('basic-auth', { username: 'ann', password: 'pw' }),
    ],
    asks: [
      refused(401, { gets: { 'www-authenticate': /^Basic/ } }),
      refused(401, { headers: { Authorization: basic('ann:no') } }),
      { headers: { Authorization: basic('ann:pw') }, sees: { headers: asAnn } },
    ],
  },
  {
    name: 'jwt',
    objects: [
      ...used('jwt'),
      ...consumer('jwt', { key: 'ann-key', secret: 's3cret', algorithm: 'HS256' }),
    ],
    asks: [
      refused(401),
      refused(401, { headers: { Authorization: token('other') } }),
      { headers: { Authorization: token('s3cret') }, sees: { headers: asAnn } },
    ],
  },
  {
    name: 'hmac-auth',
    objects: [
      ...used('hmac-auth'),
      ...consumer('hmac-auth', { username: 'ann', secret: 's3cret' }),
    ],
    asks: [
      refused(401),
      refused(401, { headers: hmacHeaders('other') }),
      { headers: hmacHeaders('s3cret'), sees: { headers: asAnn } },
    ],
  },
  {
    name: 'oauth2',
    objects: [
      ...used('oauth2', { enable_client_credentials: true, provision_key: 'p' }),
      ...consumer('oauth2', {
        name: 'app',
        client_id: 'id',
        client_secret: 'secret',
        redirect_uris: 'http://app.test/',
      }),
    ],
    asks: [refused(401, { headers: { Authorization: 'Bearer made-up' } })],
  },
  {
    name: 'acl',
    objects: [
      ingress('example.com', { 'konghq.com/plugins': 'auth,p' }),
      plugin('auth', 'key-auth', {}),
      plugin('p', 'acl', { allow: ['gold'] }),
      ...consumer('key-auth', { key: 'k' }, ['gold']),
    ],
    asks: [
      refused(401),
      { headers: { apikey: 'k' }, sees: { headers: { 'x-consumer-groups': 'gold' } } },
    ],
  },
  {
    name: 'acl for others',
    objects: [
      ingress('example.com', { 'konghq.com/plugins': 'auth,p' }),
      plugin('auth', 'key-auth', {}),
      plugin('p', 'acl', { allow: ['silver'] }),
      ...consumer('key-auth', { key: 'k' }, ['gold']),
    ],
    asks: [refused(403, { headers: { apikey: 'k' } })],
  },
  {
    name: 'session',
    objects: [
      ingress('example.com', { 'konghq.com/plugins': 'auth,p' }),
      plugin('auth', 'key-auth', {}),
      plugin('p', 'session', { secret: 'a-secret-for-cookies', cookie_secure: false }),
      ...consumer('key-auth', { key: 'k' }),
    ],
    asks: [refused(401), { headers: { apikey: 'k' }, gets: { 'set-cookie': /^session=/ } }],
  },
  {
    name: 'ip-restriction',
    objects: used('ip-restriction', { deny: ['127.0.0.0/8'] }),
    asks: [refused(403)],
  },
  {
    name: 'bot-detection',
    objects: used('bot-detection', { deny: ['^evil'] }),
    asks: [refused(403, { headers: { 'User-Agent': 'evil-bot' } }), { sees: {} }],
  },
];

const trafficRows: readonly Row[] = [
  {
    name: 'rate-limiting',
    objects: used('rate-limiting', { hour: 2, policy: 'local' }),
    asks: [
      { sees: {}, gets: { 'x-ratelimit-remaining-hour': '1', 'ratelimit-limit': '2' } },
      { sees: {} },
      refused(429, { gets: { 'retry-after': /^\d+$/ } }),
    ],
  },
  {
    name: 'response-ratelimiting',
    objects: used('response-ratelimiting', { limits: { videos: { hour: 1 } }, policy: 'local' }),
    asks: [{ sees: {}, gets: { 'x-ratelimit-limit-videos-hour': '1' } }, { status: 429 }],
  },
  {
    name: 'request-size-limiting',
    objects: used('request-size-limiting', { allowed_payload_size: 4, size_unit: 'bytes' }),
    asks: [
      { method: 'POST', body: 'four', sees: { body: 'four' } },
      refused(413, { method: 'POST', body: 'fives' }),
    ],
  },
  {
    name: 'request-termination',
    objects: used('request-termination', { status_code: 503, message: 'closed' }),
    asks: [refused(503, { says: /closed/ })],
  },
  {
    name: 'redirect',
    objects: used('redirect', {
      status_code: 308,
      location: 'https://other.test',
      keep_incoming_path: true,
    }),
    asks: [refused(308, { path: '/a?b=c', gets: { location: 'https://other.test/a?b=c' } })],
  },
  {
    name: 'cors',
    objects: used('cors', { origins: ['https://app.test'], methods: ['GET'], credentials: true }),
    asks: [
      {
        headers: { Origin: 'https://app.test' },
        sees: {},
        gets: { 'access-control-allow-origin': 'https://app.test' },
      },
      refused(200, {
        method: 'OPTIONS',
        headers: { Origin: 'https://app.test', 'Access-Control-Request-Method': 'GET' },
        gets: { 'access-control-allow-methods': 'GET' },
      }),
    ],
  },
  {
    name: 'proxy-cache',
    objects: used('proxy-cache', { strategy: 'memory', content_type: ['application/json'] }),
    asks: [
      { path: '/c', sees: { url: '/c' }, gets: { 'x-cache-status': 'Miss' } },
      { path: '/c', sees: 'none', gets: { 'x-cache-status': 'Hit' } },
    ],
  },
  {
    name: 'correlation-id',
    objects: used('correlation-id', { header_name: 'X-Id', echo_downstream: true }),
    asks: [
      {
        headers: { 'X-Id': 'mine' },
        sees: { headers: { 'x-id': 'mine' } },
        gets: { 'x-id': 'mine' },
      },
      { sees: { headers: { 'x-id': /./ } } },
    ],
  },
  {
    name: 'response-transformer',
    objects: used('response-transformer', {
      remove: { headers: ['X-Two'], json: ['a'] },
      rename: { headers: ['X-Backend:X-From'] },
      replace: { json: ['b:3'], json_types: ['number'] },
      add: { headers: ['X-Added:1'], json: ['c:true'], json_types: ['boolean'] },
      append: { headers: ['X-Added:2'] },
    }),
    asks: [
      {
        gets: { 'x-two': null, 'x-backend': null, 'x-from': 'one', 'x-added': '1, 2' },
        says: /^\{"by":"one","b":3,"c":true\}$/,
      },
    ],
  },
  {
    name: 'grpc-web',
    objects: used('grpc-web'),
    asks: [refused(400, { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'x' })],
  },
  ...['prometheus', 'opentelemetry', 'http-log', 'tcp-log', 'file-log'].map((name) => ({
    name,
    // Where it reports to is not there: a request is served all the same.
    objects: used(name, reportsTo[name]),
    asks: [{ sees: {} }],
  })),
];

const transformerRow: Row = {
  name: 'request-transformer',
  objects: used('request-transformer', { add: { headers: ['X-Added:1'] } }),
  asks: [{ sees: { headers: { 'x-added': '1' } } }],
};

const keys = { function_name: 'f', aws_region: 'eu-west-1', aws_key: 'k', aws_secret: 's' };

/** Those whose whole work is elsewhere: what they report to or ask is not there. */
const elsewhereRows: readonly Row[] = [
  ...['datadog', 'statsd', 'syslog'].map((name) => row(name, {}, { sees: {} })),
  row('loggly', { key: 'k', host: '127.0.0.1' }, { sees: {} }),
  row('udp-log', { host: '127.0.0.1', port: 9 }, { sees: {} }),
  row('zipkin', { http_endpoint: 'http://127.0.0.1:9/' }, { sees: {} }),
  row('pre-function', { access: ['kong.response.exit(418, "pre")'] }, refused(418)),
  row('post-function', { access: ['kong.response.exit(418, "post")'] }, refused(418)),
  row('aws-lambda', { ...keys, host: '127.0.0.1', port: 9, disable_https: true }, refused(500)),
  row(
    'azure-functions',
    { appname: '127', hostdomain: '0.0.1:9', https: false, functionname: 'f' },
    refused(500),
  ),
  row(
    'ldap-auth',
    { ldap_host: '127.0.0.1', ldap_port: 9, base_dn: 'd', attribute: 'a' },
    refused(401),
  ),
  row('standard-webhooks', { secret_v1: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, refused(400)),
];

function row(name: string, config: object, ask: Row['asks'][number]): Row {
  return { name, objects: used(name, config), asks: [ask] };
}

const rows = [...authRows, ...trafficRows, transformerRow, ...elsewhereRows];
crossingSuite('plugins', rows);

describe('plugins', () => {
  test('every one that Kong has is in a row, but for those of artificial intelligence', () => {
    // What is not run here is refused when it is configured; acme is about handshakes, and tested there.
    const names = new Set(['acme', 'grpc-gateway', ...rows.map(({ name }) => name)]);
    const missing = pluginNames().filter((name) => !names.has(name) && !name.startsWith('ai-'));
    expect(missing).toEqual([]);
  });
});
