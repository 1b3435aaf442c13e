import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import {
  customResourceDefinitions,
  helmChartKind,
  helmReleaseKind,
  KubeReleaseCluster,
} from '@waygate/gitops';
import { GoMap, installRelease, loadArchive, packFiles, ReleaseStorage } from '@waygate/helm';
import { KubeClient, staticToken } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

const namespace = 'default';
let server: TestServer;
let client: KubeClient;
let artifacts: Server;
let directory: string;

const map = (name: string, data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  labels: {{- include "web.labels" . | nindent 4 }}\ndata:\n${data}`;

/** A chart with a partial, a hook, and an object that is there only with `old`. */
const files = (more: Record<string, string> = {}): Record<string, string> => ({
  'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'values.yaml': 'color: red\nteam: a\nold: true\n',
  'templates/_helpers.tpl':
    '{{- define "web.labels" -}}\napp: {{ .Release.Name }}\nteam: {{ .Values.team }}\n{{- end -}}\n',
  'templates/cm.yaml': map('web-cm', '  color: {{ .Values.color }}\n'),
  'templates/old.yaml': `{{- if .Values.old }}\n${map('web-old', '  a: b\n')}{{- end }}\n`,
  'templates/hook.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web-hook\n  annotations: {helm.sh/hook: "pre-upgrade"}\n',
  ...more,
});

const packed = packFiles(
  Object.entries(files()).map(([name, text]) => ({ name: `web/${name}`, data: Buffer.from(text) })),
);

beforeAll(async () => {
  server = await startTestServer();
  client = new KubeClient({
    server: server.url,
    namespace,
    credentials: staticToken(server.adminToken),
  });
  for (const definition of customResourceDefinitions()) {
    await server.request(
      'POST',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      definition,
    );
  }
  artifacts = createServer((_, response) => response.end(packed));
  await new Promise<void>((resolve) => artifacts.listen(0, '127.0.0.1', resolve));
  directory = mkdtempSync(join(tmpdir(), 'waygate-preview-release-'));
  writeFileSync(join(directory, 'kubeconfig'), server.kubeconfig);
  await live();
});

afterAll(async () => {
  await client.close();
  await server.stop();
  artifacts.close();
  rmSync(directory, { recursive: true });
});

const chartSpec = {
  chart: 'web',
  version: '1.x',
  sourceRef: { kind: 'HelmRepository', name: 'r' },
};

/** A HelmRelease as its controllers leave it. */
async function live(): Promise<void> {
  const cluster = new KubeReleaseCluster(client, { fieldManager: 'helm-controller' });
  const now = () => new Date();
  const storage = new ReleaseStorage(cluster, { namespace, now });
  const random = (count: number) => new Uint8Array(count);
  const context = { helm: 4, cluster, storage, namespace, now, random, timeZone: 'UTC' } as const;
  await installRelease('web', loadArchive(packed), new GoMap(), context, { serverSide: true });
  const group = helmReleaseKind.group;
  const labels = { [`${group}/name`]: 'web', [`${group}/namespace`]: namespace };
  for (const name of ['web-cm', 'web-old']) {
    await client.resource(kinds.ConfigMap).patch(name, { metadata: { labels } }, { namespace });
  }
  await client.resource(helmReleaseKind).create({
    metadata: { name: 'web', namespace },
    spec: { interval: '1h', chart: { spec: chartSpec } },
  });
  await client.resource(helmChartKind).create({
    metadata: { name: 'default-web', namespace },
    spec: { ...chartSpec, interval: '1h', reconcileStrategy: 'ChartVersion' },
  });
  const { port } = artifacts.address() as AddressInfo;
  const artifact = {
    url: `http://127.0.0.1:${port}/web.tgz`,
    path: 'web.tgz',
    revision: '1.0.0',
    digest: `sha256:${createHash('sha256').update(packed).digest('hex')}`,
    size: packed.length,
    lastUpdateTime: '2026-01-01T00:00:00Z',
  };
  const status = { observedGeneration: 1, artifact };
  await client.resource(helmChartKind).status.patch('default-web', { status }, { namespace });
}

