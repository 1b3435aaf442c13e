import { expect, test } from 'vitest';
import { traceAddress, traceOfQuery } from './trace-link.ts';

function back(address: string) {
  return traceOfQuery(new URL(address, 'http://page').searchParams);
}

test.each([
  { url: 'http://a.example/?x=1&y=%20' },
  { url: 'http://a.example', method: 'POST' },
  { url: 'http://a.example', headers: { 'x-tenant': 'a: b', accept: '*/*' } },
])('a link asks the same again: $url', (question) => {
  expect(back(traceAddress(question))).toEqual(question);
});

test('who somebody is does not go into a link', () => {
  const headers = {
    authorization: 'Bearer s3cret',
    cookie: 's3cret',
    'x-api-key': 's3cret',
    accept: 'a',
  };
  const address = traceAddress({ url: 'http://a.example', headers });
  expect(address).not.toContain('s3cret');
  expect(back(address)?.headers).toEqual({ accept: 'a' });
});
