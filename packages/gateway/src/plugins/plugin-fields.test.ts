import type { Ask } from '../testing/plugin-gateway.ts';
import { failed, type Row, testRows } from '../testing/plugin-rows.ts';

const addressRows: Row[] = [
  {
    what: 'an address that is let in',
    plugins: [{ name: 'ip-restriction', config: { allow: ['127.0.0.0/8'] } }],
    seen: { upstream: {} },
  },
  {
    what: 'an address that is not let in',
    plugins: [{ name: 'ip-restriction', config: { allow: ['10.0.0.0/8'] } }],
    seen: { status: 403, body: failed('IP address not allowed: 127.0.0.1') },
  },
  {
    what: 'an address that is kept out, in words of its own',
    plugins: [
      { name: 'ip-restriction', config: { deny: ['127.0.0.1'], status: 405, message: 'go away' } },
    ],
    seen: { status: 405, body: failed('go away') },
  },
  {
    what: 'an address that is let in and kept out',
    plugins: [{ name: 'ip-restriction', config: { allow: ['127.0.0.1'], deny: ['127.0.0.0/30'] } }],
    seen: { status: 403, body: failed('IP address not allowed: 127.0.0.1') },
  },
  {
    what: 'an address that is not kept out',
    plugins: [{ name: 'ip-restriction', config: { deny: ['10.0.0.1'] } }],
    seen: { upstream: {} },
  },
];

const bot = (config: object) => [{ name: 'bot-detection', config }];
const agent = (name: string | string[]): Ask => ({ headers: { 'user-agent': name } });
const botRows: Row[] = [
  { what: 'no user agent', plugins: bot({}), seen: { upstream: {} } },
  {
    what: 'a browser',
    plugins: bot({}),
    ask: agent('Mozilla/5.0'),
    seen: { upstream: { headers: { 'user-agent': 'Mozilla/5.0' } } },
  },
  {
    what: 'a crawler',
    plugins: bot({}),
    ask: agent('Googlebot/2.1'),
    seen: { status: 403, body: failed('Forbidden') },
  },
  {
    what: 'a crawler that is let in',
    plugins: bot({ allow: ['^Google'] }),
    ask: agent('Googlebot/2.1'),
    seen: { upstream: { headers: { 'user-agent': 'Googlebot/2.1' } } },
  },
  {
    what: 'a browser that is kept out',
    plugins: bot({ deny: ['Mozilla'] }),
    ask: agent('Mozilla/5.0'),
    seen: { status: 403, body: failed('Forbidden') },
  },
  {
    what: 'one that is let in and kept out',
    plugins: bot({ allow: ['5.0'], deny: ['Mozilla'] }),
    ask: agent('Mozilla/5.0'),
    seen: { upstream: { headers: { 'user-agent': 'Mozilla/5.0' } } },
  },
];

