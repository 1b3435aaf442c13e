import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { startTestServer } from '@waygate/apiserver';
import { GoMap, loadChart, renderChart } from '@waygate/helm';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conditionOf, packedChart, TestReleases } from '../testing/releases.ts';

let releases: TestReleases;
let remote: Server;
let ca: string;

/** A certificate for 127.0.0.1, made by a template. */
function certificate(): { cert: string; key: string } {
  const template =
    '{{ $c := genSelfSignedCert "remote" (list "127.0.0.1") nil 1 }}cert: {{ $c.Cert | quote }}\nkey: {{ $c.Key | quote }}';
  const file = (name: string, text: string) => ({ name, data: Buffer.from(text) });
  const chart = loadChart([
    file('Chart.yaml', 'apiVersion: v2\nname: tls\nversion: 1.0.0\n'),
    file('templates/NOTES.txt', template),
  ]);
  const { notes = '' } = renderChart(chart, new GoMap(), {
    release: { name: 'tls', namespace: 'default' },
    now: new Date(),
    random: (count) => crypto.getRandomValues(new Uint8Array(count)),
    timeZone: 'UTC',
  });
  const [, cert = '""', key = '""'] = /cert: (".*")\nkey: (".*")/.exec(notes) ?? [];
  return { cert: JSON.parse(cert), key: JSON.parse(key) };
}

beforeAll(async () => {
  releases = await TestReleases.start(await startTestServer());
  releases.registry.push('charts/web', '1.0.0', packedChart('web', '1.0.0'));
  const pair = certificate();
  ca = pair.cert;
  const target = new URL(releases.controllers.cluster.server.url);
  // The same API by another door, which wants TLS: who comes in is told by the token alone.
  remote = createServer(pair, (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const { hostname, port } = target;
    const onward = request({ hostname, port, path: url, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  remote?.closeAllConnections();
  remote?.close();
  await releases?.[Symbol.asyncDispose]();
});

/** An account that may keep ConfigMaps, and releases, of its namespace. */
async function account(namespace: string, name: string, resources: readonly string[]) {
  const { client } = releases;
  await client.resource(kinds.ServiceAccount).create({ metadata: { name, namespace } });
  await client.resource(kinds.Role).create({
    metadata: { name, namespace },
    rules: [{ apiGroups: [''], resources: [...resources], verbs: ['*'] }],
  });
  await client.resource(kinds.RoleBinding).create({
    metadata: { name, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
}

const audience = 'https://kubernetes.default.svc.cluster.local';

async function remoteMap(namespace: string, data: Record<string, string>) {
  await releases.client.resource(kinds.ConfigMap).create({
    metadata: { name: 'remote', namespace },
    data: {
      provider: 'generic',
      address: `https://127.0.0.1:${(remote.address() as AddressInfo).port}`,
      'ca.crt': ca,
      audiences: `\n  ${audience}\n`,
      ...data,
    },
  });
}

const configMapRef = { name: 'remote' };

describe('who releases, and where', () => {
  test('an account that may not is refused and named; given the right, it goes on by itself', async () => {
    const namespace = await releases.namespace();
    await account(namespace, 'tenant', ['secrets']);
    await releases.create(namespace, {
      serviceAccountName: 'tenant',
      install: { remediation: { retries: -1 } },
    });
    const failed = await releases.untilReason(namespace, 'Released', 'InstallFailed');
    expect(conditionOf(failed, 'Released')?.message).toContain(
      `User "system:serviceaccount:${namespace}:tenant" cannot`,
    );
    expect(await releases.data(namespace)).toBeUndefined();
    await releases.client
      .resource(kinds.Role)
      .patch(
        'tenant',
        { rules: [{ apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['*'] }] },
        { namespace },
      );
    await releases.ready(namespace);
    expect((await releases.data(namespace))?.color).toBe('red');
  });

  test('a cluster of a ConfigMap is reached with a token of the account that it names', async () => {
    const namespace = await releases.namespace();
    await account(namespace, 'deployer', ['secrets', 'configmaps']);
    await remoteMap(namespace, { serviceAccountName: 'deployer' });
    await releases.create(namespace, { kubeConfig: { configMapRef } });
    await releases.ready(namespace);
    expect((await releases.data(namespace))?.version).toBe('1.0.0');
    // The second time, with another account in the map: it counts from then on.
    await account(namespace, 'nobody', ['events']);
    await releases.client
      .resource(kinds.ConfigMap)
      .patch('remote', { data: { serviceAccountName: 'nobody' } }, { namespace });
    await releases.change(namespace, { values: { color: 'blue' } });
    const refused = await releases.until(
      () => releases.get(namespace),
      (object) => conditionOf(object, 'Ready')?.message?.includes('nobody') === true,
    );
    expect(conditionOf(refused, 'Ready')?.status).toBe('False');
    expect((await releases.data(namespace))?.color).toBe('red');
  });

  test.each([
    [{ provider: 'aws' }, "identities of clouds ('aws') are not supported"],
    [{ provider: 'other' }, "provider 'other' not supported"],
    [{ address: '' }, 'cluster address is required'],
    [{ address: 'http://127.0.0.1:1' }, 'must use https scheme'],
    [{ serviceAccountName: '' }, 'serviceAccountName is required'],
  ])('a ConfigMap with %j is refused', async (data, message) => {
    const namespace = await releases.namespace();
    await account(namespace, 'deployer', ['events']);
    await remoteMap(namespace, { serviceAccountName: 'deployer', ...data });
    await releases.create(namespace, { kubeConfig: { configMapRef } });
    const refused = await releases.until(
      () => releases.get(namespace),
      (object) => conditionOf(object, 'Ready')?.message?.includes(message) === true,
    );
    expect(conditionOf(refused, 'Ready')?.status).toBe('False');
    expect(await releases.data(namespace)).toBeUndefined();
  });

  test('a kubeconfig in a Secret leads to another cluster, where the release is stored, too', async () => {
    const namespace = await releases.namespace();
    await using other = await startTestServer();
    await other.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    await releases.client.resource(kinds.Secret).create({
      metadata: { name: 'other', namespace },
      stringData: { value: other.kubeconfig },
    });
    await releases.create(namespace, { kubeConfig: { secretRef: { name: 'other' } } });
    await releases.ready(namespace);
    expect(await releases.data(namespace)).toBeUndefined();
    expect(await releases.stored(namespace)).toEqual([]);
    const { status } = await other.request(
      'GET',
      `/api/v1/namespaces/${namespace}/configmaps/web-cm`,
    );
    expect(status).toBe(200);
  });
});