function write(name: string, all: Record<string, string>): string {
  for (const [path, text] of Object.entries(all)) {
    const file = join(directory, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return join(directory, name);
}

const preview = (...args: string[]) =>
  runInProcess(['preview', ...args], { env: { KUBECONFIG: join(directory, 'kubeconfig') } });

test('a HelmRelease that would change nothing says so, and changes nothing', async () => {
  const { stdout, exitCode } = await preview('hr/web', '--exit-code');
  expect(stdout).toContain('The release default/web of the chart web 1.0.0:');
  expect(stdout).not.toMatch(/^[+~-] /m);
  expect(exitCode).toBe(0);
});

test('a chart of this machine: what it would change, by template and line, with hooks, and nothing done', async () => {
  const path = write('web', files({ 'values.yaml': 'color: blue\nteam: b\nold: false\n' }));
  const { stdout, exitCode } = await preview('helmrelease', 'web', '--path', path, '--exit-code');
  expect(exitCode).toBe(2);
  expect(stdout).toContain(
    `~ ConfigMap/default/web-cm configured
    from web/templates/cm.yaml:1
      /metadata/labels/team from web/templates/cm.yaml:5
      /data/color from web/templates/cm.yaml:7`,
  );
  expect(stdout).toContain('- ConfigMap/default/web-old deleted');
  expect(stdout).toContain('> ConfigMap/default/web-hook runs (pre-upgrade)');
  expect(stdout).toContain('0 created, 1 configured, 1 deleted');
  const { items } = await client.resource(kinds.ConfigMap).list({ namespace });
  expect(
    items.map(({ metadata }) => metadata.name).filter((name) => name?.startsWith('web')),
  ).toEqual(['web-cm', 'web-old']);
  const { items: secrets } = await client.resource(kinds.Secret).list({ namespace });
  expect(secrets).toHaveLength(1);
});

test('a chart that cannot be rendered, or is refused by the API, ends with 1', async () => {
  const broken = write('broken', files({ 'templates/cm.yaml': 'a: {{ fail "no" }}\n' }));
  const failed = await preview('hr/web', '--path', broken);
  expect(failed.exitCode).toBe(1);
  expect(failed.stdout).toContain('web/templates/cm.yaml:1:6');
  const bad = map('Not_A_Name', '  a: b\n');
  const refused = await preview(
    'hr/web',
    '--path',
    write('bad', files({ 'templates/bad.yaml': bad })),
  );
  expect(refused.exitCode).toBe(1);
  expect(refused.stdout).toContain('! ConfigMap/default/Not_A_Name dry-run failed');
  expect((await preview('hr/web', '--path', join(directory, 'nowhere'))).exitCode).toBe(64);
});

test('kinds and namespaces that come with the chart are no reason to refuse it', async () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Thing', plural: 'things', singular: 'thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  };
  await client.resource(helmReleaseKind).create({
    metadata: { name: 'new', namespace },
    spec: {
      interval: '1h',
      chart: { spec: chartSpec },
      targetNamespace: 'fresh',
      install: { createNamespace: true },
    },
  });
  const path = write('new', {
    'Chart.yaml': 'apiVersion: v2\nname: new\nversion: 1.0.0\n',
    'crds/thing.yaml': JSON.stringify(definition),
    'templates/thing.yaml': 'apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: one\n',
  });
  const { stdout, exitCode } = await preview('hr/new', '--path', path, '-o', 'json');
  expect(exitCode, stdout).toBe(0);
  const [release] = JSON.parse(stdout).releases;
  expect(release.changes.map(({ subject }: { subject: string }) => subject)).toEqual([
    'CustomResourceDefinition/things.example.com',
    'Namespace/fresh',
    'Thing/fresh/one',
  ]);
  expect(release.changes[2].template).toBe('new/templates/thing.yaml:1');
});

test('a changed HelmRelease is shown with what its release would change', async () => {
  const manifest = (spec: object) =>
    JSON.stringify({
      apiVersion: 'helm.toolkit.fluxcd.io/v2',
      kind: 'HelmRelease',
      metadata: { name: 'web', namespace },
      spec: { interval: '1h', ...spec },
    });
  const path = write('files', {
    'values.yaml': manifest({ chart: { spec: chartSpec }, values: { color: 'blue' } }),
    'chart.yaml': manifest({ chart: { spec: { ...chartSpec, version: '2.x' } } }),
  });
  const { stdout } = await preview('-f', join(path, 'values.yaml'));
  expect(stdout).toContain('~ HelmRelease/default/web configured');
  expect(stdout).toContain('/data/color from web/templates/cm.yaml:7');
  const other = await preview('-f', join(path, 'chart.yaml'));
  expect(other.stdout).toContain(
    'The release default/web is not shown: HelmChart default/default-web does not have the chart yet that it asks for',
  );
});
