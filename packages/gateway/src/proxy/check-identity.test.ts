import type { PeerCertificate } from 'node:tls';
import { expect, test } from 'vitest';
import { checkIdentity } from './check-identity.ts';

const certificate = {
  subject: { CN: 'cn.test' },
  subjectaltname: 'DNS:a.test, DNS:*.b.test, URI:spiffe://cluster/ns/a',
} as PeerCertificate;

test.each([
  [['DNS:a.test'], true],
  [['DNS:x.b.test'], true],
  [['DNS:cn.test'], false],
  [['URI:spiffe://cluster/ns/a'], true],
  [['URI:spiffe://cluster/ns'], false],
  [['URI:a.test'], false],
  [['DNS:none.test', 'URI:spiffe://cluster/ns/a'], true],
  [['DNS:none.test', 'URI:none'], false],
  [[], false],
])('a certificate that must be for one of %o is right: %s', (wanted, isRight) => {
  expect(checkIdentity(wanted, certificate) === undefined).toBe(isRight);
});
