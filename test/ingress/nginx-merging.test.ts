import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type IngressWish, NginxWorld, nginxIngress } from './nginx-world.ts';

const world = new NginxWorld();
beforeAll(() => world.start());
afterAll(() => world.stop());

const root = (service: string) => [['/', 'Prefix', service]] as const;
const all = { canary: 'true', 'canary-weight': '100' };

/** Ingresses, the oldest first; what is asked for; and the server that is to answer, or the status. */
type Case = readonly [
  about: string,
  ingresses: readonly IngressWish[],
  answers: Readonly<Record<string, string | number>>,
];

const paths: readonly Case[] = [
  [
    'an older Exact keeps its path from a Prefix',
    [
      { name: 'one', hosts: { 'h.test': [['/foo', 'Exact', 'a']] } },
      { name: 'two', hosts: { 'h.test': [['/foo', 'Prefix', 'b']] } },
    ],
    { 'h.test/foo': 'a', 'h.test/foo/': 'b', 'h.test/foo/x': 'b' },
  ],
  [
    'a younger Exact takes its path from a Prefix',
    [
      { name: 'one', hosts: { 'h.test': [['/foo', 'Prefix', 'b']] } },
      { name: 'two', hosts: { 'h.test': [['/foo', 'Exact', 'a']] } },
    ],
    { 'h.test/foo': 'a', 'h.test/foo/': 'b' },
  ],
  [
    'a Prefix with a slash keeps what is below it',
    [
      {
        name: 'one',
        hosts: {
          'h.test': [
            ['/foo/', 'Prefix', 'b'],
            ['/foo', 'Prefix', 'a'],
          ],
        },
      },
    ],
    { 'h.test/foo': 'a', 'h.test/foo/': 'b', 'h.test/foo/x': 'b' },
  ],
];

const escapes: readonly Case[] = [
  [
    'an escaped slash does not lead past a guard',
    [
      {
        name: 'guarded',
        hosts: { 'h.test': [['/admin', 'Prefix', 'a']] },
        annotations: { 'whitelist-source-range': '10.0.0.0/8' },
      },
      { name: 'open', hosts: { 'h.test': root('b') } },
    ],
    {
      'h.test/admin/x': 403,
      'h.test/admin%2Fx': 403,
      'h.test/admin%2fx': 403,
      'h.test/x/..%2Fadmin/y': 403,
      'h.test/admin%2F..%2Fx': 'b',
      'h.test/%61dmin': 403,
      'h.test/administrator': 'b',
      'h.test/admin%3Fx': 'b',
    },
  ],
  [
    'bytes that are no text',
    [
      {
        name: 'one',
        hosts: {
          'h.test': [
            ['/x', 'Prefix', 'a'],
            ['/é', 'Prefix', 'b'],
          ],
        },
      },
    ],
    { 'h.test/x/%E4': 'a', 'h.test/%C3%A9/%FF': 'b', 'h.test/%E4': 404 },
  ],
  [
    'patterns',
    [
      {
        name: 'one',
        hosts: { 'h.test': [['/x/(.*)', 'ImplementationSpecific', 'a']] },
        annotations: { 'use-regex': 'true' },
      },
    ],
    { 'h.test/x%2F': 'a', 'h.test/x/%E4': 'a', 'h.test/x%252F': 404 },
  ],
];

const canaries: readonly Case[] = [
  [
    'a Service with a path of its own, by an older Ingress, is nobody’s canary',
    [
      { name: 'own', hosts: { 'o.test': root('b') } },
      { name: 'one', hosts: { 'h.test': root('a') } },
      { name: 'canary', hosts: { 'h.test': root('b') }, annotations: all },
    ],
    { 'h.test/': 'a', 'o.test/': 'b' },
  ],
  [
    'a younger Ingress with a path of its own changes nothing',
    [
      { name: 'one', hosts: { 'h.test': root('a') } },
      { name: 'canary', hosts: { 'h.test': root('b') }, annotations: all },
      { name: 'own', hosts: { 'o.test': root('b') } },
    ],
    { 'h.test/': 'b', 'o.test/': 'b' },
  ],
  [
    'of two canaries with one Service the older says how much it takes',
    [
      { name: 'one', hosts: { 'h.test': root('a') } },
      { name: 'two', hosts: { 'i.test': root('c') } },
      { name: 'canary', hosts: { 'h.test': root('b') }, annotations: all },
      { name: 'late', hosts: { 'i.test': root('b') }, annotations: { canary: 'true' } },
    ],
    { 'h.test/': 'b', 'i.test/': 'b' },
  ],
  [
    'a default backend is the canary of another',
    [
      { name: 'one', hosts: {}, defaultBackend: 'a' },
      { name: 'canary', hosts: {}, defaultBackend: 'b', annotations: all },
    ],
    { 'any.test/': 'b' },
  ],
  [
    'the implicit root has a canary too',
    [
      { name: 'one', hosts: { 'h.test': [['/x', 'Prefix', 'a']] }, defaultBackend: 'c' },
      { name: 'canary', hosts: { 'h.test': root('b') }, annotations: all },
    ],
    { 'h.test/': 'b', 'h.test/x': 'a' },
  ],
  [
    'an empty path is not the root',
    [
      { name: 'one', hosts: { 'h.test': root('a') } },
      {
        name: 'canary',
        hosts: { 'h.test': [['', 'ImplementationSpecific', 'b']] },
        annotations: all,
      },
    ],
    { 'h.test/': 'a' },
  ],
  [
    'a pattern that cannot be run decides nothing, and harms nobody',
    [
      { name: 'one', hosts: { 'h.test': root('a'), 'i.test': root('c') } },
      {
        name: 'canary',
        hosts: { 'h.test': root('b') },
        annotations: {
          canary: 'true',
          'canary-by-header': 'Host',
          'canary-by-header-pattern': '(((',
        },
      },
    ],
    { 'h.test/': 'a', 'i.test/': 'c' },
  ],
];

