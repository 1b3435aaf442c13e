import { beforeEach, describe, expect, test } from 'vitest';
import {
  beginStage,
  chartOf,
  cluster,
  contextOf,
  history,
  hook,
  install,
  map,
  one,
  told,
  uninstall,
} from '../testing/release-stage.ts';
import { testRelease } from './test-release.ts';

beforeEach(beginStage);

describe('install', () => {
  test('stores, writes and waits, in this order', async () => {
    const release = await install();
    expect(cluster.take()).toEqual([
      'store sh.helm.release.v1.web.v1',
      'apply ConfigMap/a',
      'apply ConfigMap/b',
      'waitReady hookOnly ConfigMap/a ConfigMap/b',
    ]);
    expect(release).toMatchObject({ version: 1, namespace: 'shop', apply_method: 'ssa' });
    expect(await history()).toEqual(['1 deployed: Install complete']);
    expect(cluster.objects.get('ConfigMap/a')?.metadata).toEqual({
      name: 'a',
      namespace: 'shop',
      labels: { 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: {
        'meta.helm.sh/release-name': 'web',
        'meta.helm.sh/release-namespace': 'shop',
      },
    });
  });

  test('Helm 3 creates', async () => {
    const release = await install(one, { wait: 'legacy', description: 'mine' }, 3);
    expect(cluster.take().slice(1)).toEqual([
      'create ConfigMap/a',
      'create ConfigMap/b',
      'waitReady legacy ConfigMap/a ConfigMap/b',
    ]);
    expect(release.apply_method).toBeUndefined();
    expect(await history()).toEqual(['1 deployed: mine']);
  });

  test('a name that is used is refused, unless it may be replaced', async () => {
    await install();
    await expect(install()).rejects.toThrow('release name check failed: cannot reuse a name');
    await expect(install(one, {}, 3)).rejects.toThrow('cannot re-use a name that is still in use');
    await expect(install(one, { replace: true })).rejects.toThrow('cannot reuse a name');
    await uninstall({ keepHistory: true });
    await install(one, { replace: true });
    expect(await history()).toEqual([
      '1 superseded: superseded by new release',
      '2 deployed: Install complete',
    ]);
  });

  test('objects of others are refused, or taken over', async () => {
    cluster.objects.set('ConfigMap/a', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
    });
    await expect(install()).rejects.toThrow(
      'unable to continue with install: ConfigMap "a" in namespace "shop" exists and cannot be imported into the current release: invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"',
    );
    await expect(install(one, {}, 3)).rejects.toThrow('Unable to continue with install: ');
    expect(cluster.take()).toEqual([]);
    await install(one, { takeOwnership: true });
    expect(cluster.take().slice(1, 4)).toEqual([
      'migrate ConfigMap/a',
      'apply ConfigMap/a',
      'apply ConfigMap/b',
    ]);
  });

  test('what fails is stored as failed, or taken away', async () => {
    cluster.refused.set('apply ConfigMap/b', 'Other');
    await expect(install()).rejects.toThrow('no: apply ConfigMap/b');
    expect((await history())[0]).toMatch(/^1 failed: Release "web" failed: .*no: apply/);
    await install(one, { replace: true }).catch(() => undefined);
    await uninstall();
    cluster.take();
    await expect(install(one, { rollbackOnFailure: true })).rejects.toThrow(
      'release web failed, and has been uninstalled due to rollback-on-failure being set: ',
    );
    expect(await history()).toEqual([]);
    expect(cluster.objects.size).toBe(0);
    cluster.refused.set('create ConfigMap/b', 'Other');
    await expect(install(one, { rollbackOnFailure: true }, 3)).rejects.toThrow(
      'due to atomic being',
    );
  });

  test('a dry run changes nothing', async () => {
    const release = await install(one, { dryRun: true, createNamespace: true });
    expect(release.info).toMatchObject({
      status: 'pending-install',
      description: 'Dry run complete',
    });
    expect(release.manifest).toContain('name: b');
    expect(cluster.take()).toEqual([]);
  });

  test('a namespace and definitions come first', async () => {
    const definition =
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: d\n';
    const chart = chartOf({ a: map('a') }, { 'crds/d.yaml': definition });
    await install(chart, { createNamespace: true, labels: { team: 'red' } });
    expect(cluster.take()).toEqual([
      'apply CustomResourceDefinition/d',
      'waitReady watcher CustomResourceDefinition/d',
      'forgetKinds',
      'apply Namespace/shop',
      'store sh.helm.release.v1.web.v1',
      'apply ConfigMap/a',
      'waitReady hookOnly ConfigMap/a',
    ]);
    expect(cluster.secrets.get('sh.helm.release.v1.web.v1')?.metadata.labels).toMatchObject({
      ...{ name: 'web', owner: 'helm', status: 'deployed', version: '1', team: 'red' },
    });
    await uninstall();
    cluster.take();
    await install(chart, { skipCrds: true });
    expect(cluster.take()).not.toContain('apply CustomResourceDefinition/d');
    await uninstall();
    cluster.take();
    await install(chart, { createNamespace: true }, 3);
    expect(cluster.take()).toEqual([
      'create CustomResourceDefinition/d',
      'create Namespace/shop',
      'store sh.helm.release.v1.web.v1',
      'create ConfigMap/a',
      'waitReady hookOnly ConfigMap/a',
    ]);
  });

  test('labels of Helm and kinds that nobody knows are refused', async () => {
    await expect(install(one, { labels: { owner: 'me' } })).rejects.toThrow(
      'user supplied labels contains system reserved label name. System labels: [name owner',
    );
    const unknown = chartOf({ a: 'apiVersion: x/v1\nkind: Unknown\nmetadata:\n  name: u\n' });
    await expect(install(unknown)).rejects.toThrow(
      'unable to build kubernetes objects from release manifest: resource mapping not found for name: "u" namespace: "" from "": no matches for kind "Unknown" in version "x/v1"\nensure CRDs are installed first',
    );
  });
});

