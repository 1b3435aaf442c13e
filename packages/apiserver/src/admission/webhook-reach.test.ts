import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { CertificateAuthority } from '../tls/certificate-authority.ts';

let server: TestServer;
let authority: CertificateAuthority;
let leaf: string;
let inside: Server;
let visits: string[] = [];
let answer: {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
};

beforeAll(async () => {
  server = await startTestServer();
  authority = await CertificateAuthority.create(Date.now);
  const { certificate, privateKey } = await authority.issueServer(['127.0.0.1', 'localhost']);
  leaf = certificate;
  inside = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    visits.push(`${request.method} ${request.url?.split('?')[0]}`);
    response.writeHead(answer.status, answer.headers).end(answer.text);
  });
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', () => resolve()));
});

afterAll(async () => {
  await server.stop();
  await new Promise((resolve) => inside.close(resolve));
});

beforeEach(() => {
  visits = [];
});

const port = () => (inside.address() as AddressInfo).port;

/** What a user is told when a webhook at the address is asked. */
async function told(url: string, caBundle: string): Promise<string> {
  const place = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  await server.request('POST', place, {
    metadata: { name: 'w' },
    webhooks: [
      {
        name: 'w.example.com',
        clientConfig: { url, caBundle: Buffer.from(caBundle).toString('base64') },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['configmaps'],
          },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 5,
      },
    ],
  });
  const made = await server.request('POST', '/api/v1/namespaces/default/configmaps', {
    metadata: { generateName: 'c-' },
  });
  await server.request('DELETE', `${place}/w`);
  return JSON.stringify(made.body);
}

test.each([
  ['a redirect', { status: 302, headers: { Location: '/secret' }, text: 'inner-words' }],
  ['a refusal', { status: 403, headers: {}, text: 'inner-words' }],
  ['a page', { status: 200, headers: {}, text: '<html>inner-words</html>' }],
])('%s is neither followed nor shown', async (_title, given) => {
  answer = given;
  const text = await told(`https://127.0.0.1:${port()}/hook`, authority.pem);
  expect(text).toContain('failed calling webhook');
  expect(text).not.toContain('inner-words');
  expect(visits).toEqual(['POST /hook']);
});

test('a bundle may be the certificate itself', async () => {
  answer = { status: 200, headers: {}, text: 'no review' };
  const text = await told(`https://127.0.0.1:${port()}/hook`, leaf);
  expect(text).toContain('failed calling webhook');
  expect(visits).toEqual(['POST /hook']);
});

test.each([
  ['//hook', '/hook'],
  ['/a//b/', '/a/b'],
  ['', '/'],
])('the path %j is asked for as %s', async (written, asked) => {
  answer = { status: 200, headers: {}, text: 'no review' };
  await told(`https://127.0.0.1:${port()}${written}`, authority.pem);
  expect(visits).toEqual([`POST ${asked}`]);
});

test('who cannot be verified hears nothing', async () => {
  answer = { status: 200, headers: {}, text: '{}' };
  const other = await CertificateAuthority.create(Date.now);
  const another = await other.issueServer(['127.0.0.1']);
  await told(`https://127.0.0.1:${port()}/hook`, another.certificate);
  expect(visits).toEqual([]);
  const text = await told(`https://127.0.0.1:${port()}/hook`, other.pem);
  expect(text).toContain('certificate signed by unknown authority');
  expect(visits).toEqual([]);
});

test('plain HTTP is not spoken', async () => {
  expect(await told(`http://127.0.0.1:${port()}/hook`, authority.pem)).not.toContain('inner');
  expect(visits).toEqual([]);
});
