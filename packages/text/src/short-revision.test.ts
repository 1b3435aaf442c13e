import { expect, test } from 'vitest';
import { shortRevision } from './short-revision.ts';

test.each([
  ['main@sha1:0123456789abcdef0123', 'main@sha1:01234567'],
  ['sha256:0123456789abcdef', 'sha256:01234567'],
  ['Applied revision: main@sha1:0123456789abcdef', 'Applied revision: main@sha1:01234567'],
  [
    "stored artifact: revision 'sha256:0123456789abcdef'",
    "stored artifact: revision 'sha256:01234567'",
  ],
  ['v1.2.3', 'v1.2.3'],
])('%s is %s for short', (whole, short) => {
  expect(shortRevision(whole)).toBe(short);
});