describe('hooks', () => {
  const weight = (of: number) => `    helm.sh/hook-weight: "${of}"\n`;
  const policy = (of: string) => `    helm.sh/hook-delete-policy: ${of}\n`;
  const logs = '    helm.sh/hook-output-log-policy: hook-succeeded,hook-failed\n';
  const chart = chartOf({
    a: map('a'),
    late: hook('late', 'pre-install', weight(5)),
    early: hook('early', 'pre-install', weight(-5) + policy('hook-succeeded') + logs),
    after: hook('after', 'post-install', policy('hook-failed') + logs, 'Pod'),
  });

  test('run by weight, and go as they say', async () => {
    await install(chart);
    expect(cluster.take()).toEqual([
      'store sh.helm.release.v1.web.v1',
      'apply Job/early',
      'waitHook hookOnly Job/early',
      'delete Job/late background',
      'waitDeleted hookOnly Job/late',
      'apply Job/late',
      'waitHook hookOnly Job/late',
      'logs job-name=early',
      'delete Job/early background',
      'waitDeleted hookOnly Job/early',
      'apply ConfigMap/a',
      'waitReady hookOnly ConfigMap/a',
      'apply Pod/after',
      'waitHook hookOnly Pod/after',
      'logs after',
    ]);
    expect(told).toEqual(['of job-name=early', 'of after']);
    const [record] = await contextOf(4).storage.history('web');
    const phases = record?.release.hooks?.map(({ name, last_run }) => `${name} ${last_run.phase}`);
    expect(phases?.sort()).toEqual(['after Succeeded', 'early Succeeded', 'late Succeeded']);
  });

  test('one that fails ends it, and says so', async () => {
    cluster.refused.set('waitHook hookOnly Job/late', 'Other');
    await expect(install(chart)).rejects.toThrow(
      'failed pre-install: no: waitHook hookOnly Job/late',
    );
    expect(cluster.take().slice(-3)).toEqual([
      'waitHook hookOnly Job/late',
      'delete Job/early background',
      'waitDeleted hookOnly Job/early',
    ]);
    const [record] = await contextOf(4).storage.history('web');
    const phases = record?.release.hooks?.map(({ name, last_run }) => `${name} ${last_run.phase}`);
    expect(phases?.sort()).toEqual(['after ', 'early Succeeded', 'late Failed']);
  });

  test('one that cannot be made ends it, too; without hooks nothing does', async () => {
    cluster.refused.set('apply Pod/after', 'Other');
    await expect(install(chart)).rejects.toThrow(
      'failed post-install: warning: Hook post-install web/templates/after.yaml failed: ',
    );
    await uninstall();
    cluster.take();
    await install(chart, { disableHooks: true });
    expect(cluster.take().filter((each) => /Job|Pod/.test(each))).toEqual([]);
  });

  test('tests are run when they are asked for, those that were chosen', async () => {
    const tests = chartOf({ t: hook('t', 'test', '', 'Pod'), u: hook('u', 'test', '', 'Pod') });
    await install(tests);
    cluster.take();
    const run = (options: Parameters<typeof testRelease>[2]) =>
      testRelease('web', contextOf(4), options);
    await run({ names: ['t'] });
    expect(cluster.take().filter((each) => each.startsWith('apply'))).toEqual(['apply Pod/t']);
    await run({ excludedNames: ['t'] });
    expect(cluster.take().filter((each) => each.startsWith('apply'))).toEqual(['apply Pod/u']);
    const seen: string[] = [];
    const onLogs = (all: readonly { text: string }[]) =>
      void seen.push(...all.map(({ text }) => text));
    const release = await run({ onLogs });
    expect(seen).toEqual(['of t', 'of u']);
    expect(release.hooks?.map(({ last_run }) => last_run.phase)).toEqual([
      'Succeeded',
      'Succeeded',
    ]);
    cluster.refused.set('waitHook watcher Pod/u', 'Other');
    await expect(run({})).rejects.toThrow('no: waitHook watcher Pod/u');
    await expect(testRelease('none', contextOf(4), {})).rejects.toThrow('release: not found');
  });
});