const redirectTo = (config: object) => [{ name: 'redirect', config }];
const answerRows: Row[] = [
  {
    what: 'redirect: elsewhere',
    plugins: redirectTo({ location: 'https://x.test/y' }),
    ask: { path: '/a?b=1' },
    seen: { status: 301, headers: { location: 'https://x.test/y' }, body: 'redirecting' },
  },
  {
    what: 'redirect: with the path and query that came',
    at: 'kept',
    plugins: redirectTo({
      location: 'https://x.test:8443/y?z=1',
      keep_incoming_path: true,
      status_code: 307,
    }),
    ask: { path: '/a?b=1' },
    seen: {
      status: 307,
      headers: { location: 'https://x.test:8443/kept/a?b=1' },
      body: 'redirecting',
    },
  },
  {
    what: 'request-termination: by default',
    plugins: [{ name: 'request-termination' }],
    seen: { status: 503, body: '{"message":"Service unavailable"}' },
  },
  ...(
    [
      [200, 'An unexpected error occurred'],
      [401, 'Unauthorized'],
      [404, 'Not found'],
      [405, 'Method not allowed'],
      [418, 'An unexpected error occurred'],
      [500, 'An unexpected error occurred'],
      [502, 'Bad gateway'],
    ] as const
  ).map(([status, message]) => ({
    what: `request-termination: what ${status} says`,
    plugins: [{ name: 'request-termination', config: { status_code: status } }],
    seen: { status, body: JSON.stringify({ message }) },
  })),
  {
    what: 'request-termination: a message',
    plugins: [{ name: 'request-termination', config: { status_code: 403, message: 'closed' } }],
    seen: { status: 403, body: '{"message":"closed"}' },
  },
  {
    what: 'request-termination: a body',
    plugins: [{ name: 'request-termination', config: { body: '<p>', content_type: 'text/html' } }],
    seen: { status: 503, headers: { 'content-type': 'text/html' }, body: '<p>' },
  },
  {
    what: 'request-termination: a body without a type',
    plugins: [{ name: 'request-termination', config: { body: '[]' } }],
    seen: {
      status: 503,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: '[]',
    },
  },
  {
    what: 'request-termination: without its trigger',
    plugins: [{ name: 'request-termination', config: { trigger: 'x-stop' } }],
    seen: { upstream: {} },
  },
  {
    what: 'request-termination: with its trigger in a header',
    plugins: [{ name: 'request-termination', config: { trigger: 'x-stop' } }],
    ask: { headers: { 'x-stop': '1' } },
    seen: { status: 503, body: '{"message":"Service unavailable"}' },
  },
  {
    what: 'request-termination: with its trigger in the query',
    plugins: [{ name: 'request-termination', config: { trigger: 'x-stop' } }],
    ask: { path: '/?x-stop' },
    seen: { status: 503, body: '{"message":"Service unavailable"}' },
  },
];

const size = (config: object) => [{ name: 'request-size-limiting', config }];
const tooLarge = { status: 413, body: failed('Request size limit exceeded') };
const post = (bytes: number, isChunked = false): Ask => ({
  method: 'POST',
  body: 'x'.repeat(bytes),
  isChunked,
});
const sent = (bytes: number) => ({ upstream: { method: 'POST', body: 'x'.repeat(bytes) } });
const sizeRows: Row[] = [
  {
    what: 'as many bytes as may be',
    plugins: size({ allowed_payload_size: 3, size_unit: 'bytes' }),
    ask: post(3),
    seen: sent(3),
  },
  {
    what: 'a byte more',
    plugins: size({ allowed_payload_size: 3, size_unit: 'bytes' }),
    ask: post(4),
    seen: tooLarge,
  },
  {
    what: 'a kilobyte',
    plugins: size({ allowed_payload_size: 1, size_unit: 'kilobytes' }),
    ask: post(1_024),
    seen: sent(1_024),
  },
  {
    what: 'a byte more than a kilobyte, in chunks',
    plugins: size({ allowed_payload_size: 1, size_unit: 'kilobytes' }),
    ask: post(1_025, true),
    seen: tooLarge,
  },
  {
    what: 'a kilobyte in chunks',
    plugins: size({ allowed_payload_size: 1, size_unit: 'kilobytes' }),
    ask: post(1_024, true),
    seen: sent(1_024),
  },
  {
    what: 'megabytes',
    plugins: size({ allowed_payload_size: 1 }),
    ask: post(1_025),
    seen: sent(1_025),
  },
  {
    what: 'a length that is demanded',
    plugins: size({ allowed_payload_size: 1, require_content_length: true }),
    ask: post(1, true),
    seen: { status: 411, body: failed('A valid Content-Length header is required') },
  },
  { what: 'no body', plugins: size({ allowed_payload_size: 1 }), seen: { upstream: {} } },
];

testRows([
  ['ip-restriction', addressRows],
  ['bot-detection', botRows],
  ['answers', answerRows],
  ['request-size-limiting', sizeRows],
]);
