import { expect, test } from 'vitest';
import { parseChallenge } from './registry-token.ts';

test.each([
  ['Basic realm="x"', { kind: 'basic' }],
  [
    'Bearer realm="https://auth.example.com/token",service="registry",scope="repository:a:pull"',
    { kind: 'bearer', realm: 'https://auth.example.com/token', service: 'registry' },
  ],
  ['bearer realm=https://a/t', { kind: 'bearer', realm: 'https://a/t', service: '' }],
  ['Bearer service="x"', undefined],
  ['Digest realm="x"', undefined],
  [undefined, undefined],
])('%s', (header, challenge) => {
  expect(parseChallenge(header)).toEqual(challenge);
});

test('a long one takes no time', () => {
  const start = process.cpuUsage();
  parseChallenge(`Bearer ${'a='.repeat(2000)}`);
  parseChallenge(`Bearer ${' '.repeat(100_000)}`);
  expect(process.cpuUsage(start).user).toBeLessThan(500_000);
});
