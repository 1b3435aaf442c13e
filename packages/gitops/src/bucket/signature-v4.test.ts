import { expect, test } from 'vitest';
import { encodedPart, signedHeaders } from './signature-v4.ts';

// The example of the service's own documentation, with the keys that are printed there.
const keys = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const facts = { keys, region: 'us-east-1', nowMs: Date.UTC(2013, 4, 24) };

test.each([
  [
    'https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J',
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
  [
    'https://examplebucket.s3.amazonaws.com/?lifecycle=',
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
])('signs %s as the service does', (url, signature) => {
  const { authorization } = signedHeaders('GET', new URL(url), facts);
  expect(authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
  );
});

test('parts are written in one way only', () => {
  expect(encodedPart("a b/c+d*e'(f)!~é")).toBe('a%20b%2Fc%2Bd%2Ae%27%28f%29%21~%C3%A9');
});
