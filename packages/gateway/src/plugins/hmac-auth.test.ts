import { createHash, createHmac } from 'node:crypto';
import type { Ask } from '../testing/plugin-gateway.ts';
import { failed, type Row, rowTime, testRows } from '../testing/plugin-rows.ts';

const now = rowTime;
const date = new Date(now).toUTCString();
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

const signed = (
  text: string,
  { algorithm = 'hmac-sha256', headers = 'date', secret = 's', user = 'h' } = {},
) => {
  const hash = algorithm.slice(5);
  const mac = createHmac(hash, secret).update(text).digest('base64');
  return `hmac username="${user}", algorithm="${algorithm}", headers="${headers}", signature="${mac}"`;
};
const hmac = (config: object) => [{ name: 'hmac-auth', config }];
const withHmac = { ...ann, 'x-credential-identifier': 'h' };
const badHmac = (message: string, realm = 'hmac') => refused(message, realm);
const digest = (body: string) => `SHA-256=${createHash('sha256').update(body).digest('base64')}`;
const unverified = 'HMAC signature cannot be verified';
const undated = `${unverified}, a valid date or x-date header is required for HMAC Authentication`;
const hmacRows: Row[] = [
  { what: 'nothing', plugins: hmac({}), seen: badHmac('Unauthorized') },
  {
    what: 'nothing, in a realm',
    plugins: hmac({ realm: 'r' }),
    seen: badHmac('Unauthorized', 'hmac realm="r"'),
  },
  {
    what: 'the date',
    plugins: hmac({ hide_credentials: true }),
    ask: { headers: { date, authorization: signed(`date: ${date}`) } },
    seen: { upstream: { headers: withHmac } },
  },
  {
    what: 'the date, by another name',
    plugins: hmac({ hide_credentials: true }),
    ask: {
      headers: {
        'x-date': date,
        authorization: signed(`x-date: ${date}`, { headers: 'x-date' }),
      },
    },
    seen: { upstream: { headers: { 'x-date': date, ...withHmac } } },
  },
  {
    what: 'no date',
    plugins: hmac({}),
    ask: { headers: { authorization: signed('x: y', { headers: 'x' }) } },
    seen: badHmac(undated),
  },
  {
    what: 'a date that is as late as may be',
    plugins: hmac({ clock_skew: 10, hide_credentials: true }),
    ask: {
      headers: {
        'x-date': new Date(now - 10_000).toUTCString(),
        authorization: signed(`x-date: ${new Date(now - 10_000).toUTCString()}`, {
          headers: 'x-date',
        }),
      },
    },
    seen: {
      upstream: { headers: { 'x-date': new Date(now - 10_000).toUTCString(), ...withHmac } },
    },
  },
  {
    what: 'a date that is too early',
    plugins: hmac({ clock_skew: 10 }),
    ask: {
      headers: { 'x-date': new Date(now + 11_000).toUTCString(), authorization: signed('') },
    },
    seen: badHmac(undated),
  },
  {
    what: 'what is no signature',
    plugins: hmac({}),
    ask: { headers: { date, authorization: 'Basic eDp5' } },
    seen: badHmac(unverified),
  },
  {
    what: 'a signature without a user',
    plugins: hmac({}),
    ask: { headers: { date, authorization: 'hmac algorithm="hmac-sha256", signature="x"' } },
    seen: badHmac(unverified),
  },
  {
    what: 'an algorithm that is not allowed',
    plugins: hmac({ algorithms: ['hmac-sha512'] }),
    ask: { headers: { date, authorization: signed(`date: ${date}`) } },
    seen: badHmac(unverified),
  },
  {
    what: 'an algorithm that is',
    plugins: hmac({ algorithms: ['hmac-sha512'], hide_credentials: true }),
    ask: {
      headers: { date, authorization: signed(`date: ${date}`, { algorithm: 'hmac-sha512' }) },
    },
    seen: { upstream: { headers: withHmac } },
  },
  {
    what: 'a header that has to be signed and is not',
    plugins: hmac({ enforce_headers: ['date', 'x-must'] }),
    ask: { headers: { date, authorization: signed(`date: ${date}`) } },
    seen: badHmac('enforced header x-must not used for HMAC Authentication'),
  },
  {
    what: 'a user whom nobody knows',
    plugins: hmac({}),
    ask: { headers: { date, authorization: signed(`date: ${date}`, { user: 'x' }) } },
    seen: badHmac(unverified),
  },
  {
    what: 'the wrong secret',
    plugins: hmac({}),
    ask: { headers: { date, authorization: signed(`date: ${date}`, { secret: 'no' }) } },
    seen: badHmac('HMAC signature does not match'),
  },
  {
    what: 'the line of the request, and a header that came twice',
    at: 'line',
    plugins: hmac({ hide_credentials: true }),
    ask: {
      path: '/p?q=1',
      headers: {
        date,
        'x-two': ['a', 'b'],
        'proxy-authorization': signed(
          `date: ${date}\nGET /line/p?q=1 HTTP/1.1\n@request-target: get /line/p?q=1\nx-two: a, b`,
          { headers: 'date request-line @request-target x-two' },
        ),
      },
    },
    seen: { upstream: { url: '/p?q=1', headers: { 'x-two': 'a, b', ...withHmac } } },
  },
  {
    what: 'a body with its digest',
    plugins: hmac({ validate_request_body: true, hide_credentials: true }),
    ask: {
      method: 'POST',
      body: 'hello',
      headers: { date, digest: digest('hello'), authorization: signed(`date: ${date}`) },
    },
    seen: {
      upstream: {
        method: 'POST',
        body: 'hello',
        headers: { digest: digest('hello'), ...withHmac },
      },
    },
  },
  {
    what: 'a body with the digest of another',
    plugins: hmac({ validate_request_body: true }),
    ask: {
      method: 'POST',
      body: 'hello',
      headers: { date, digest: digest('hullo'), authorization: signed(`date: ${date}`) },
    },
    seen: badHmac('HMAC signature does not match'),
  },
  {
    what: 'a body without a digest',
    plugins: hmac({ validate_request_body: true }),
    ask: {
      method: 'POST',
      body: 'hello',
      headers: { date, authorization: signed(`date: ${date}`) },
    },
    seen: badHmac('HMAC signature does not match'),
  },
  {
    what: 'no body and no digest',
    plugins: hmac({ validate_request_body: true, hide_credentials: true }),
    ask: { headers: { date, authorization: signed(`date: ${date}`) } },
    seen: { upstream: { headers: withHmac } },
  },
  {
    what: 'a stranger who may come in',
    plugins: hmac({ anonymous: 'guest' }),
    seen: {
      upstream: {
        headers: guest,
      },
    },
  },
];

