import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { CertificateAuthority } from './certificate-authority.ts';
import { keyPairProblem } from './key-pair.ts';

let certificate: string;
let privateKey: string;

beforeAll(async () => {
  const authority = await CertificateAuthority.create(Date.now);
  ({ certificate, privateKey } = await authority.issueServer(['localhost']));
});

test('a pair is one', () => {
  expect(keyPairProblem(certificate, privateKey)).toBeUndefined();
  expect(keyPairProblem(certificate + certificate, privateKey)).toBeUndefined();
});

test('what is none is told in the words of Go', () => {
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const pem = other.export({ type: 'pkcs8', format: 'pem' }) as string;
  const rows: [string, string, string][] = [
    ['', '', 'tls: failed to find any PEM data in certificate input'],
    [certificate, 'hello', 'tls: failed to find any PEM data in key input'],
    [certificate, pem, 'tls: private key does not match public key'],
    [
      certificate,
      certificate,
      'tls: found a certificate rather than a key in the PEM for the private key',
    ],
    [
      privateKey,
      certificate,
      'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
    ],
    [
      certificate,
      '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
      'tls: failed to parse private key',
    ],
  ];
  for (const [first, second, problem] of rows) expect(keyPairProblem(first, second)).toBe(problem);
});
