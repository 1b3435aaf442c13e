import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { customResourceDefinitions, kustomizationKind } from '@waygate/gitops';
import { KubeClient, staticToken } from '@waygate/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

let server: TestServer;
let client: KubeClient;
let directory: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startTestServer();
  client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
  for (const definition of customResourceDefinitions) {
    await server.request(
      'POST',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      definition,
    );
  }
  directory = mkdtempSync(join(tmpdir(), 'waygate-get-'));
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig);
  env = { KUBECONFIG: kubeconfig };
  const resource = client.resource(kustomizationKind);
  await resource.create({
    metadata: { name: 'apps', namespace: 'default' },
    spec: { interval: '1h', prune: true, sourceRef: { kind: 'GitRepository', name: 'src' } },
  });
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const status = {
    observedGeneration: 1,
    lastAppliedRevision: 'main@sha1:abc',
    inventory: { entries: [{ id: 'shop_web_apps_Deployment', v: 'v1' }] },
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'ReconciliationSucceeded',
        message: 'Applied revision: main@sha1:abc',
        lastTransitionTime,
      },
    ],
  };
  await resource.status.patch('apps', { status }, { namespace: 'default' });
});

afterAll(async () => {
  await client.close();
  await server.stop();
  rmSync(directory, { recursive: true });
});

describe('day-two verbs', () => {
  test('get shows what is ready, and at which revision', async () => {
    const { stdout, exitCode } = await runInProcess(['get', 'ks'], { env });
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')[1]).toMatch(
      /^default +kustomization\/apps +main@sha1:abc +False +True +Applied revision/,
    );
    const all = await runInProcess(['get', '-o', 'json'], { env });
    expect(JSON.parse(all.stdout)).toHaveLength(1);
  });

  test('tree shows what was applied', async () => {
    const { stdout } = await runInProcess(['tree', 'ks', 'apps'], { env });
    expect(stdout).toBe('Kustomization/default/apps\n└── Deployment/shop/web\n');
  });

  test('suspend and resume change the spec; a suspended object is not reconciled', async () => {
    const isSuspended = async () =>
      (await client.resource(kustomizationKind).get('apps', { namespace: 'default' })).spec.suspend;
    await runInProcess(['suspend', 'ks/apps'], { env });
    expect(await isSuspended()).toBe(true);
    const refused = await runInProcess(['reconcile', 'ks', 'apps'], { env });
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('is suspended');
    await runInProcess(['resume', 'ks/apps'], { env });
    expect(await isSuspended()).toBe(false);
  });

  test('reconcile gives up when nobody answers, and says what to do', async () => {
    const { exitCode, stderr } = await runInProcess(
      ['reconcile', 'ks', 'apps', '--timeout', '100ms'],
      { env },
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('was not reconciled in time');
  });

  test('events are those of the kinds that these verbs know', async () => {
    expect((await runInProcess(['events'], { env })).stdout).toContain('There are none.');
  });

  test('an unknown kind is a wrong usage', async () => {
    expect((await runInProcess(['get', 'pods'], { env })).exitCode).toBe(64);
  });
});
