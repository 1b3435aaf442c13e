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
  rollback,
  two,
  uninstall,
  upgrade,
  values,
} from '../testing/release-stage.ts';
import { rollbackRelease } from './rollback.ts';
import { upgradeRelease } from './upgrade.ts';

beforeEach(beginStage);

describe('upgrade', () => {
  beforeEach(async () => {
    await install();
    cluster.take();
  });

  test('writes what is wanted, takes the rest away, and keeps both revisions', async () => {
    const release = await upgrade();
    expect(cluster.take()).toEqual([
      'store sh.helm.release.v1.web.v2',
      'apply ConfigMap/a',
      'apply ConfigMap/c',
      'delete ConfigMap/b background',
      'waitReady hookOnly ConfigMap/a ConfigMap/c',
    ]);
    expect(await history()).toEqual([
      '1 superseded: Install complete',
      '2 deployed: Upgrade complete',
    ]);
    expect(release).toMatchObject({ version: 2, apply_method: 'ssa' });
  });

  test.each([
    [{}, '{}', '5'],
    [{}, '{"b":2}', '1'],
    [{ values: 'reset' }, '{}', '1'],
    [{ values: 'reuse' }, '{"b":2}', '5'],
    [{ values: 'resetThenReuse' }, '{"b":2}', '5'],
  ] as const)('with %j and %s the value is %s', async (options, given, wanted) => {
    await upgrade(one, {}, '{"a":5}');
    const release = await upgrade(one, options, given);
    expect(release.manifest).toContain(`v: "${wanted}"`);
  });

  test('reusing values keeps the defaults of the old chart', async () => {
    const other = chartOf(
      { a: map('a', 'data:\n  v: "{{ .Values.size }}"\n') },
      { 'values.yaml': 'size: 7\n' },
    );
    expect((await upgrade(other, { values: 'reuse' })).manifest).toContain('v: ""');
    expect((await upgrade(other, { values: 'resetThenReuse' })).manifest).toContain('v: "7"');
  });

  test('one that fails leaves the old one deployed', async () => {
    cluster.refused.set('waitReady hookOnly ConfigMap/a ConfigMap/c', 'Other');
    await expect(upgrade(two, { cleanupOnFail: true })).rejects.toThrow('no: waitReady');
    expect(await history()).toEqual([
      '1 deployed: Install complete',
      expect.stringMatching(/^2 failed: Upgrade "web" failed: no: waitReady/),
    ]);
    expect(cluster.take().at(-1)).toBe('delete ConfigMap/c background');
    cluster.take();
    await expect(upgrade(two, { rollbackOnFailure: true })).rejects.toThrow(
      'release web failed, and has been rolled back due to rollback-on-failure being set',
    );
    expect((await history()).at(-1)).toMatch(/^4 deployed: Rollback to 1/);
    expect(cluster.objects.has('ConfigMap/b')).toBe(true);
  });

  test('so many revisions are kept, and never is the one that is deployed forgotten', async () => {
    for (let turn = 0; turn < 3; turn++) await upgrade(one, { maxHistory: 2 });
    expect((await history()).map((each) => each.slice(0, 8))).toEqual(['3 supers', '4 deploy']);
    cluster.refused.set('waitReady hookOnly ConfigMap/a ConfigMap/b', 'Other');
    for (let turn = 0; turn < 3; turn++)
      await upgrade(one, { maxHistory: 2 }).catch(() => undefined);
    expect((await history()).map((each) => each.slice(0, 8))).toEqual(['4 deploy', '7 failed']);
  });

  test('labels are added, changed and taken away', async () => {
    await upgrade(one, { labels: { a: '1', b: '2' } });
    await upgrade(one, { labels: { a: 'null', b: '3' } });
    const labels = cluster.secrets.get('sh.helm.release.v1.web.v3')?.metadata.labels;
    expect(labels).toMatchObject({ b: '3', version: '3' });
    expect(labels).not.toHaveProperty('a');
  });

  test('it needs something to begin with, and nobody else at work', async () => {
    await expect(
      upgradeRelease('none', two, values(), contextOf(4), { serverSide: 'auto' }),
    ).rejects.toThrow('"none" has no deployed releases');
    const { storage } = contextOf(4);
    const [record] = await storage.history('web');
    record!.release.info.status = 'pending-upgrade';
    await storage.update(record!);
    await expect(upgrade()).rejects.toThrow(
      'another operation (install/upgrade/rollback) is in progress',
    );
    record!.release.info.status = 'uninstalled';
    await storage.update(record!);
    await expect(upgrade()).rejects.toThrow('"web" has no deployed releases');
  });

  test('Helm 3 patches what changed', async () => {
    await uninstall();
    await install(one, {}, 3);
    cluster.take();
    await upgrade(one, {}, '{"a":9}', 3);
    expect(cluster.take().filter((each) => each.startsWith('patch'))).toEqual([
      expect.stringMatching(/^patch ConfigMap\/a strategic .*"v":"9"/),
    ]);
    await upgrade(one, { forceReplace: true }, '{"a":8}', 3);
    expect(cluster.take()).toContain('replace ConfigMap/a');
  });

  test('ways that exclude each other are refused', async () => {
    await expect(upgrade(one, { forceReplace: true })).rejects.toThrow(
      'cannot use server-side apply and force replace together',
    );
    await expect(upgrade(one, { serverSide: false, forceConflicts: true })).rejects.toThrow(
      'cannot force conflicts without server-side apply',
    );
    await upgrade(one, { serverSide: true, forceConflicts: true });
    expect(cluster.take()).toContain('apply ConfigMap/a by force');
  });

  test('what says that it is kept stays', async () => {
    const kept = map('b', '  annotations:\n    helm.sh/resource-policy: keep\n');
    await upgrade(chartOf({ b: kept }));
    cluster.take();
    await upgrade(two);
    expect(cluster.take().some((each) => each.startsWith('delete'))).toBe(false);
    expect(cluster.objects.has('ConfigMap/b')).toBe(true);
  });
});

