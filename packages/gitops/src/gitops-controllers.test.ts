import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer } from '@waygate/apiserver';
import { type CoreEvent, kinds } from '@waygate/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Kustomization, kustomizationKind } from './api/kustomization-object.ts';
import { type GitRepository, gitRepositoryKind } from './api/source-objects.ts';
import { GitOpsControllers, type GitOpsControllersOptions } from './gitops-controllers.ts';
import { DirectorySource } from './source/directory-source.ts';
import { find, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { configMap } from './testing/controllers.ts';
import { TestRepository } from './testing/git-repository.ts';

let cluster: TestCluster;
let storageDirectory: string;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  cluster = await startTestCluster(await startTestServer());
  storageDirectory = mkdtempSync(join(tmpdir(), 'waygate-storage-'));
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await cluster[Symbol.asyncDispose]();
  rmSync(storageDirectory, { recursive: true, force: true });
});

async function start(options: Partial<GitOpsControllersOptions> = {}) {
  const stopping = new AbortController();
  const controllers = new GitOpsControllers({
    client: cluster.client,
    storageDirectory,
    allowFileUrls: true,
    watchFileUrls: true,
    defaultNamespace: 'default',
    onError: () => undefined,
    ...options,
  });
  const running = controllers.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  stops.push(stop);
  await controllers.ready;
  return { controllers, stop, signal: stopping.signal };
}

async function createSource(url: string, spec: Partial<GitRepository['spec']> = {}) {
  await cluster.client.resource(gitRepositoryKind).create({
    metadata: { name: 'src', namespace: 'default' },
    spec: { url, interval: '1h', ref: { branch: 'main' }, ...spec },
  });
}

async function createKustomization(name = 'app', spec: Partial<Kustomization['spec']> = {}) {
  await cluster.client.resource(kustomizationKind).create({
    metadata: { name, namespace: 'default' },
    spec: {
      interval: '1h',
      retryInterval: '1s',
      prune: true,
      sourceRef: { kind: 'GitRepository', name: 'src' },
      ...spec,
    },
  });
}

const kustomization = (name: string = 'app') =>
  cluster.client.resource(kustomizationKind).get(name, { namespace: 'default' });

const readyOf = ({ status }: Kustomization) =>
  status?.conditions?.find(({ type }) => type === 'Ready');

const untilReady = (name = 'app', revision = '') =>
  cluster.until(
    () => kustomization(name),
    (one) =>
      readyOf(one)?.status === 'True' && (one.status?.lastAppliedRevision ?? '').includes(revision),
  );

const keyOf = async (name: string) => {
  const found = await find(cluster, 'v1', 'ConfigMap', name);
  return (found?.data as Record<string, string> | undefined)?.key;
};

const events = async () =>
  (await cluster.client.resource(kinds.Event).list({ namespace: 'default' })).items as CoreEvent[];

