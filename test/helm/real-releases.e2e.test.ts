import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findHelms } from '../deploy/helm.ts';
import { ReleaseStage, type Said } from './release-stage.ts';

const { helms, problems } = await findHelms();
for (const problem of problems) console.warn(`Releases are not compared: ${problem}`);

/** What is asked of a release after each step; both read the same records. */
const questions = (name: string, major: 3 | 4): string[][] => [
  ['list'],
  ['list', ...(major === 3 ? ['--all'] : []), '-A', '-d', '-o', 'json'],
  ['history', name],
  ['history', name, '-o', 'yaml', '--max', '3'],
  ['status', name],
  ['get', 'all', name],
  ['get', 'values', name, '--all', '-o', 'json'],
  ['get', 'values', name, '--revision', '1'],
  ['get', 'manifest', name],
  ['get', 'hooks', name],
  ['get', 'notes', name],
  ['get', 'metadata', name, '-o', 'json'],
];

type Maker = 'ours' | 'real';
const other = (maker: Maker): Maker => (maker === 'ours' ? 'real' : 'ours');

describe.each(helms)('releases of Helm $major and ours', (helm) => {
  let stage: ReleaseStage;
  beforeAll(async () => {
    stage = await ReleaseStage.start(helm);
  });
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
  });

  const done = async (maker: Maker, ...args: string[]): Promise<Said> => {
    const said = await stage[maker](...args);
    expect(said.code, `${maker} ${args.join(' ')}: ${said.stdout}${said.stderr}`).toBe(0);
    return said;
  };
  const readAlike = async (name: string, step: string) => {
    const answered = questions(name, helm.major).map(async (question) => {
      const [ours, real] = await Promise.all([stage.ours(...question), stage.real(...question)]);
      return { question, ours, real };
    });
    for (const { question, ours, real } of await Promise.all(answered)) {
      // Helm 4 also prints what a kubectl of it would, in no order.
      const stdout = real.stdout.replace(/^RESOURCES:\n(?:.*\n)*?\n\n/m, '');
      expect(ours, `${step}: ${question.join(' ')}`).toEqual({ ...real, stdout });
    }
  };

  test.each<Maker>(['ours', 'real'])(
    'installed by %s, a release is read, upgraded, rolled back and uninstalled by both in turn',
    async (first) => {
      const name = `by-${first}`;
      const second = other(first);
      await done(first, 'install', name, './shop-1.0.0.tgz', '--set', 'color=green');
      const uids = await stage.uids(name);
      await readAlike(name, 'installed');
      await done(second, 'upgrade', name, './shop-1.1.0.tgz', '--reuse-values');
      await done(first, 'upgrade', name, './shop-1.1.0.tgz', '--set', 'port=81,db.size=9');
      await readAlike(name, 'upgraded');
      const failed = await stage[second]('upgrade', name, './shop-9.0.0.tgz');
      expect(failed.code).toBe(1);
      await readAlike(name, 'failed');
      await done(second, 'rollback', name, '2');
      await readAlike(name, 'rolled back');
      await done(first, 'rollback', name, '3');
      await done(second, 'test', name);
      await readAlike(name, 'tested');
      expect(await stage.uids(name)).toEqual(uids);
      await done(first, 'uninstall', name, '--keep-history');
      await readAlike(name, 'uninstalled');
      await done(second, 'rollback', name, '1');
      await done(second, 'uninstall', name);
      const left = await done(first, 'list', '-q');
      expect(left.stdout).toBe('');
    },
  );

  const shopAt = (version: string) => ({
    chart: {
      spec: { chart: 'shop', version, sourceRef: { kind: 'HelmRepository', name: 'repo' } },
    },
  });

  test('the release of a HelmRelease is read and changed by helm, and set right again', async () => {
    const { releases } = stage;
    const namespace = await releases.namespace();
    const values = { color: 'green' };
    await releases.create(namespace, { ...shopAt('1.0.0'), values });
    await releases.ready(namespace);
    const uids = await stage.uids('web', namespace);
    const inNamespace = ['-n', namespace];
    // The fields are another manager's: Helm 4 wants to be told twice.
    const force = helm.major === 4 ? ['--force-conflicts'] : [];
    expect((await done('real', 'list', ...inNamespace)).stdout).toContain('shop-1.0.0');
    const manifest = await done('real', 'get', 'manifest', 'web', ...inNamespace);
    expect(manifest.stdout).toContain('# Source: shop/charts/db/templates/cm.yaml');
    const notes = await done('real', 'get', 'notes', 'web', ...inNamespace);
    expect(notes.stdout).toContain('Shop web is green.');
    await done(
      'real',
      'upgrade',
      'web',
      './shop-1.1.0.tgz',
      '--set',
      'color=hand',
      ...force,
      ...inNamespace,
    );
    await releases.annotate(namespace, { 'reconcile.fluxcd.io/requestedAt': 'after' });
    const right = await releases.until(
      () => releases.get(namespace),
      ({ status }) => status?.lastHandledReconcileAt === 'after',
    );
    expect(right.status?.history?.[0]).toMatchObject({ version: 3, chartVersion: '1.0.0' });
    expect(await releases.data(namespace)).toMatchObject({ color: 'green', version: '1.0.0' });
    await done('real', 'rollback', 'web', '2', ...force, ...inNamespace);
    const history = await done('real', 'history', 'web', '-o', 'json', ...inNamespace);
    expect(JSON.parse(history.stdout).map(({ status }: { status: string }) => status)).toEqual([
      'superseded',
      'superseded',
      'superseded',
      'deployed',
    ]);
    expect(await releases.data(namespace)).toMatchObject({ color: 'hand', version: '1.1.0' });
    expect(await stage.uids('web', namespace)).toEqual(uids);
  });

  test('a HelmRelease goes on with a release that helm made, and recreates nothing', async () => {
    const { releases } = stage;
    const namespace = await releases.namespace();
    await done('real', 'install', 'web', './shop-1.0.0.tgz', '-n', namespace);
    const uids = await stage.uids('web', namespace);
    await releases.create(namespace, { ...shopAt('1.1.0'), values: { color: 'green' } });
    const ready = await releases.ready(namespace);
    expect(ready.status?.history?.[0]).toMatchObject({ version: 2, action: 'upgrade' });
    expect(await releases.data(namespace)).toMatchObject({ color: 'green', version: '1.1.0' });
    expect(await stage.uids('web', namespace)).toEqual(uids);
    const stored = await releases.stored(namespace);
    expect(stored.map(({ info }) => info.status)).toEqual(['superseded', 'deployed']);
    await done('real', 'uninstall', 'web', '-n', namespace);
    expect(await releases.data(namespace)).toBeUndefined();
  });
});