describe('rollback', () => {
  beforeEach(async () => {
    await install();
    await upgrade();
    cluster.take();
  });

  test('makes a new revision that is like the last, or like another', async () => {
    const release = await rollback();
    expect(cluster.take()).toEqual([
      'store sh.helm.release.v1.web.v3',
      'migrate ConfigMap/a',
      'apply ConfigMap/a',
      'apply ConfigMap/b',
      'delete ConfigMap/c background',
      'waitReady hookOnly ConfigMap/a ConfigMap/b',
    ]);
    expect(release.info).toMatchObject({ rollback_revision: 1, description: 'Rollback to 1' });
    await rollback({ version: 2, description: 'back' });
    expect(await history()).toEqual([
      '1 superseded: Install complete',
      '2 superseded: Upgrade complete',
      '3 superseded: Rollback to 1',
      '4 deployed: back',
    ]);
  });

  test('to what is not there is refused', async () => {
    await expect(rollback({ version: 9 })).rejects.toThrow('release has no 9 version');
    await expect(rollbackRelease('none', contextOf(4), { serverSide: 'auto' })).rejects.toThrow(
      'release: not found',
    );
  });

  test('one that fails is stored as failed', async () => {
    cluster.refused.set('waitReady hookOnly ConfigMap/a ConfigMap/b', 'Other');
    await expect(rollback()).rejects.toThrow('release web failed: no: waitReady');
    expect((await history()).at(-1)).toMatch(/^3 failed: Release "web" failed: no: waitReady/);
  });
});

describe('uninstall', () => {
  test('takes all away, the newest revision first in the words of its hooks', async () => {
    const chart = chartOf({
      a: map('a'),
      kept: map('kept', '  annotations:\n    helm.sh/resource-policy: keep\n'),
      before: hook('before', 'pre-delete'),
      after: hook('after', 'post-delete'),
    });
    await install(chart);
    cluster.take();
    const { kept, release } = await uninstall({ propagation: 'foreground', wait: 'watcher' });
    expect(cluster.take()).toEqual([
      'delete Job/before background',
      'waitDeleted watcher Job/before',
      'apply Job/before',
      'waitHook watcher Job/before',
      'delete ConfigMap/a foreground',
      'waitDeleted watcher ConfigMap/a',
      'delete Job/after background',
      'waitDeleted watcher Job/after',
      'apply Job/after',
      'waitHook watcher Job/after',
      'forget sh.helm.release.v1.web.v1',
    ]);
    expect(kept).toContain('These resources were kept due to the resource policy:\n');
    expect(kept).toContain('kept');
    expect(release.info.status).toBe('uninstalled');
    expect(cluster.objects.has('ConfigMap/kept')).toBe(true);
  });

  test('may keep what was known of it', async () => {
    await install();
    await upgrade();
    cluster.take();
    await uninstall({ keepHistory: true, description: 'gone' });
    expect(await history()).toEqual(['1 superseded: Install complete', '2 uninstalled: gone']);
    await expect(uninstall({ keepHistory: true })).rejects.toThrow(
      'the release named "web" is already deleted',
    );
    const { kept } = await uninstall();
    expect(kept).toBe('');
    expect(await history()).toEqual([]);
    await expect(uninstall()).rejects.toThrow(
      'uninstall: Release not loaded: web: release: not found',
    );
  });

  test('what goes wrong on the way is told at its end', async () => {
    await install();
    cluster.refused.set('waitDeleted watcher ConfigMap/b ConfigMap/a', 'Other');
    cluster.refused.set('waitDeleted watcher ConfigMap/a ConfigMap/b', 'Other');
    await expect(uninstall({ wait: 'watcher' })).rejects.toThrow(
      'uninstallation completed with 1 error(s): no: waitDeleted',
    );
    expect(await history()).toEqual([]);
  });
});
