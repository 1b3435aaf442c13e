import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { helmReleaseKind, kustomizationKind } from '@waygate/gitops';
import type { KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { runInProcess } from '../run-in-process.ts';
import { type Fleet, startFleet } from '../testing/fleet.ts';
import { sizeText } from './stats.ts';

let fleet: Fleet;
let client: KubeClient;
let env: Record<string, string>;

beforeAll(async () => {
  fleet = await startFleet();
  ({ client, env } = fleet);
});

afterAll(() => fleet[Symbol.asyncDispose]());

describe('day-two verbs', () => {
  test('get shows what is ready, and at which revision', async () => {
    const { stdout, exitCode } = await runInProcess(['get', 'ks'], { env });
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')[1]).toMatch(/^apps +main@sha1:abc +False +True +Applied revision/);
    const all = await runInProcess(['get', '-o', 'json'], { env });
    expect(JSON.parse(all.stdout)).toHaveLength(1);
  });

  test.each([
    [['get', 'kustomizations'], 1],
    [['get', 'all'], 1],
    [['get', 'ks', '--status-selector', 'ready=true'], 1],
    [['get', 'ks', '--status-selector', 'ready=false'], 0],
    [['get', 'ks', '-l', 'team=shop'], 0],
    [['get', 'sources', 'all', '-A'], 0],
    [['get', 'ks', '-n', 'elsewhere'], 0],
    [['get', 'ks', '-A'], 1],
  ])('%j finds %i', async (args, count) => {
    const { stdout } = await runInProcess([...args, '-o', 'json'], { env });
    expect(JSON.parse(stdout)).toHaveLength(count);
  });

  test('get of one object is that object', async () => {
    const { stdout } = await runInProcess(['get', 'ks/apps', '-o', 'json'], { env });
    expect(JSON.parse(stdout).metadata.name).toBe('apps');
  });

  test('names say the kind where there are several, and the namespace with -A', async () => {
    const all = await runInProcess(['get', 'all', '-A', '--no-header'], { env });
    expect(all.stdout).toMatch(/^default +kustomization\/apps +main@sha1:abc/);
    const { stdout } = await runInProcess(['get', 'ks', '-o', 'name'], { env });
    expect(stdout).toBe('kustomization/apps\n');
  });

  test.each([
    ['events', ['events', '--for', 'ks/apps'], ''],
    ['stats', ['stats'], 'kustomization\n'],
    ['tree', ['tree', 'ks/apps'], 'Kustomization/default/apps\nDeployment/shop/web\n'],
    ['problems', ['problems', '--skip-gateway'], ''],
  ])('%s has -o wide and -o name', async (_, args, names) => {
    const named = await runInProcess([...args, '-o', 'name'], { env });
    expect([named.stdout, named.exitCode]).toEqual([names, 0]);
    expect((await runInProcess([...args, '-o', 'wide'], { env })).exitCode).toBe(0);
  });

  test('get shows what a Kustomization is made from, and says that there is none of a kind', async () => {
    const { stdout } = await runInProcess(['get', 'ks', '--show-source', '--no-header'], { env });
    expect(stdout).toMatch(/^apps +GitRepository\/default\/src +main@sha1:abc/);
    const none = await runInProcess(['get', 'hr', '-A'], { env });
    expect([none.exitCode, none.stdout]).toEqual([1, '']);
    expect(none.stderr).toContain('no HelmRelease objects found in any namespace');
    expect((await runInProcess(['get', 'hr', '-A', '-o', 'json'], { env })).stdout).toBe('[]\n');
  });

  test('--as asks with the rights of somebody else', async () => {
    const { exitCode, stderr } = await runInProcess(['get', 'ks', '--as', 'nobody'], { env });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('User "nobody" cannot list');
  });

  test('tree has the shape that flux prints', async () => {
    const { stdout } = await runInProcess(['tree', 'ks/apps', '-o', 'json'], { env });
    const resource = (Group: string, Kind: string, Namespace: string, Name: string) => ({
      resource: { Namespace, Name, GroupKind: { Group, Kind } },
    });
    expect(JSON.parse(stdout)).toEqual({
      ...resource('kustomize.toolkit.fluxcd.io', 'Kustomization', 'default', 'apps'),
      resources: [resource('apps', 'Deployment', 'shop', 'web')],
    });
  });

  test('stats -o wide counts what is ready and what is on its way, and tree what was applied', async () => {
    const stats = await runInProcess(['stats', '-o', 'wide'], { env });
    expect(stats.stdout).toMatch(/^Kustomization +1 +0 +0 +- +1 +0 +0$/m);
    const tree = await runInProcess(['tree', 'ks/apps', '-o', 'wide'], { env });
    expect(tree.stdout).toBe(
      'Kustomization/default/apps   ready at main@sha1:abc\n└── Deployment/shop/web\n',
    );
  });

  test('get --watch -o json prints an object whenever it changes', async () => {
    const stop = new AbortController();
    let printed = '';
    const watching = runInProcess(['get', 'ks/apps', '--watch', '-o', 'json'], {
      env,
      signal: stop.signal,
      onStdout: (text) => {
        printed += text;
      },
    });
    await vi.waitFor(() => expect(JSON.parse(printed).metadata.name).toBe('apps'), patience);
    stop.abort();
    expect((await watching).exitCode).toBe(0);
  });

  test('get --watch tells what is, and what changes', async () => {
    const stop = new AbortController();
    const lines: string[] = [];
    const watching = runInProcess(['get', 'ks', '--watch', '--no-header'], {
      env,
      signal: stop.signal,
      onStdout: (text) => lines.push(text),
    });
    await vi.waitFor(() => expect(lines.join('')).toContain('apps  '), patience);
    const resource = client.resource(kustomizationKind);
    await resource.patch('apps', { spec: { suspend: true } }, { namespace: 'default' });
    await vi.waitFor(() => expect(lines.join('')).toMatch(/apps .* True +True/), patience);
    await resource.patch('apps', { spec: { suspend: false } }, { namespace: 'default' });
    stop.abort();
    expect((await watching).exitCode).toBe(0);
  });

  test.each([
    [['get', 'sources', 'git', 'shop', 'more'], 'One object at a time'],
    [['get', 'ks', '--status-selector', 'ready'], 'must be TYPE=STATUS'],
    [['reconcile', 'source', 'git'], 'which object?'],
    [
      ['reconcile', 'source', 'git', 'shop', '--with-source'],
      'only a Kustomization, a HelmRelease',
    ],
    [['reconcile', 'ks', 'apps', '--force'], '--force and --reset are for HelmReleases'],
    [['reconcile', 'ks', 'apps', '--reset'], '--force and --reset are for HelmReleases'],
    [['tree', 'git', 'shop'], 'only a Kustomization has a tree'],
    [['suspend', 'ks', 'apps', '--all'], 'either --all or one object'],
  ])('%j is a wrong usage', async (args, said) => {
    const { exitCode, stderr } = await runInProcess(args, { env });
    expect(stderr).toContain(said);
    expect(exitCode).toBe(64);
  });

  test('what is not there is looked for elsewhere', async () => {
    const { exitCode, stderr } = await runInProcess(['get', 'ks', 'nobody'], { env });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('in the namespace default; -n names another');
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
    await runInProcess(['resume', 'ks', 'apps', '--no-wait', '--verbose'], { env });
    expect(await isSuspended()).toBeUndefined();
    const none = await runInProcess(['suspend', 'ks', 'apps', 'nobody', '-n', 'default'], { env });
    expect([none.exitCode, none.stderr]).toEqual([
      1,
      expect.stringContaining('"nobody" not found'),
    ]);
    expect(await isSuspended()).toBe(true);
    const back = await runInProcess(['resume', 'ks', 'apps', '--wait=false'], { env });
    expect(back.stderr).toBe(
      '► resuming kustomization apps in default namespace\n✔ kustomization resumed\n',
    );
  });

  test('reconcile gives up when nobody answers, and says what to do', async () => {
    const { exitCode, stderr } = await runInProcess(
      ['reconcile', 'ks', 'apps', '--timeout', '100ms'],
      { env },
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('was not reconciled in time');
  });

  test('reconcile of a HelmRelease asks with --force and --reset for just that request', async () => {
    const releases = client.resource(helmReleaseKind);
    await releases.create({
      metadata: { name: 'web', namespace: 'default' },
      spec: { interval: '1h', chartRef: { kind: 'OCIRepository', name: 'web' } },
    });
    const args = ['reconcile', 'hr', 'web', '--force', '--reset', '--timeout', '100ms'];
    await runInProcess(args, { env });
    const { annotations } = (await releases.get('web', { namespace: 'default' })).metadata;
    const requestedAt = annotations?.['reconcile.fluxcd.io/requestedAt'];
    expect(Date.parse(requestedAt ?? '')).toBeGreaterThan(0);
    expect(annotations).toMatchObject({
      'reconcile.fluxcd.io/forceAt': requestedAt,
      'reconcile.fluxcd.io/resetAt': requestedAt,
    });
    await releases.delete('web', { namespace: 'default' });
  });

  test('stats count by kind', async () => {
    const { stdout } = await runInProcess(['stats', '-A'], { env });
    expect(stdout).toMatch(/^RECONCILERS +RUNNING +FAILING +SUSPENDED +STORAGE$/m);
    expect(stdout).toMatch(/^Kustomization +1 +0 +0 +-$/m);
    expect([0, 12, 1536, 5 * 1024 ** 3].map(sizeText)).toEqual(['-', '12 B', '1.5 KiB', '5.0 GiB']);
  });

  test('debug shows the variables as they are substituted', async () => {
    await client.resource(kinds.ConfigMap).create({
      metadata: { name: 'vars', namespace: 'default' },
      data: { region: 'eu', tier: 'one' },
    });
    const postBuild = {
      substituteFrom: [{ kind: 'ConfigMap' as const, name: 'vars' }],
      substitute: { tier: 'two\nlines', zone: 'a' },
    };
    const resource = client.resource(kustomizationKind);
    await resource.patch('apps', { spec: { postBuild } }, { namespace: 'default' });
    const shown = await runInProcess(['debug', 'ks', 'apps', '--show-vars'], { env });
    expect(shown.stdout).toBe('region=eu\ntier=twolines\nzone=a\n');
    const status = await runInProcess(['debug', 'ks/apps', '--show-status'], { env });
    expect(status.stdout).toContain('lastAppliedRevision: main@sha1:abc');
    const both = await runInProcess(['debug', 'ks/apps', '--show-status', '--show-vars'], { env });
    expect(both.stderr).toContain('exactly one of --show-status, --show-vars');
    expect(both.exitCode).toBe(64);
  });

  test('logs say that there are no controllers, and where they were looked for', async () => {
    const { stderr, exitCode } = await runInProcess(['logs'], { env });
    expect(stderr).toContain('no controllers were found');
    expect(exitCode).toBe(1);
  });

  test('check --pre asks for the version alone', async () => {
    const { stdout, exitCode } = await runInProcess(['check', '--pre'], { env });
    expect(stdout).toMatch(/✔ Kubernetes v1/);
    expect(stdout).not.toContain('rights');
    expect(exitCode).toBe(0);
  });

  test('what is built and compared is a Kustomization, and its failure has an end of its own', async () => {
    mkdirSync(join(fleet.directory, 'apps'));
    const map = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  at: \${region}\n`;
    writeFileSync(join(fleet.directory, 'apps/map.yaml'), map);
    const path = join(fleet.directory, 'apps');
    const built = await runInProcess(['build', 'ks', 'apps', '--path', path], { env });
    expect(built.stderr).toBe('');
    expect(built.stdout).toContain('apiVersion: v1\ndata:\n  at: eu\nkind: ConfigMap\n');
    const compared = await runInProcess(['diff', 'ks', 'nobody'], { env });
    expect(compared.exitCode).toBe(2);
    expect((await runInProcess(['build', 'a', 'b'], { env })).exitCode).toBe(64);
  });

  test('events are those of the kinds that these verbs know', async () => {
    expect((await runInProcess(['events'], { env })).stdout).toContain('There are none');
  });

  test('an unknown kind is a wrong usage', async () => {
    expect((await runInProcess(['get', 'pods'], { env })).exitCode).toBe(64);
  });
});

describe('without a namespace', () => {
  const elsewhere = { ...kustomizationOf('sites', 'team-a') };

  beforeAll(async () => {
    for (const name of ['team-a', 'team-b', 'empty'])
      await fleet.server.request('POST', '/api/v1/namespaces', { metadata: { name } });
    await client.resource(kustomizationKind).create(elsewhere);
  });

  test('an object is found where it is, and that is said', async () => {
    const got = await runInProcess(['get', 'ks', 'sites', '-o', 'name'], { env });
    expect(got.stdout).toBe('kustomization/sites\n');
    expect(got.stderr).toContain('kustomization/sites is in the namespace team-a.');
    const suspended = await runInProcess(['suspend', 'ks/sites'], { env });
    expect(suspended.stderr).toContain('► suspending kustomization sites in team-a namespace\n');
  });

  test('a name that two namespaces have is not guessed', async () => {
    await client.resource(kustomizationKind).create(kustomizationOf('sites', 'team-b'));
    const got = await runInProcess(['get', 'ks', 'sites'], { env });
    expect(got.exitCode).toBe(64);
    expect(got.stderr).toContain('is in 2 namespaces: team-a, team-b');
    expect((await runInProcess(['get', 'ks', 'sites', '-n', 'team-b'], { env })).exitCode).toBe(0);
  });

  test('a namespace that somebody asked for is the only one that is looked at', async () => {
    const { stderr } = await runInProcess(['get', 'ks', '-n', 'empty'], { env });
    expect(stderr).toContain('no Kustomization objects found in "empty" namespace');
  });

  test('all are shown when the own one has none', async () => {
    const contextOf = fleet.server.kubeconfig.replace(
      /^( +)user: admin$/m,
      '$1namespace: empty\n$&',
    );
    const kubeconfig = join(fleet.directory, 'empty');
    writeFileSync(kubeconfig, contextOf);
    const own = await runInProcess(['get', 'ks'], { env: { KUBECONFIG: kubeconfig } });
    expect(own.stderr).toContain('There are none in the namespace empty; these are in others.');
    expect(own.stdout).toMatch(/^default +apps /m);
  });
});

function kustomizationOf(name: string, namespace: string) {
  return {
    metadata: { name, namespace },
    spec: {
      interval: '1h',
      prune: true,
      sourceRef: { kind: 'GitRepository' as const, name: 'src' },
    },
  };
}
