import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { CertificateAuthority } from '../tls/certificate-authority.ts';

let server: TestServer;
let namespace: string;

beforeAll(async () => {
  server = await startTestServer();
  namespace = await server.namespace();
});

afterAll(() => server.stop());

const base64 = (text: string) => Buffer.from(text).toString('base64');

async function warningOf(method: string, path: string, body: object): Promise<string | null> {
  const answer = await fetch(`${server.url}/api/v1/namespaces/${namespace}/${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${server.adminToken}`,
      'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    },
    body: JSON.stringify(body),
  });
  expect(answer.ok, await answer.text()).toBe(true);
  return answer.headers.get('warning');
}

describe('a TLS Secret', () => {
  const secret = (name: string, certificate: string, key: string) => ({
    metadata: { name },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(certificate), 'tls.key': base64(key) },
  });
  const noPem = '299 - "tls: failed to find any PEM data in certificate input"';

  test('that holds no pair is taken with a warning, on every write that touches it', async () => {
    expect(await warningOf('POST', 'secrets', secret('t', 'x', 'x'))).toBe(noPem);
    expect(await warningOf('PUT', 'secrets/t', secret('t', 'y', 'x'))).toBe(noPem);
  });

  test('that holds one is taken without, and so are other Secrets with anything', async () => {
    const authority = await CertificateAuthority.create(Date.now);
    const pair = await authority.issueServer(['a.test']);
    const good = secret('good', pair.certificate, pair.privateKey);
    expect(await warningOf('POST', 'secrets', good)).toBeNull();
    const opaque = { metadata: { name: 'o' }, data: { 'tls.crt': base64('x') } };
    expect(await warningOf('POST', 'secrets', opaque)).toBeNull();
  });
});

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: Readonly<Record<string, object>>;
}

test('who wrote a ResourceQuota is known: its author the spec, whoever counts the status', async () => {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
  const quota = { metadata: { name: 'q' }, spec: { hard: { configmaps: '9' } } };
  await server.request('POST', `${path}?fieldManager=author`, quota);
  const seen = async () => {
    const { body } = await server.request('GET', `${path}/q`);
    return body as {
      metadata: { managedFields: readonly Owner[] };
      status?: { used?: { configmaps?: string } };
    };
  };
  const counted = (count: string) =>
    expect
      .poll(async () => (await seen()).status?.used?.configmaps, { timeout: 30_000 })
      .toBe(count);
  await counted('0');
  await server.request('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
    metadata: { name: 'one' },
  });
  await counted('1');
  const owners = (await seen()).metadata.managedFields.map(
    ({ manager, operation, subresource, fieldsV1 }) => [
      manager,
      operation,
      subresource,
      Object.keys(fieldsV1),
    ],
  );
  expect(owners).toEqual([
    ['author', 'Update', undefined, ['f:spec']],
    ['kube-controller-manager', 'Update', 'status', ['f:status']],
  ]);
});
