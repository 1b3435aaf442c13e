import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { Gateway } from '@waygate/gateway';
import { customResourceDefinitions as gitopsDefinitions } from '@waygate/gitops';
import {
  gatewayApiDefinitions,
  customResourceDefinitions as ingressDefinitions,
} from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { parseYamlAll } from '@waygate/text';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../check/finding.ts';
import { type RunResult, runInProcess } from '../run-in-process.ts';

const deploy = fileURLToPath(new URL('../../../../deploy', import.meta.url));
const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ingressAccount = 'system:serviceaccount:waygate-system:waygate-ingress';

let server: TestServer;
let bare: TestServer;
let directory: string;

beforeAll(async () => {
  server = await startTestServer();
  bare = await startTestServer();
  directory = mkdtempSync(join(tmpdir(), 'waygate-check-'));
  writeFileSync(join(directory, 'full'), server.kubeconfig);
  writeFileSync(join(directory, 'bare'), bare.kubeconfig);
  for (const definition of [
    ...gitopsDefinitions(),
    ...ingressDefinitions(),
    ...gatewayApiDefinitions(),
  ])
    await server.request('POST', definitionsPath, definition);
  await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'waygate-system' } });
  for (const object of accessOf('ingress')) await create(object);
});

afterAll(async () => {
  await server.stop();
  await bare.stop();
  rmSync(directory, { recursive: true });
});

function accessOf(part: string): KubeObject[] {
  return parseYamlAll(
    readFileSync(join(deploy, 'base', part, 'access.yaml'), 'utf8'),
  ) as KubeObject[];
}

async function create(object: KubeObject): Promise<void> {
  const plural = `${object.kind?.toLowerCase()}s`;
  const group = object.apiVersion === 'v1' ? '/api/v1' : `/apis/${object.apiVersion}`;
  const isNamespaced = ['ServiceAccount', 'Role', 'RoleBinding'].includes(object.kind ?? '');
  const place = isNamespaced ? `${group}/namespaces/waygate-system` : group;
  const answer = await server.request('POST', `${place}/${plural}`, object);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
}

function check(cluster: 'full' | 'bare', ...args: string[]): Promise<RunResult> {
  return runInProcess(['check', '--kubeconfig', join(directory, cluster), ...args], {
    env: { PATH: process.env.PATH ?? '' },
  });
}

async function findingsOf(cluster: 'full' | 'bare', ...args: string[]): Promise<Finding[]> {
  const { stdout } = await check(cluster, ...args, '-o', 'json');
  return JSON.parse(stdout) as Finding[];
}

const failed = (findings: readonly Finding[]) =>
  findings.filter(({ state }) => state === 'failed').map(({ message }) => message);

describe('waygate check', () => {
  test('finds a cluster fit that has the definitions, for who may do everything', async () => {
    const { exitCode, stdout } = await check('full');
    expect(stdout).toContain('Fit to run on');
    expect(stdout).toContain('✔ Kubernetes v1.');
    expect(exitCode).toBe(0);
  });

  test('names kinds that are not served with their group: two may be called the same', async () => {
    const { stdout } = await check('bare', '--controllers=ingress');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('Ingress of networking.internal.knative.dev');
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /HTTPRoute,[^;]* of gateway\.networking\.k8s\.io/,
    );
  });

  test('looks for the Leases of an account where the account is, unless told otherwise', async () => {
    const of = async (...args: string[]) =>
      failed(await findingsOf('full', '--controllers=ingress', '--as', ingressAccount, ...args));
    expect(await of()).toEqual([]);
    expect(await of('-n', 'default')).toContain(
      'may not update leases.coordination.k8s.io in default',
    );
    const nobody = 'system:serviceaccount:elsewhere:nobody';
    expect(failed(await findingsOf('full', '--controllers=ingress', '--as', nobody))).toContain(
      'may not update leases.coordination.k8s.io in elsewhere',
    );
  });

  test('names the kinds that a controller needs and the cluster does not serve', async () => {
    const { exitCode, stdout } = await check('bare', '--controllers=kustomize');
    expect(stdout).toContain('✘ Kustomization of kustomize.toolkit.fluxcd.io/v1 is not served');
    expect(stdout).toContain('deploy/crds');
    expect(exitCode).toBe(1);
  });

  test('only warns of kinds that a controller can do without', async () => {
    const findings = await findingsOf('bare', '--controllers=ingress');
    expect(failed(findings)).toEqual([]);
    const { message } = findings.find(({ state }) => state === 'warning')!;
    expect(message).toContain('HTTPRoute');
  });

  test('the roles in deploy/ingress are all that its controller needs', async () => {
    const account = ['--as', ingressAccount, '-n', 'waygate-system'];
    expect(failed(await findingsOf('full', ...account, '--controllers=ingress'))).toEqual([]);
  });

  test('names each right that is missing', async () => {
    const account = ['--as', ingressAccount, '-n', 'waygate-system'];
    const missing = failed(await findingsOf('full', ...account, '--controllers=source'));
    expect(missing).toContain('may not list gitrepositories.source.toolkit.fluxcd.io');
    expect(missing).toContain('may not patch buckets.source.toolkit.fluxcd.io/status');
    expect(missing).not.toContain('may not get secrets');
  });

  test('looks at the gateway, and says what it is', async () => {
    const gateway = new Gateway({ mode: 'database' });
    const { admin } = await gateway.start();
    try {
      const { stdout } = await check('full', '--kong-addr', `http://127.0.0.1:${admin!.port}`);
      expect(stdout).toMatch(/✔ Kong 3\.\d+\.\d+ at http:/);
      expect(stdout).toContain('only changes are sent');
    } finally {
      await gateway.stop();
    }
  });

  test('goes on when a part does not answer', async () => {
    const { exitCode, stdout } = await check('full', '--kong-addr', 'http://127.0.0.1:1');
    expect(stdout).toContain('✔ Kubernetes v1.');
    expect(stdout).toContain('is a Kong Admin API running at http://127.0.0.1:1?');
    expect(exitCode).toBe(1);
  });

  test('checks manifests without a cluster', async () => {
    const manifests = join(directory, 'manifests.yaml');
    writeFileSync(
      manifests,
      `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, annotations: { konghq.com/plugins: none-such } }
spec:
  ingressClassName: kong
  defaultBackend: { service: { name: absent, port: { number: 80 } } }
`,
    );
    const findings = await findingsOf('bare', '--skip-cluster', '-f', manifests);
    expect(failed(findings).join('\n')).toMatch(/Ingress default\/web: .*absent/);
  });

  test('refuses a controller that there is not', async () => {
    const { exitCode, stderr } = await check('full', '--controllers=heml');
    expect(exitCode).toBe(64);
    expect(stderr).toContain('heml is none of ingress, source, kustomize');
  });
});
