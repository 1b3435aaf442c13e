import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTyped, shellWords, type TypedRequest } from './curl.ts';

const cases: readonly [string, TypedRequest | undefined][] = [
  ['', undefined],
  ['http://shop.example/cart', { url: 'http://shop.example/cart' }],
  ['shop.example/cart?a=1', { url: 'http://shop.example/cart?a=1' }],
  ['localhost:8000', { url: 'http://localhost:8000' }],
  ['post shop.example/cart', { url: 'http://shop.example/cart', method: 'POST' }],
  ['curl', undefined],
  ['curl -v', undefined],
  ['curl https://a.example', { url: 'https://a.example' }],
  ['$ curl a.example', { url: 'http://a.example' }],
  ['curl -sSL -o /dev/null a.example', { url: 'http://a.example' }],
  ['curl -so out.txt a.example', { url: 'http://a.example' }],
  ['curl -XDELETE a.example', { url: 'http://a.example', method: 'DELETE' }],
  ['curl --request=PUT a.example', { url: 'http://a.example', method: 'PUT' }],
  ['curl a.example -d \'{"a": 1}\'', { url: 'http://a.example', method: 'POST' }],
  ['curl -G -d a=1 a.example', { url: 'http://a.example', method: 'GET' }],
  ['curl -I a.example', { url: 'http://a.example', method: 'HEAD' }],
  ['curl -T file a.example', { url: 'http://a.example', method: 'PUT' }],
  ['curl -X PATCH -d x a.example', { url: 'http://a.example', method: 'PATCH' }],
  [
    `curl 'https://api.shop.example/cart' \\\n  -H 'Accept: */*' \\\n  -H "X-Tenant: a b" --compressed`,
    { url: 'https://api.shop.example/cart', headers: { accept: '*/*', 'x-tenant': 'a b' } },
  ],
  ['curl -H Accept: a.example', { url: 'http://a.example' }],
  [
    'curl -b session=1 -A agent -u me:secret a.example',
    { url: 'http://a.example', headers: { cookie: 'session=1', 'user-agent': 'agent' } },
  ],
  ["curl $'http://a.example/it\\'s'", { url: "http://a.example/it's" }],
  ['curl --resolve a.example:80:127.0.0.1 http://a.example/x', { url: 'http://a.example/x' }],
  [
    'curl --url http://a.example -H "Host: b.example"',
    { url: 'http://a.example', headers: { host: 'b.example' } },
  ],
];

test.each(cases)('%s', (typed, expected) => {
  expect(readTyped(typed)).toEqual(expected);
});

test('what a shell would quote comes back as it was', () => {
  const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 })), (words) => {
      expect(shellWords(words.map(quote).join(' '))).toEqual(words);
    }),
  );
});

test('a password is not sent on', () => {
  expect(
    JSON.stringify(readTyped('curl -u me:hunter2 --proxy-user p:hunter2 a.example')),
  ).not.toContain('hunter2');
});
