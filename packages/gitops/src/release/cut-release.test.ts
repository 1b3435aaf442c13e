import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer } from '@waygate/apiserver';
import { ReleaseStorage } from '@waygate/helm';
import { KubeClient, staticToken } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HelmRelease, helmReleaseKind, helmRepositoryKind } from '../api/helm-objects.ts';
import { GitOpsControllers } from '../gitops-controllers.ts';
import { ChartRegistry } from '../testing/chart-registry.ts';
import { startTestCluster, type TestCluster } from '../testing/cluster.ts';
import { type Cut, CuttingProxy } from '../testing/cutting-proxy.ts';
import { conditionOf, packedChart } from '../testing/releases.ts';
import { KubeReleaseCluster } from './kube-release-cluster.ts';

let cluster: TestCluster;
let registry: ChartRegistry;
let storageDirectory: string;
let rows = 0;

beforeAll(async () => {
  cluster = await startTestCluster(await startTestServer());
  registry = await ChartRegistry.start();
  registry.push('charts/web', '1.0.0', packedChart('web', '1.0.0'));
  registry.push('charts/web', '1.1.0', packedChart('web', '1.1.0'));
  storageDirectory = mkdtempSync(join(tmpdir(), 'waygate-cut-'));
});

afterAll(async () => {
  await registry?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
  rmSync(storageDirectory, { recursive: true, force: true });
});

/** Runs the controllers until somebody has what he waits for. */
async function whileRunning<T>(client: KubeClient, wait: () => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const controllers = new GitOpsControllers({
    client,
    storageDirectory,
    minRetryMs: 20,
    maxRetryMs: 200,
    requeueDependencyMs: 50,
    onError: () => undefined,
  });
  const running = controllers.run(stopping.signal).catch(() => undefined);
  try {
    await controllers.ready;
    return await wait();
  } finally {
    stopping.abort();
    await running;
  }
}

async function cutAt(cut: Cut, start: () => Promise<unknown>): Promise<void> {
  await using proxy = await CuttingProxy.start(cluster.server.url, cut);
  const client = new KubeClient({
    server: proxy.url,
    namespace: 'default',
    credentials: staticToken(cluster.server.adminToken),
  });
  await whileRunning(client, async () => {
    await start();
    await proxy.done;
  });
  await client.close();
}

async function namespaceWithRepository(): Promise<string> {
  const namespace = `cut-${++rows}`;
  await cluster.client.resource(kinds.Namespace).create({ metadata: { name: namespace } });
  await cluster.client.resource(helmRepositoryKind).create({
    metadata: { name: 'repo', namespace },
    spec: { url: registry.urlOf('charts'), type: 'oci', interval: '10m', insecure: true },
  });
  return namespace;
}

const chart = (version: string) => ({
  spec: { chart: 'web', version, sourceRef: { kind: 'HelmRepository', name: 'repo' } },
});

function create(namespace: string, name = 'web') {
  return cluster.client.resource(helmReleaseKind).create({
    metadata: { name, namespace },
    spec: { interval: '10m', chart: chart('1.0.0') },
  });
}

function ready(namespace: string, name = 'web'): Promise<HelmRelease> {
  return cluster.until(
    () => cluster.client.resource(helmReleaseKind).get(name, { namespace }),
    (object) =>
      conditionOf(object, 'Ready')?.status === 'True' &&
      object.status?.observedGeneration === object.metadata.generation,
  );
}

async function stored(namespace: string): Promise<string[]> {
  const releases = new KubeReleaseCluster(cluster.client, { fieldManager: 'test' });
  const storage = new ReleaseStorage(releases, { namespace, now: () => new Date() });
  return (await storage.history('web')).map(
    ({ release: { version, info, chart } }) =>
      `v${version} ${chart.metadata.version} ${info.status}: ${info.description}`,
  );
}

const secret = (method: string, revision: number) => {
  const name = method === 'POST' ? '' : `/sh.helm.release.v1.web.v${revision}`;
  return new RegExp(`^${method} /api/v1/namespaces/[^/]+/secrets${name}$`);
};
const object = /^(PATCH|POST) \/api\/v1\/namespaces\/[^/]+\/configmaps(\/web-cm)?$/;
const status = /^(PATCH|PUT) \/apis\/helm\.[^ ]+\/helmreleases\/web\/status$/;

