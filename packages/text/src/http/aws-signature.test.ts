import { expect, test } from 'vitest';
import { awsEncoded, awsSignedHeaders } from './aws-signature.ts';

// The example of the service's own documentation, with the keys that are printed there.
const keys = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const facts = { keys, region: 'us-east-1', service: 's3', nowMs: Date.UTC(2013, 4, 24) };

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
  const { authorization } = awsSignedHeaders({ method: 'GET', url: new URL(url) }, facts);
  expect(authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
  );
});

test('parts are written in one way only', () => {
  expect(awsEncoded("a b/c+d*e'(f)!~é")).toBe('a%20b%2Fc%2Bd%2Ae%27%28f%29%21~%C3%A9');
});

test('signatures are those of the test suite that AWS publishes', () => {
  const headers = awsSignedHeaders(
    { method: 'POST', url: new URL('https://example.amazonaws.com/') },
    {
      keys: { accessKey: 'AKIDEXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
      region: 'us-east-1',
      service: 'service',
      nowMs: Date.parse('2015-08-30T12:36:00Z'),
    },
  );
  expect(headers.authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  );
});
