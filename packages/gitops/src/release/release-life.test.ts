import { startTestServer, type TestServer } from '@waygate/apiserver';
import {
  GoMap,
  installRelease,
  loadChart,
  MemoryFiles,
  type ReleaseContext,
  ReleaseFailure,
  ReleaseStorage,
  readValuesFile,
  rollbackRelease,
  runHelm,
  uninstallRelease,
  upgradeRelease,
} from '@waygate/helm';
import { KubeClient, staticToken } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KubeReleaseCluster } from './kube-release-cluster.ts';

let server: TestServer;
let client: KubeClient;

beforeAll(async () => {
  server = await startTestServer();
  client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

const chartOf = (templates: Readonly<Record<string, string>>) =>
  loadChart([
    { name: 'Chart.yaml', data: Buffer.from('apiVersion: v2\nname: web\nversion: 1.0.0\n') },
    { name: 'values.yaml', data: Buffer.from('color: red\n') },
    ...Object.entries(templates).map(([name, text]) => ({
      name: `templates/${name}`,
      data: Buffer.from(text),
    })),
  ]);

const configMap = (name: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}data:\n  color: {{ .Values.color }}\n`;

const hook = (events: string, policy: string) =>
  `  annotations:\n    helm.sh/hook: ${events}\n    helm.sh/hook-delete-policy: ${policy}\n`;

async function contextIn(helm: 3 | 4 = 4): Promise<ReleaseContext & { namespace: string }> {
  const namespace = await server.namespace();
  const fieldManager = 'helm';
  const cluster = new KubeReleaseCluster(client, {
    fieldManager,
    words: helm === 3 ? 'legacy' : 'watcher',
  });
  const now = () => new Date();
  const storage = new ReleaseStorage(cluster, { namespace, now });
  const random = (count: number) => new Uint8Array(count);
  return { helm, cluster, storage, namespace, now, random, timeZone: 'UTC' };
}

const namesIn = async (namespace: string) =>
  (await client.resource(kinds.ConfigMap).list({ namespace })).items
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== 'kube-root-ca.crt')
    .sort();

const statuses = async ({ storage }: ReleaseContext) =>
  (await storage.history('web')).map(({ release }) => release.info.status);

describe('the life of a release', () => {
  test('an upgrade that is refused leaves the last one deployed, and the next one goes through', async () => {
    const context = await contextIn();
    const chart = chartOf({ 'a.yaml': configMap('a') });
    await installRelease('web', chart, new GoMap(), context, { serverSide: true });
    const broken = chartOf({ 'a.yaml': configMap('Not_A_Name') });
    const options = { serverSide: 'auto' as const };
    await expect(
      upgradeRelease('web', broken, new GoMap(), context, options),
    ).rejects.toBeInstanceOf(ReleaseFailure);
    expect(await statuses(context)).toEqual(['deployed', 'failed']);
    await upgradeRelease('web', chart, readValuesFile('color: blue', 4), context, options);
    expect(await statuses(context)).toEqual(['superseded', 'failed', 'deployed']);
    expect(await namesIn(context.namespace)).toEqual(['a']);
  });

  test('a killed upgrade locks the release until it is marked as failed', async () => {
    const context = await contextIn();
    const chart = chartOf({ 'a.yaml': configMap('a') });
    await installRelease('web', chart, new GoMap(), context, { serverSide: true });
    const last = (await context.storage.last('web'))!;
    const pending = structuredClone(last);
    Object.assign(pending.release, { version: 2 });
    pending.release.info.status = 'pending-upgrade';
    await context.storage.create(pending);
    const upgrade = () =>
      upgradeRelease('web', chart, new GoMap(), context, { serverSide: 'auto' });
    await expect(upgrade()).rejects.toThrow('another operation (install/upgrade/rollback)');
    pending.release.info.status = 'failed';
    await context.storage.update(pending);
    await upgrade();
    expect(await statuses(context)).toEqual(['superseded', 'failed', 'deployed']);
  });

  test.each([
    ['hook-succeeded', ['a']],
    ['before-hook-creation', ['a', 'hook']],
  ])('a hook with %s', async (policy, left) => {
    const context = await contextIn();
    const chart = chartOf({
      'a.yaml': configMap('a'),
      'hook.yaml': configMap('hook', hook('pre-install,pre-upgrade', policy)),
    });
    await installRelease('web', chart, new GoMap(), context, { serverSide: true });
    expect(await namesIn(context.namespace)).toEqual(left);
    await upgradeRelease('web', chart, new GoMap(), context, { serverSide: 'auto' });
    expect(await namesIn(context.namespace)).toEqual(left);
    const { release } = (await context.storage.last('web'))!;
    expect(release.hooks?.[0]?.last_run.phase).toBe('Succeeded');
  });

  test('a Job of a hook is waited for; its failure fails the install, and atomic undoes it', async () => {
    const context = await contextIn();
    const job =
      'apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: before\n  annotations:\n    helm.sh/hook: pre-install\n' +
      'spec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers: [{name: c, image: i}]\n';
    const chart = chartOf({ 'a.yaml': configMap('a'), 'job.yaml': job });
    const install = installRelease('web', chart, new GoMap(), context, {
      serverSide: true,
      timeoutMs: 300,
      rollbackOnFailure: true,
    });
    await expect(install).rejects.toThrow(
      /^release web failed, and has been uninstalled .*Job\/.*\/before not ready/s,
    );
    expect(await statuses(context)).toEqual([]);
    expect(await namesIn(context.namespace)).toEqual([]);
  });

  test('a release of Helm 3 stays its own way in Helm 4, and becomes the server’s when told', async () => {
    const three = await contextIn(3);
    const chart = chartOf({ 'a.yaml': configMap('a') });
    await installRelease('web', chart, new GoMap(), three, { serverSide: false });
    const before = await client.resource(kinds.ConfigMap).get('a', { namespace: three.namespace });
    const four = { ...three, helm: 4 as const };
    await upgradeRelease('web', chart, new GoMap(), four, { serverSide: 'auto' });
    const after = await client.resource(kinds.ConfigMap).get('a', { namespace: three.namespace });
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    await upgradeRelease('web', chart, readValuesFile('color: blue', 4), four, {
      serverSide: true,
    });
    const moved = await client.resource(kinds.ConfigMap).get('a', { namespace: three.namespace });
    expect(moved.metadata.uid).toBe(before.metadata.uid);
    expect(moved.data).toEqual({ color: 'blue' });
    expect(
      moved.metadata.managedFields?.map(({ manager, operation }) => [manager, operation]),
    ).toEqual([['helm', 'Apply']]);
  });

  test('a rollback brings back what an upgrade took away; what is kept stays after the end', async () => {
    const context = await contextIn();
    const keep = '  annotations:\n    helm.sh/resource-policy: keep\n';
    const full = chartOf({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b', keep) });
    await installRelease('web', full, new GoMap(), context, { serverSide: true });
    const less = chartOf({ 'b.yaml': configMap('b', keep) });
    await upgradeRelease('web', less, new GoMap(), context, { serverSide: 'auto' });
    expect(await namesIn(context.namespace)).toEqual(['b']);
    const back = await rollbackRelease('web', context, { version: 1, serverSide: 'auto' });
    expect([back.version, back.info.rollback_revision]).toEqual([3, 1]);
    expect(await namesIn(context.namespace)).toEqual(['a', 'b']);
    const { kept } = await uninstallRelease('web', context, {});
    expect(kept).toContain('[ConfigMap] b');
    expect(await namesIn(context.namespace)).toEqual(['b']);
    await expect(uninstallRelease('web', context, {})).rejects.toThrow('release: not found');
  });

  test('what is another’s is neither taken nor deleted', async () => {
    const context = await contextIn();
    const { namespace } = context;
    await client.resource(kinds.ConfigMap).create({ metadata: { name: 'a', namespace } });
    const chart = chartOf({ 'a.yaml': configMap('a') });
    await expect(
      installRelease('web', chart, new GoMap(), context, { serverSide: true }),
    ).rejects.toThrow('invalid ownership metadata');
    await installRelease('web', chart, new GoMap(), context, {
      serverSide: true,
      takeOwnership: true,
    });
    await client
      .resource(kinds.ConfigMap)
      .patch(
        'a',
        { metadata: { annotations: { 'meta.helm.sh/release-name': 'other' } } },
        { namespace },
      );
    await uninstallRelease('web', context, {});
    expect(await namesIn(namespace)).toEqual(['a']);
  });

  test('the record has the dependencies that were chosen, by their aliases', async () => {
    const context = await contextIn();
    const sub = (name: string) => ({
      name: `charts/${name}/Chart.yaml`,
      data: Buffer.from(`apiVersion: v2\nname: ${name}\nversion: 1.2.0\n`),
    });
    const metadata = {
      apiVersion: 'v2',
      name: 'web',
      version: '1.0.0',
      dependencies: [
        { condition: 'db.enabled', repository: '', version: '1.x', name: 'db', alias: 'store' },
        { name: 'cache', version: '1.x', repository: '', condition: 'cache.enabled' },
      ],
    };
    const chart = loadChart([
      { name: 'Chart.yaml', data: Buffer.from(JSON.stringify(metadata)) },
      { name: 'values.yaml', data: Buffer.from('cache: {enabled: false}') },
      sub('db'),
      sub('cache'),
    ]);
    const release = await installRelease('web', chart, new GoMap(), context, { serverSide: true });
    // In Go's order: a digest is made of the text.
    expect(JSON.stringify(release.chart.metadata.dependencies)).toBe(
      '[{"name":"store","version":"1.x","repository":"","condition":"db.enabled","enabled":true,"alias":"store"}]',
    );
    expect(chart.metadata.dependencies).toHaveLength(2);
  });

  test('releases are listed by state, name, label, place and time, with the times of whoever made them', async () => {
    const context = await contextIn();
    const { namespace, cluster, storage } = context;
    const chart = chartOf({ 'a.yaml': configMap('{{ .Release.Name }}') });
    for (const [name, minutes, team] of [
      ['one', 3, 'a'],
      ['two', 1, 'b'],
      ['three', 2, 'a'],
    ] as const) {
      await installRelease(name, chart, new GoMap(), context, { serverSide: true });
      const record = (await storage.last(name))!;
      record.release.info.last_deployed = `2026-01-02T03:0${minutes}:05.5+05:30`;
      record.labels.team = team;
      await storage.update(record);
    }
    const failed = (await storage.last('two'))!;
    failed.release.info.status = 'failed';
    await storage.update(failed);
    const list = async (...flags: string[]) => {
      let text = '';
      const world = { ...context, cwd: '/', env: {}, files: new MemoryFiles(), cluster };
      const writeOut = (more: string) => {
        text += more;
      };
      const args = ['list', '-n', namespace, ...flags];
      const code = await runHelm(args, {
        ...world,
        helm: 4,
        timeZone: 'Asia/Kolkata',
        writeOut,
        writeError: writeOut,
      });
      return code === 0 ? text.trimEnd().split('\n') : text;
    };
    expect(await list('-q')).toEqual(['one', 'three', 'two']);
    expect(await list('-q', '--deployed', '-r')).toEqual(['three', 'one']);
    expect(await list('-q', '--failed')).toEqual(['two']);
    expect(await list('-q', '-d')).toEqual(['two', 'three', 'one']);
    expect(await list('-q', '-d', '--offset', '1', '--max', '1')).toEqual(['three']);
    expect(await list('-q', '-f', '^t.*e$')).toEqual(['three']);
    expect(await list('-q', '-l', 'team=a')).toEqual(['one', 'three']);
    expect(await list('-q', '-A', '-f', '^two$')).toEqual(['two']);
    expect(await list('-f', 'one', '--no-headers')).toEqual([
      `one\t${namespace}\t1\t2026-01-02 03:03:05.5 +0530 IST\tdeployed\tweb-1.0.0\t`.trimEnd(),
    ]);
    expect(await list('-f', '(')).toBe('Error: error parsing regexp: missing closing ): `(`\n');
  });

  test('lookup sees the cluster', async () => {
    const context = await contextIn();
    const { namespace } = context;
    await client
      .resource(kinds.ConfigMap)
      .create({ metadata: { name: 'seen', namespace }, data: { color: 'green' } });
    const chart = chartOf({
      'a.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  color: {{ (lookup "v1" "ConfigMap" .Release.Namespace "seen").data.color }}\n',
    });
    const { manifest } = await installRelease('web', chart, new GoMap(), context, {
      serverSide: true,
    });
    expect(manifest).toContain('color: green');
  });
});