describe('a controller that is killed while it installs goes on from what it left', () => {
  const installed = 'v1 1.0.0 deployed: Install complete';
  // An upgrade that succeeds takes the place of the record that it started from, deployed or not.
  const unlocked = "v1 1.0.0 superseded: Release unlocked from stale 'pending-install' state";
  const upgraded = 'v2 1.0.0 deployed: Upgrade complete';
  test.each<[string, Cut, string[]]>([
    ['before it tells that it does', { at: status, arrives: false }, [installed]],
    ['before the record', { at: secret('POST', 1), arrives: false }, [installed]],
    ['after the record', { at: secret('POST', 1), arrives: true }, [unlocked, upgraded]],
    ['after the first object', { at: object, arrives: true }, [unlocked, upgraded]],
    ['before the record is done', { at: secret('PUT', 1), arrives: false }, [unlocked, upgraded]],
    [
      'after the record is done, before the status',
      { at: secret('PUT', 1), arrives: true },
      ['v1 1.0.0 superseded: Install complete', upgraded],
    ],
  ])('%s', async (_name, cut, wanted) => {
    const namespace = await namespaceWithRepository();
    await cutAt(cut, () => create(namespace));
    const { status: after } = await whileRunning(cluster.client, () => ready(namespace));
    expect(await stored(namespace)).toEqual(wanted);
    expect(after?.history?.[0]).toMatchObject({ version: wanted.length, status: 'deployed' });
    expect(after?.failures).toBeUndefined();
    const made = await cluster.client.resource(kinds.ConfigMap).get('web-cm', { namespace });
    expect(made.data).toEqual({ color: 'red', version: '1.0.0' });
  });
});

describe('a controller that is killed while it upgrades goes on from what it left', () => {
  const before = 'v1 1.0.0 superseded: Install complete';
  const done = 'v2 1.1.0 deployed: Upgrade complete';
  const unlocked = "v2 1.1.0 failed: Release unlocked from stale 'pending-upgrade' state";
  const again = 'v3 1.1.0 deployed: Upgrade complete';
  test.each<[string, Cut, string[]]>([
    ['before the record', { at: secret('POST', 2), arrives: false }, [before, done]],
    ['after the record', { at: secret('POST', 2), arrives: true }, [before, unlocked, again]],
    ['after the object', { at: object, arrives: true }, [before, unlocked, again]],
    [
      'after the last record is superseded',
      { at: secret('PUT', 1), arrives: true },
      [before, unlocked.replace('failed', 'superseded'), again],
    ],
    [
      'after the record is done, before the status',
      { at: secret('PUT', 2), arrives: true },
      [before, 'v2 1.1.0 superseded: Upgrade complete', again],
    ],
  ])('%s', async (_name, cut, wanted) => {
    const namespace = await namespaceWithRepository();
    const { client } = cluster;
    const first = await whileRunning(client, async () => {
      await create(namespace, 'neighbour');
      await create(namespace);
      await ready(namespace);
      return ready(namespace, 'neighbour');
    });
    const uidOf = async () =>
      (await client.resource(kinds.ConfigMap).get('web-cm', { namespace })).metadata.uid;
    const uid = await uidOf();
    await cutAt(cut, () =>
      client
        .resource(helmReleaseKind)
        .patch('web', { spec: { chart: chart('1.1.0') } }, { namespace }),
    );
    const { status: after } = await whileRunning(client, () => ready(namespace));
    expect(await stored(namespace)).toEqual(wanted);
    expect(after?.history?.[0]).toMatchObject({ version: wanted.length, chartVersion: '1.1.0' });
    expect(after?.upgradeFailures).toBeUndefined();
    const made = await client.resource(kinds.ConfigMap).get('web-cm', { namespace });
    expect(made.data?.version).toBe('1.1.0');
    // Nothing was recreated, and nobody else was touched.
    expect(await uidOf()).toBe(uid);
    const beside = await client.resource(helmReleaseKind).get('neighbour', { namespace });
    expect(beside.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });
});
