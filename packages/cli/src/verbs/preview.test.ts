import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { applyObjects, applySelectors, readObjects } from '@waygate/apply';
import { customResourceDefinitions, kustomizationGroup, kustomizationKind } from '@waygate/gitops';
import { KubeClient, staticToken } from '@waygate/kube';
import { type DynamicObject, kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

let server: TestServer;
let client: KubeClient;
let directory: string;
let env: Record<string, string>;

const namespace = 'default';
const secretValue = 'correct-horse-battery';

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
  directory = mkdtempSync(join(tmpdir(), 'waygate-preview-'));
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig);
  env = { KUBECONFIG: kubeconfig };
  await live();
});

afterAll(async () => {
  await client.close();
  await server.stop();
  rmSync(directory, { recursive: true });
});

/** A Kustomization that has applied two ConfigMaps and a Secret. */
async function live(): Promise<void> {
  const labels = {
    [`${kustomizationGroup}/name`]: 'apps',
    [`${kustomizationGroup}/namespace`]: namespace,
  };
  const metadata = (name: string) => ({ name, namespace, labels });
  const objects: DynamicObject[] = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('a'), data: { k: 'one' } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('old'), data: {} },
    { apiVersion: 'v1', kind: 'Secret', metadata: metadata('s'), stringData: { p: secretValue } },
  ];
  await applyObjects(client, objects, {
    fieldManager: 'kustomize-controller',
    selectors: applySelectors(kustomizationGroup),
  });
  await client.resource(kustomizationKind).create({
    metadata: { name: 'apps', namespace },
    spec: {
      interval: '1h',
      prune: true,
      targetNamespace: namespace,
      sourceRef: { kind: 'GitRepository', name: 'src' },
      postBuild: { substitute: { value: 'two' } },
    },
  });
  const entries = ['default_a__ConfigMap', 'default_old__ConfigMap', 'default_s__Secret'];
  const inventory = { entries: entries.map((id) => ({ id, v: 'v1' })) };
  await client
    .resource(kustomizationKind)
    .status.patch('apps', { status: { inventory } }, { namespace });
}

function write(name: string, files: Record<string, string>): string {
  const target = join(directory, name);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), content);
  }
  return target;
}

const map = (name: string, data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: ${data}\n`;

const preview = (...args: string[]) => runInProcess(['preview', ...args], { env });

describe('preview', () => {
  test('shows what a Kustomization would change, create and delete, and no secret', async () => {
    const path = write('apps', {
      'a.yaml': map('a', `{k: "${['$', '{value}'].join('')}"}`),
      'new.yaml': map('new', '{}'),
      's.yaml': `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: "another ${secretValue}"}\n`,
    });
    const { stdout, exitCode } = await preview('ks/apps', '--path', path, '--exit-code');
    expect(exitCode).toBe(2);
    expect(stdout).toContain('~ ConfigMap/default/a configured');
    expect(stdout).toMatch(/^ +- +k: one$/m);
    expect(stdout).toMatch(/^ +\+ +k: two$/m);
    expect(stdout).toContain('+ ConfigMap/default/new created');
    expect(stdout).toContain('- ConfigMap/default/old deleted');
    expect(stdout).toContain('~ Secret/default/s configured');
    expect(stdout).toContain(
      '1 created, 2 configured, 1 deleted, 0 unchanged, 0 skipped, 0 refused',
    );
    for (const text of [secretValue, Buffer.from(secretValue).toString('base64').slice(0, 12)]) {
      expect(stdout).not.toContain(text);
    }
    const old = await client.resource(kinds.ConfigMap).get('old', { namespace });
    expect(old.metadata.name).toBe('old');
  });

  test('a Kustomization that was changed in a file deletes what the one in the cluster has applied', async () => {
    const path = write('fewer', { 'a.yaml': map('a', '{k: one}') });
    const spec = `{interval: 1h, prune: true, targetNamespace: default, sourceRef: {kind: GitRepository, name: src}}`;
    const file = join(path, '..', 'ks.yaml');
    writeFileSync(
      file,
      `apiVersion: ${kustomizationGroup}/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: default}\nspec: ${spec}\n`,
    );
    const args = ['diff', 'ks', 'apps', '--path', path, '--kustomization-file', file];
    const { stdout, exitCode } = await runInProcess(args, { env });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('- ConfigMap/default/old deleted');
    expect(stdout).toContain('- Secret/default/s deleted');
    expect(stdout).toContain('0 created, 0 configured, 2 deleted, 1 unchanged');
  });

  test('a directory that brings its own namespace and kinds can be shown before it is applied', async () => {
    const path = write('whole', {
      'all.yaml': `apiVersion: v1
