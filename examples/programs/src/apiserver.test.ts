import { startTestServer } from '@waygate/apiserver';
import { isInvalid, KubeClient, staticToken } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { expect, test } from 'vitest';

// A test of one's own on a real API: in memory, on a free port of loopback, gone when the test is over.

test('a Deployment is scaled through its subresource, and refused when it makes no sense', async () => {
  await using server = await startTestServer();
  const namespace = await server.namespace();
  const client = new KubeClient({
    server: server.url,
    namespace,
    credentials: staticToken(server.adminToken),
  });
  const deployments = client.resource(kinds.Deployment).in(namespace);
  const labels = { app: 'web' };
  await deployments.create({
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  });

  await deployments.scale.patch('web', { spec: { replicas: 3 } });
  expect(await deployments.get('web')).toMatchObject({
    metadata: { generation: 2 },
    spec: { replicas: 3, strategy: { type: 'RollingUpdate' } }, // defaults are set, as in a cluster
  });
  await expect(deployments.patch('web', { spec: { replicas: -1 } })).rejects.toSatisfy(isInvalid);
  await client.close();
});
