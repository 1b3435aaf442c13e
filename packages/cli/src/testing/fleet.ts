import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { customResourceDefinitions, kustomizationKind } from '@waygate/gitops';
import { KubeClient, staticToken } from '@waygate/kube';

/** A cluster for tests of verbs, with one Kustomization that was applied. */
export interface Fleet extends AsyncDisposable {
  readonly server: TestServer;
  readonly client: KubeClient;
  /** For what a test writes; it goes with the fleet. */
  readonly directory: string;
  /** With the kubeconfig of the cluster. */
  readonly env: Record<string, string>;
}

/** Starts an API in this process, with the kinds of GitOps and the Kustomization `default/apps`. */
export async function startFleet(): Promise<Fleet> {
  const server = await startTestServer();
  const client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
  for (const definition of customResourceDefinitions()) {
    await server.request(
      'POST',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      definition,
    );
  }
  const directory = mkdtempSync(join(tmpdir(), 'waygate-fleet-'));
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig);
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
        status: 'True' as const,
        reason: 'ReconciliationSucceeded',
        message: 'Applied revision: main@sha1:abc',
        lastTransitionTime,
      },
    ],
  };
  await resource.status.patch('apps', { status }, { namespace: 'default' });
  return {
    server,
    client,
    directory,
    env: { KUBECONFIG: kubeconfig },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.stop();
      rmSync(directory, { recursive: true });
    },
  };
}