const webhook = (config: object = {}) => [
  { name: 'standard-webhooks', config: { secret_v1: 'w', ...config } },
];
const hooked = (body: string, more: Readonly<Record<string, string>> = {}): Ask => {
  const headers = {
    'webhook-id': 'i',
    'webhook-timestamp': String(now / 1_000),
    ...more,
  };
  const mac = createHmac('sha256', 'w')
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    .digest('base64');
  return { method: 'POST', body, headers: { 'webhook-signature': `v1,${mac}`, ...headers } };
};
const badRequest = { status: 400, body: failed('Bad request') };
const webhookRows: Row[] = [
  {
    what: 'a signed one',
    plugins: webhook(),
    ask: hooked('hello'),
    seen: {
      upstream: {
        method: 'POST',
        body: 'hello',
        headers: hooked('hello').headers as Record<string, string>,
      },
    },
  },
  {
    what: 'one that is as old as may be',
    plugins: webhook({ tolerance_second: 5 }),
    ask: hooked('hello', { 'webhook-timestamp': String(now / 1_000 - 5) }),
    seen: {
      upstream: {
        method: 'POST',
        body: 'hello',
        headers: hooked('hello', { 'webhook-timestamp': String(now / 1_000 - 5) })
          .headers as Record<string, string>,
      },
    },
  },
  {
    what: 'one that is older',
    plugins: webhook({ tolerance_second: 5 }),
    ask: hooked('hello', { 'webhook-timestamp': String(now / 1_000 - 6) }),
    seen: badRequest,
  },
  {
    what: 'one whose time is no number',
    plugins: webhook(),
    ask: hooked('hello', { 'webhook-timestamp': 'soon' }),
    seen: badRequest,
  },
  { what: 'one without a body', plugins: webhook(), ask: hooked(''), seen: badRequest },
  {
    what: 'one that another signed',
    plugins: webhook(),
    ask: hooked('hello', { 'webhook-signature': 'v1,x' }),
    seen: badRequest,
  },
  {
    what: 'one without a signature',
    plugins: webhook(),
    ask: { method: 'POST', body: 'hello' },
    seen: badRequest,
  },
];

const consumers = [
  {
    id: ann['x-consumer-id'],
    username: 'ann',
    custom_id: 'c-1',
    hmacauth_credentials: [{ username: 'h', secret: 's' }],
  },
  { id: 'a0000000-0000-4000-8000-000000000002', username: 'guest' },
];

testRows(
  [
    ['hmac-auth', hmacRows],
    ['standard-webhooks', webhookRows],
  ],
  { consumers },
);
