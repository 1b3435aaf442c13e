import { startTestServer, type TestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenCluster } from './token-cluster.ts';

let server: TestServer;
let client: KubeClient;

beforeAll(async () => {
  server = await startTestServer();
  client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
  const metadata = { name: 'deployer', namespace: 'default' };
  await client.resource(kinds.ServiceAccount).create({ metadata });
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

function credentials(now: () => number = Date.now) {
  const data = {
    ...{ provider: 'generic', address: 'https://remote.example' },
    ...{ serviceAccountName: 'deployer' },
  };
  const options = { name: 'default/remote', namespace: 'default', data, client, now };
  return tokenCluster(options).credentials ?? expect.fail('no credentials');
}

test('who gives up waiting for a token takes it from nobody else', async () => {
  const source = credentials();
  const impatient = AbortSignal.abort(new Error('given up'));
  const [first, second] = await Promise.all([source.get(impatient), source.get()]);
  expect(second.token).toMatch(/^ey/);
  expect(first.token).toBe(second.token);
});

test('a token is used again until it is refused or old', async () => {
  let time = Date.now();
  const source = credentials(() => time);
  const { token } = await source.get();
  expect((await source.get()).token).toBe(token);
  await source.refresh?.({ token: 'of another time' });
  expect((await source.get()).token).toBe(token);
  await source.refresh?.({ token });
  const renewed = await source.get();
  expect(renewed.token).not.toBe(token);
  time += 3_600_000;
  expect((await source.get()).token).not.toBe(renewed.token);
});