kind: Namespace
metadata: {name: brought}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: inside, namespace: brought}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: brought}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`,
    });
    const { stdout, exitCode } = await preview(path, '-o', 'json');
    expect(exitCode).toBe(0);
    const { changes, refused } = JSON.parse(stdout);
    expect(refused).toEqual([]);
    expect(changes.map(({ action }: { action: string }) => action)).toEqual(
      new Array(4).fill('created'),
    );
  });

  test('what would change in the gateway is shown, too', async () => {
    const shop = (plugin: string) => `apiVersion: v1
kind: Service
metadata: {name: shop, annotations: {konghq.com/read-timeout: "${plugin}"}}
spec: {ports: [{port: 80}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop}
spec:
  ingressClassName: kong
  rules:
  - http:
      paths:
      - {path: /shop, pathType: Prefix, backend: {service: {name: shop, port: {number: 80}}}}
`;
    const path = write('shop', { 'shop.yaml': shop('1000') });
    const created = await preview(path);
    expect(created.stdout).toContain('In the gateway:');
    expect(created.stdout).toMatch(/^ {2}creating route default\.shop/m);
    expect(created.stdout).toMatch(/^ {2}creating service default\.shop/m);
    expect((await preview(path, '--no-gateway')).stdout).not.toContain('In the gateway');
    expect((await preview(path, '--ingress-class', 'other')).stdout).toContain('nothing changes');
    const objects = readObjects(shop('1000')).map((object) => ({
      ...object,
      metadata: { ...object.metadata, namespace },
    }));
    await applyObjects(client, objects, {
      fieldManager: 'waygate',
      selectors: applySelectors(kustomizationGroup),
    });
    write('shop', { 'shop.yaml': shop('2000') });
    const changed = await preview(path, '-o', 'json');
    expect(JSON.parse(changed.stdout).gateway.operations).toEqual([
      {
        op: 'update',
        collection: 'services',
        name: expect.stringContaining('default.shop'),
        fields: ['read_timeout'],
      },
    ]);
  });

  test('what the API refuses is told, and ends with 1', async () => {
    const path = join(write('bad', { 'bad.yaml': map('bad', '{k: [1]}') }), 'bad.yaml');
    const { stdout, exitCode } = await preview('-f', path, '--exit-code');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('! ConfigMap/default/bad dry-run failed');
  });

  test('nothing to do ends with 0, whatever was asked for', async () => {
    const path = write('same', { 'a.yaml': map('a', '{k: one}') });
    await preview('-f', join(path, 'a.yaml'));
    const { exitCode, stdout } = await preview(path, '--exit-code');
    expect(stdout).toContain('0 configured');
    expect(exitCode).toBe(0);
  });

  test('a project is built as up builds it: the path of its waygate.yaml, never two overlays at once', async () => {
    const overlay = (name: string) => ({
      [`overlays/${name}/kustomization.yaml`]: 'resources: [map.yaml]\n',
      [`overlays/${name}/map.yaml`]: map(name, '{k: one}'),
    });
    const path = write('project', { ...overlay('dev'), ...overlay('prod') });
    const refused = await preview(path);
    expect(refused.exitCode).toBe(64);
    expect(refused.stderr).toContain('has no kustomization.yaml, and several below it:');
    write('project', { 'waygate.yaml': 'path: overlays/dev\n' });
    const { stdout } = await preview(path, '-o', 'json');
    expect(JSON.parse(stdout).changes).toHaveLength(1);
    expect(stdout).toContain('ConfigMap/default/dev');
  });

  test('a directory that is not there is a wrong usage; a Kustomization that is not fails', async () => {
    expect((await preview(join(directory, 'nowhere'))).exitCode).toBe(64);
    expect((await preview('ks', 'nobody')).exitCode).toBe(1);
  });
});
