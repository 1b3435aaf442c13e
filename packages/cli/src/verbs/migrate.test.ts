import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { customResourceDefinitions as gitopsDefinitions } from '@waygate/gitops';
import { customResourceDefinitions as ingressDefinitions } from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunResult, runInProcess } from '../run-in-process.ts';

let server: TestServer;
let directory: string;

const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const deploymentsPath = (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/deployments`;
const leasesPath = (namespace: string) =>
  `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;

beforeEach(async () => {
  server = await startTestServer();
  directory = mkdtempSync(join(tmpdir(), 'waygate-migrate-'));
  writeFileSync(join(directory, 'kubeconfig'), server.kubeconfig);
  for (const name of ['flux-system', 'waygate-system', 'kong', 'elsewhere'])
    await create('/api/v1/namespaces', { metadata: { name } });
});

afterEach(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

async function create(path: string, object: object): Promise<void> {
  const answer = await server.request('POST', path, object);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
}

async function read<T>(path: string): Promise<T> {
  return (await server.request('GET', path)).body as T;
}

interface SeenDeployment extends KubeObject {
  spec: { replicas: number };
}

const deployment = (namespace: string, name: string) =>
  read<SeenDeployment>(`${deploymentsPath(namespace)}/${name}`);

async function createDeployment(
  namespace: string,
  name: string,
  options: {
    image: string;
    args?: readonly string[];
    labels?: Record<string, string>;
    beside?: readonly string[];
    replicas?: number;
  },
): Promise<void> {
  const { image, args = [], labels = {}, beside = [], replicas = 1 } = options;
  const containers = [
    ...beside.map((one) => ({ name: one, image: `example/${one}` })),
    { name: 'manager', image, args },
  ];
  await create(deploymentsPath(namespace), {
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers } },
    },
  });
  await settle(namespace, name);
}

/** As the controller of Deployments would: nothing runs here. */
async function settle(namespace: string, name: string): Promise<void> {
  await setStatus(namespace, name, { observedGeneration: 99, replicas: 0 });
}

async function setStatus(namespace: string, name: string, status: object): Promise<void> {
  const path = `${deploymentsPath(namespace)}/${name}/status`;
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  expect((await server.request('PATCH', path, { status }, headers)).status).toBe(200);
}

async function scaleTo(namespace: string, name: string, replicas: number): Promise<void> {
  const path = `${deploymentsPath(namespace)}/${name}`;
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  expect((await server.request('PATCH', path, { spec: { replicas } }, headers)).status).toBe(200);
}