const certificates: readonly Case[] = [
  [
    'a host that the TLS section does not name has the default certificate, and redirects',
    [
      {
        name: 'one',
        hosts: { 'h.test': root('a'), 'i.test': root('a') },
        tls: [{ hosts: ['h.test'] }],
      },
      { name: 'two', hosts: { 'j.test': root('a') } },
    ],
    { 'h.test/': 308, 'i.test/': 308, 'j.test/': 'a' },
  ],
  [
    'a host without a certificate has that of the wildcard beside it',
    [
      { name: 'one', hosts: { '*.h.test': root('a') }, tls: [{ hosts: ['*.h.test'] }] },
      { name: 'two', hosts: { 'x.h.test': root('b'), 'x.y.h.test': root('c') } },
    ],
    { 'y.h.test/': 308, 'x.h.test/': 308, 'x.y.h.test/': 'c' },
  ],
];

const values: readonly Case[] = [
  [
    'ranges without commas between them are none',
    [
      {
        name: 'one',
        hosts: { 'h.test': root('a') },
        annotations: { 'whitelist-source-range': '127.0.0.1 10.0.0.0/8' },
      },
    ],
    { 'h.test/': 503 },
  ],
  [
    'a path that is closed says so, and sends nobody elsewhere',
    [
      {
        name: 'one',
        hosts: { 'h.test': root('a') },
        annotations: {
          'denylist-source-range': 'nobody',
          'force-ssl-redirect': 'true',
          'permanent-redirect': 'https://x.test',
        },
      },
    ],
    { 'h.test/': 503 },
  ],
  ...['client-body-buffer-size', 'http2-push-preload', 'ssl-ciphers'].map(
    (name): Case => [
      `${name} does nothing, but an Ingress where it is not valid is left out`,
      [
        { name: 'one', hosts: { 'h.test': root('a') }, annotations: { [name]: 'é' } },
        { name: 'two', hosts: { 'h.test': [['/x', 'Prefix', 'b']] } },
      ],
      { 'h.test/': 404, 'h.test/x': 'b' },
    ],
  ),
];

describe.each([
  ['paths', paths],
  ['escapes', escapes],
  ['canaries', canaries],
  ['certificates', certificates],
  ['values', values],
])('%s', (_, cases) => {
  test.each(cases)('%s', async (_about, ingresses, answers) => {
    const objects = ingresses.map((wish, second) => nginxIngress({ second, ...wish }));
    const served = await world.serve(objects);
    try {
      for (const [url, wanted] of Object.entries(answers)) {
        const slash = url.indexOf('/');
        const answer = await served.ask(url.slice(0, slash), url.slice(slash));
        const got = answer.status === 200 ? answer.body.slice(0, 1) : answer.status;
        expect(got, url).toBe(wanted);
      }
    } finally {
      await served.stop();
    }
  });
});

test('origins that are none let nobody read', async () => {
  const annotations = { 'enable-cors': 'true', 'cors-allow-origin': 'app.test, ' };
  const served = await world.serve([
    nginxIngress({ name: 'one', hosts: { 'h.test': root('a') }, annotations }),
  ]);
  const { lines } = await served.ask('h.test', '/', { headers: { Origin: 'https://evil.test' } });
  await served.stop();
  expect(lines.filter((line) => /^access-control/i.test(line))).toEqual([]);
  expect(served.problems.map(({ message }) => message).join()).toContain('"app.test" is no origin');
});

test('how a cookie keeps clients is said by the first Ingress of its Service', async () => {
  const served = await world.serve([
    nginxIngress({
      name: 'one',
      hosts: { 'h.test': root('a') },
      annotations: { 'affinity-mode': 'persistent' },
    }),
    nginxIngress({
      name: 'two',
      hosts: { 'i.test': root('a') },
      annotations: { affinity: 'cookie', 'affinity-mode': 'balanced' },
      second: 1,
    }),
  ]);
  const { lines } = await served.ask('i.test');
  await served.stop();
  const cookie = lines.find((line) => /^set-cookie/i.test(line));
  // A balanced one has the time in its first half.
  expect(cookie).toMatch(/=[0-9a-f]{32}\|[0-9a-f]{32}; Path=\/; HttpOnly$/);
});