describe('from a commit to objects', () => {
  test('applied, changed, pruned, broken, healed, suspended, deleted', async () => {
    const repository = new TestRepository();
    stops.push(async () => repository.remove());
    const first = repository.commit({
      'a.yaml': configMap('a', 'one'),
      'b.yaml': configMap('b', 'x'),
    });
    await start();
    await createSource(repository.url);
    await createKustomization();
    const ready = await untilReady('app', first);
    expect(readyOf(ready)).toMatchObject({
      reason: 'ReconciliationSucceeded',
      message: `Applied revision: main@sha1:${first}`,
    });
    expect(ready.status?.inventory?.entries.map(({ id }) => id)).toEqual([
      'default_a__ConfigMap',
      'default_b__ConfigMap',
    ]);
    expect(ready.status?.observedGeneration).toBe(1);

    const second = repository.commit({ 'a.yaml': configMap('a', 'two'), 'b.yaml': undefined });
    await untilReady('app', second);
    expect(await keyOf('a')).toBe('two');
    expect(await find(cluster, 'v1', 'ConfigMap', 'b')).toBeUndefined();

    repository.commit({ 'broken.yaml': 'kind: [\n' });
    const broken = await cluster.until(
      kustomization,
      (one: Kustomization) => readyOf(one)?.status === 'False',
    );
    expect(readyOf(broken)).toMatchObject({ reason: 'BuildFailed' });
    expect(readyOf(broken)?.message).toContain('broken.yaml');
    expect(broken.status?.lastAppliedRevision).toContain(second);
    expect(await keyOf('a')).toBe('two');
    await cluster.until(events, (all) =>
      all.some(({ type, reason }) => type === 'Warning' && reason === 'BuildFailed'),
    );

    const healed = repository.commit({ 'broken.yaml': undefined });
    await untilReady('app', healed);

    await cluster.client
      .resource(kustomizationKind)
      .patch('app', { spec: { suspend: true } }, { namespace: 'default' });
    const unseen = repository.commit({ 'a.yaml': configMap('a', 'three') });
    await cluster.until(
      () => cluster.client.resource(gitRepositoryKind).get('src', { namespace: 'default' }),
      ({ status }) => status?.artifact?.revision.includes(unseen) === true,
    );
    expect(await keyOf('a')).toBe('two');
    await cluster.client
      .resource(kustomizationKind)
      .patch('app', { spec: { suspend: false } }, { namespace: 'default' });
    await untilReady('app', unseen);
    expect(await keyOf('a')).toBe('three');
    await cluster.client.resource(kustomizationKind).delete('app', { namespace: 'default' });
    await cluster.until(
      () => find(cluster, 'v1', 'ConfigMap', 'a'),
      (one) => one === undefined,
    );
    await cluster.until(
      () => find(cluster, 'kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'app'),
      (one) => one === undefined,
    );
    const told = (await events()).map(({ reason, message }) => `${reason}: ${message}`);
    expect(told).toContain('Progressing: ConfigMap/default/a created\nConfigMap/default/b created');
    expect(told).toContain("NewArtifact: stored artifact for commit 'a commit'");
  });

  test('an object that the API refuses does not stop the others, and is told', async () => {
    const repository = new TestRepository();
    stops.push(async () => repository.remove());
    repository.commit({ 'a.yaml': configMap('a', 'one'), 'bad.yaml': configMap('bad', '[1]') });
    await start();
    await createSource(repository.url);
    await createKustomization();
    const failed = await cluster.until(
      kustomization,
      (one) => readyOf(one)?.reason === 'ReconciliationFailed',
    );
    expect(readyOf(failed)?.message).toMatch(/^ConfigMap\/default\/bad dry-run failed/);
    expect(await keyOf('a')).toBe('one');
    expect(failed.status?.inventory?.entries.map(({ id }) => id)).toEqual(['default_a__ConfigMap']);
    const mended = repository.commit({ 'bad.yaml': configMap('bad', 'good') });
    await untilReady('app', mended);
  });

  test('dependants wait for their dependency and start when it is ready', async () => {
    const repository = new TestRepository();
    stops.push(async () => repository.remove());
    repository.commit({
      'one/a.yaml': configMap('a', 'first'),
      'two/b.yaml': configMap('b', 'second'),
    });
    await start();
    await createSource(repository.url);
    await createKustomization('two', { path: './two', dependsOn: [{ name: 'one' }] });
    const waiting = await cluster.until(
      () => kustomization('two'),
      (one) => readyOf(one)?.reason === 'DependencyNotReady',
    );
    expect(readyOf(waiting)?.message).toContain("dependency 'default/one' not found");
    await createKustomization('one', { path: './one' });
    await untilReady('two');
    expect(await keyOf('b')).toBe('second');
  });

  test('definitions are served before what they define is applied', async () => {
    const repository = new TestRepository();
    stops.push(async () => repository.remove());
    repository.commit({
      'a-widget.yaml': 'apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: w\nspec: {}\n',
      'crd.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, properties: {spec: {type: object}}}
`,
      'ns.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: made\n',
      'in-made.yaml': configMap('inside', 'in').replace(
        'name: inside',
        'name: inside\n  namespace: made',
      ),
    });
    await start();
    await createSource(repository.url);
    await createKustomization();
    await untilReady();
    expect(await find(cluster, 'example.com/v1', 'Widget', 'w')).toBeDefined();
    expect(await find(cluster, 'v1', 'ConfigMap', 'inside', 'made')).toBeDefined();
  });

  test('a wait for health ends when the object is healthy', async () => {
    const repository = new TestRepository();
    stops.push(async () => repository.remove());
    repository.commit({
      'd.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i}]}
`,
    });
    await start();
    await createSource(repository.url);
    await createKustomization('app', { wait: true, timeout: '30s' });
    await cluster.until(kustomization, (one) =>
      (one.status?.conditions ?? []).some(
        ({ type, status }) => type === 'Healthy' && status === 'Unknown',
      ),
    );
    const deployments = cluster.client.resource(kinds.Deployment);
    const { metadata } = await deployments.get('web', { namespace: 'default' });
    const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
    const conditions = [
      { type: 'Available', status: 'True' as const, reason: 'MinimumReplicasAvailable' },
      { type: 'Progressing', status: 'True' as const, reason: 'NewReplicaSetAvailable' },
    ];
    const status = { ...counts, observedGeneration: metadata.generation, conditions };
    await deployments.status.patch('web', { status }, { namespace: 'default' });
    const ready = await untilReady();
    expect(ready.status?.conditions?.find(({ type }) => type === 'Healthy')).toMatchObject({
      status: 'True',
      reason: 'Succeeded',
    });
  });

  test('what somebody changes or deletes by hand is corrected at once', async () => {
    const repository = new TestRepository();
    stops.push(async () => repository.remove());
    const commit = repository.commit({ 'a.yaml': configMap('a', 'one') });
    await start();
    await createSource(repository.url);
    await createKustomization();
    await untilReady('app', commit);
    const configMaps = cluster.client.resource(kinds.ConfigMap);
    // The watch starts with the first apply; a change before it is found at the interval.
    await cluster.until(
      async () => {
        await configMaps.patch('a', { data: { key: 'by hand' } }, { namespace: 'default' });
        await new Promise((resolve) => setTimeout(resolve, 500));
        return keyOf('a');
      },
      (value) => value === 'one',
    );
    await configMaps.delete('a', { namespace: 'default' });
    await cluster.until(
      () => keyOf('a'),
      (value) => value === 'one',
    );
  });

  test('a revision that changes nothing for a Kustomization asks the API for no object', async () => {
    const repository = new TestRepository();
    stops.push(async () => repository.remove());
    repository.commit({ 'app/a.yaml': configMap('a', 'one'), 'other.txt': 'x' });
    await start();
    await createSource(repository.url);
    await createKustomization('app', { path: './app' });
    await untilReady('app');
    // Once the watch is there, a pass needs no request for what is as wanted.
    let dryRuns = 0;
    const send = cluster.client.transport.send.bind(cluster.client.transport);
    cluster.client.transport.send = (request) => {
      if (/\/configmaps\/a\?/.test(request.path)) dryRuns++;
      return send(request);
    };
    await cluster.until(
      async () => {
        dryRuns = 0;
        const next = repository.commit({ 'other.txt': `${Math.random()}` });
        await untilReady('app', next);
        return dryRuns;
      },
      (count) => count === 0,
    );
  });

  test('a labelled ConfigMap of variables wakes who uses it', async () => {
    const repository = new TestRepository();
    stops.push(async () => repository.remove());
    repository.commit({ 'a.yaml': configMap('a', ['$', '{colour}'].join('')) });
    const configMaps = cluster.client.resource(kinds.ConfigMap);
    const labels = { 'reconcile.fluxcd.io/watch': 'Enabled' };
    const metadata = { name: 'vars', namespace: 'default', labels };
    await configMaps.create({ metadata, data: { colour: 'red' } });
    await start();
    await createSource(repository.url);
    const substituteFrom = [{ kind: 'ConfigMap' as const, name: 'vars' }];
    await createKustomization('app', { postBuild: { substituteFrom } });
    await untilReady();
    expect(await keyOf('a')).toBe('red');
    await configMaps.patch('vars', { data: { colour: 'blue' } }, { namespace: 'default' });
    await cluster.until(
      () => keyOf('a'),
      (value) => value === 'blue',
    );
  });

  test('a restart finds everything as it was and applies nothing anew', async () => {
    const repository = new TestRepository();
    stops.push(async () => repository.remove());
    const commit = repository.commit({ 'a.yaml': configMap('a', 'one') });
    const { stop } = await start();
    await createSource(repository.url);
    await createKustomization();
    await untilReady('app', commit);
    const before = await find(cluster, 'v1', 'ConfigMap', 'a');
    await stop();
    const next = repository.commit({ 'b.yaml': configMap('b', 'new') });
    await start();
    await untilReady('app', next);
    const after = await find(cluster, 'v1', 'ConfigMap', 'a');
    expect(after?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
    expect(await keyOf('b')).toBe('new');
  });
});

describe('a directory', () => {
  test('is applied and followed without git', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'waygate-directory-'));
    stops.push(async () => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, 'a.yaml'), configMap('a', 'one'));
    const { controllers, signal } = await start();
    const source = new DirectorySource({
      client: cluster.client,
      storage: controllers.storage,
      directory,
      name: 'src',
      namespace: 'default',
    });
    const following = source.run(signal);
    stops.push(async () => following);
    await createKustomization('app', { sourceRef: { kind: 'ExternalArtifact', name: 'src' } });
    await cluster.until(
      () => keyOf('a'),
      (value) => value === 'one',
    );
    writeFileSync(join(directory, 'a.yaml'), configMap('a', 'two'));
    await cluster.until(
      () => keyOf('a'),
      (value) => value === 'two',
    );
  });
});