async function createFlux(): Promise<void> {
  for (const definition of gitopsDefinitions()) await create(definitionsPath, definition);
  const owner = { 'kustomize.toolkit.fluxcd.io/name': 'flux-system' };
  const labels = { ...owner, 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
  for (const name of [
    'source-controller',
    'kustomize-controller',
    'helm-controller',
    'notification-controller',
  ])
    await createDeployment('flux-system', name, {
      image: `registry.example/fluxcd/${name}:v1.9.0@sha256:0123`,
      args: ['--watch-all-namespaces', '--helm-cache-max-size=10', '--log-level=info'],
      labels,
      replicas: name === 'source-controller' ? 2 : 1,
    });
  await createDeployment('flux-system', 'image-automation-controller', {
    image: 'x/image-automation-controller:v1',
  });
  await createDeployment('elsewhere', 'innocent', { image: 'example/app:source-controller' });
}

async function createOurs(part: string, replicas = 1): Promise<void> {
  await createDeployment('waygate-system', `waygate-${part}`, {
    image: 'waygate:0.1.0',
    labels: { 'app.kubernetes.io/name': 'waygate', 'app.kubernetes.io/component': part },
    replicas,
  });
}

function migrate(...args: string[]): Promise<RunResult> {
  return runInProcess(['migrate', '--kubeconfig', join(directory, 'kubeconfig'), ...args]);
}

const leaveAlone = 'kustomize.toolkit.fluxcd.io/reconcile';

describe('from Flux', () => {
  test('a dry run says what is there and what would be done, and does nothing', async () => {
    await createFlux();
    await createOurs('gitops');
    const held = { holderIdentity: 'pod-1', leaseDurationSeconds: 35 };
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    await create(leasesPath('elsewhere'), {
      metadata: { name: 'kustomize-controller-leader-election' },
      spec: { ...held, renewTime },
    });
    const before = await deployment('flux-system', 'source-controller');
    const { exitCode, stdout } = await migrate('--from', 'flux', '--dry-run');
    expect(exitCode).toBe(0);
    for (const said of [
      'source-controller runs as Deployment flux-system/source-controller, 2 replicas',
      'Kustomization flux-system/flux-system manages Flux itself',
      '--helm-cache-max-size has no effect',
      'Lease elsewhere/kustomize-controller-leader-election is held by pod-1',
      'another namespace than the Deployment',
      'annotate Deployment flux-system/kustomize-controller',
      'scale Deployment flux-system/source-controller from 2 to 0',
      'wait until nobody holds Lease elsewhere/kustomize-controller-leader-election',
      '--events-addr of image-automation-controller',
    ])
      expect(stdout).toContain(said);
    expect(stdout).not.toContain('scale Deployment flux-system/image-automation-controller');
    expect(stdout).not.toContain('innocent');
    expect(await deployment('flux-system', 'source-controller')).toEqual(before);
    const records = await read<{ items: unknown[] }>(
      '/api/v1/namespaces/waygate-system/configmaps?labelSelector=app.kubernetes.io/component=migration',
    );
    expect(records.items).toEqual([]);
  });

  test('without --yes and a terminal nothing is done', async () => {
    await createFlux();
    await createOurs('gitops');
    const { exitCode, stderr } = await migrate('--from', 'flux');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Nothing was done');
    expect((await deployment('flux-system', 'source-controller')).spec.replicas).toBe(2);
  });

  test('it is done, a second time there is nothing left, and it goes back as it was', async () => {
    await createFlux();
    await createOurs('gitops', 0);
    const first = await migrate('--from', 'flux', '--yes');
    expect(first.exitCode, first.stderr).toBe(0);
    const stopped = await deployment('flux-system', 'source-controller');
    expect(stopped.spec.replicas).toBe(0);
    expect(stopped.metadata.annotations?.[leaveAlone]).toBe('disabled');
    expect((await deployment('flux-system', 'image-automation-controller')).spec.replicas).toBe(1);
    expect((await deployment('waygate-system', 'waygate-gitops')).spec.replicas).toBe(1);
    const again = await migrate('--from', 'flux', '--yes');
    expect(again.stdout).toContain('Nothing is left to do');
    const back = await migrate('--from', 'flux', '--rollback', '--yes');
    expect(back.exitCode, back.stderr).toBe(0);
    // Ours stops before the others start.
    const lines = back.stdout.split('\n');
    expect(lines[0]).toBe('scale Deployment waygate-system/waygate-gitops from 1 to 0');
    expect((await deployment('waygate-system', 'waygate-gitops')).spec.replicas).toBe(0);
    const restored = await deployment('flux-system', 'source-controller');
    expect(restored.spec.replicas).toBe(2);
    expect(restored.metadata.annotations?.[leaveAlone]).toBeUndefined();
    expect((await deployment('flux-system', 'kustomize-controller')).spec.replicas).toBe(1);
    const nothing = await migrate('--from', 'flux', '--rollback', '--yes');
    expect(nothing.stdout).toContain('nothing to take back');
    // And forward once more.
    expect((await migrate('--from', 'flux', '--yes')).exitCode).toBe(0);
    expect((await deployment('flux-system', 'source-controller')).spec.replicas).toBe(0);
  });

  test('cut in the middle: the next run goes on, and going back gives what was there first', async () => {
    await createFlux();
    await createOurs('gitops');
    // Pods that do not go: the second scale waits in vain.
    await setStatus('flux-system', 'kustomize-controller', { replicas: 1 });
    const cut = await migrate('--from', 'flux', '--yes', '--wait', '1ms');
    expect(cut.exitCode).toBe(1);
    expect(cut.stderr).toContain('still has Pods');
    await setStatus('flux-system', 'kustomize-controller', { replicas: 0 });
    expect((await migrate('--from', 'flux', '--yes')).exitCode).toBe(0);
    for (const name of [
      'source-controller',
      'kustomize-controller',
      'helm-controller',
      'notification-controller',
    ])
      expect((await deployment('flux-system', name)).spec.replicas).toBe(0);
    expect((await migrate('--from', 'flux', '--rollback', '--yes')).exitCode).toBe(0);
    expect((await deployment('flux-system', 'source-controller')).spec.replicas).toBe(2);
    expect((await deployment('flux-system', 'kustomize-controller')).spec.replicas).toBe(1);
  });

  test('kinds that we do not have keep their controllers', async () => {
    await createFlux();
    await createOurs('gitops');
    const kinds = [
      ['source.toolkit.fluxcd.io', 'StrangeSource', 'strangesources'],
      ['image.toolkit.fluxcd.io', 'ImageUpdateAutomation', 'imageupdateautomations'],
    ] as const;
    for (const [group, kind, plural] of kinds) {
      await create(definitionsPath, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${plural}.${group}` },
        spec: {
          group,
          names: { kind, plural },
          scope: 'Namespaced',
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object' } },
            },
          ],
        },
      });
      await create(`/apis/${group}/v1/namespaces/elsewhere/${plural}`, {
        apiVersion: `${group}/v1`,
        kind,
        metadata: { name: 'one' },
      });
    }
    const { stdout } = await migrate('--from', 'flux', '--dry-run');
    expect(stdout).toContain('1 objects of kind ImageUpdateAutomation');
    expect(stdout).toContain('source-controller has to stay');
    expect(stdout).not.toContain('scale Deployment flux-system/source-controller');
    expect(stdout).toContain('scale Deployment flux-system/kustomize-controller');
  });

  test('nobody is stopped when there is nobody to take over', async () => {
    await createFlux();
    const { exitCode, stdout } = await migrate('--from', 'flux', '--yes');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('no Deployment of Waygate');
    expect((await deployment('flux-system', 'source-controller')).spec.replicas).toBe(2);
  });
});

describe('from Kong Ingress Controller', () => {
  const webhooksPath = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const image = 'kong/kubernetes-ingress-controller:3.5';

  async function createWebhook(): Promise<void> {
    await create(webhooksPath, {
      metadata: { name: 'kong-validations', labels: { team: 'x' } },
      webhooks: [
        {
          name: 'validations.kong.konghq.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          clientConfig: { service: { name: 'webhook', namespace: 'kong' } },
          rules: [
            {
              apiGroups: ['configuration.konghq.com'],
              apiVersions: ['*'],
              operations: ['CREATE'],
              resources: ['kongplugins'],
            },
          ],
        },
      ],
    });
  }

  test('its webhook goes before it does, and both come back', async () => {
    for (const definition of ingressDefinitions()) await create(definitionsPath, definition);
    await createWebhook();
    await createDeployment('kong', 'controller', {
      image,
      args: ['--anonymous-reports', '--no-such-flag=1'],
    });
    await createOurs('ingress');
    const { exitCode, stdout, stderr } = await migrate('--from', 'kic', '--yes');
    expect(exitCode, stdout + stderr).toBe(0);
    expect(stdout).toContain('--no-such-flag is a flag that Waygate does not know');
    expect(stdout.indexOf('delete ValidatingWebhook')).toBeLessThan(
      stdout.indexOf('scale Deployment kong/controller'),
    );
    expect((await server.request('GET', `${webhooksPath}/kong-validations`)).status).toBe(404);
    expect((await deployment('kong', 'controller')).spec.replicas).toBe(0);
    const back = await migrate('--from', 'kic', '--rollback', '--yes');
    expect(back.exitCode, back.stderr).toBe(0);
    expect((await deployment('kong', 'controller')).spec.replicas).toBe(1);
    expect(await read(`${webhooksPath}/kong-validations`)).toMatchObject({
      metadata: { labels: { team: 'x' } },
      webhooks: [{ failurePolicy: 'Fail', clientConfig: { service: { namespace: 'kong' } } }],
    });
  });

  const lease = '5b374a9e.konghq.com';
  const held = (holderIdentity: string) => ({
    metadata: { name: lease },
    spec: {
      holderIdentity,
      leaseDurationSeconds: 3600,
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    },
  });

  test('the Lease of the other one is waited for, and not our own of the same name', async () => {
    for (const definition of ingressDefinitions()) await create(definitionsPath, definition);
    await createDeployment('kong', 'controller', { image });
    await createOurs('ingress');
    await create(leasesPath('kong'), held('controller-7c9_1'));
    await create(leasesPath('waygate-system'), held('waygate-ingress-5d8_1'));
    const { stdout } = await migrate('--from', 'kic', '--dry-run');
    expect(stdout).toContain(`wait until nobody holds Lease kong/${lease}`);
    expect(stdout).not.toContain(`Lease waygate-system/${lease}`);
  });

  test('what somebody starts again afterwards is stopped again, and goes back to what it was then', async () => {
    for (const definition of ingressDefinitions()) await create(definitionsPath, definition);
    await createWebhook();
    await createDeployment('kong', 'controller', { image, replicas: 2 });
    await createOurs('ingress');
    expect((await migrate('--from', 'kic', '--yes')).exitCode).toBe(0);
    await createWebhook();
    await scaleTo('kong', 'controller', 3);
    const again = await migrate('--from', 'kic', '--yes');
    expect(again.stdout).toContain('scale Deployment kong/controller from 3 to 0');
    expect(again.exitCode, again.stderr).toBe(0);
    expect((await server.request('GET', `${webhooksPath}/kong-validations`)).status).toBe(404);
    expect((await deployment('kong', 'controller')).spec.replicas).toBe(0);
    expect((await migrate('--from', 'kic', '--yes')).stdout).toContain('Nothing is left to do');
    expect((await migrate('--from', 'kic', '--rollback', '--yes')).exitCode).toBe(0);
    expect((await deployment('kong', 'controller')).spec.replicas).toBe(3);
  });

  test('forward once more after going back, ours has as many Pods as it had', async () => {
    for (const definition of ingressDefinitions()) await create(definitionsPath, definition);
    await createDeployment('kong', 'controller', { image });
    await createOurs('ingress', 2);
    await create(leasesPath('kong'), held('controller-7c9_1'));
    const cut = await migrate('--from', 'kic', '--yes', '--wait', '1ms');
    expect(cut.stderr).toContain('is still held');
    await server.request('DELETE', `${leasesPath('kong')}/${lease}`);
    expect((await migrate('--from', 'kic', '--yes')).exitCode).toBe(0);
    const back = await migrate('--from', 'kic', '--rollback', '--yes');
    expect(back.stdout.trim().split('\n')).toEqual([
      'scale Deployment waygate-system/waygate-ingress from 2 to 0',
      'scale Deployment kong/controller to 1',
    ]);
    expect((await migrate('--from', 'kic', '--rollback')).stdout).toContain('nothing to take back');
    expect((await deployment('waygate-system', 'waygate-ingress')).spec.replicas).toBe(0);
    const again = await migrate('--from', 'kic', '--yes');
    expect(again.stdout).toContain('scale Deployment waygate-system/waygate-ingress from 0 to 2');
    expect((await deployment('waygate-system', 'waygate-ingress')).spec.replicas).toBe(2);
  });

  test('it is not stopped where it shares its Pods with Kong', async () => {
    await createDeployment('kong', 'kong', { image, beside: ['proxy'] });
    await createOurs('ingress');
    const { exitCode, stdout } = await migrate('--from', 'kic', '--yes');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('has proxy in the same Pods');
    expect((await deployment('kong', 'kong')).spec.replicas).toBe(1);
  });
});
