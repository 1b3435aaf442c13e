import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startTestServer } from '@waygate/apiserver';
import { kinds } from '@waygate/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type GitRepository, gitRepositoryKind } from '../api/source-objects.ts';
import { GitOpsControllers } from '../gitops-controllers.ts';
import { startTestCluster, type TestCluster } from '../testing/cluster.ts';
import { TestRepository } from '../testing/git-repository.ts';

let cluster: TestCluster;
let repository: TestRepository;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  cluster = await startTestCluster(await startTestServer());
  repository = new TestRepository();
  repository.commit({ 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n' });
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await cluster[Symbol.asyncDispose]();
  repository.remove();
});

/** One replica, with a directory of its own as each Pod has. */
async function replica(identity: string) {
  const directory = mkdtempSync(join(tmpdir(), 'waygate-standby-'));
  const stopping = new AbortController();
  const controllers = new GitOpsControllers({
    client: cluster.client,
    controllers: ['source'],
    storageDirectory: directory,
    allowFileUrls: true,
    leaderElection: {
      identity,
      leaseDurationMs: 5_000,
      renewDeadlineMs: 4_000,
      retryPeriodMs: 50,
    },
    onError: () => undefined,
  });
  const running = controllers.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await running;
    rmSync(directory, { recursive: true, force: true });
  };
  stops.push(stop);
  await controllers.ready;
  const onDisk = (path: string) => join(directory, path);
  return { stop, onDisk, url: (path: string) => controllers.storage.urlOf(path) };
}

async function createSource(): Promise<void> {
  await cluster.client.resource(gitRepositoryKind).create({
    metadata: { name: 'src', namespace: 'default' },
    spec: { url: repository.url, interval: '1h', ref: { branch: 'main' } },
  });
}

const source = () =>
  cluster.client.resource(gitRepositoryKind).get('src', { namespace: 'default' });

function untilHolder(identity: string) {
  return cluster.until(
    () => cluster.client.resource(kinds.Lease).list({ namespace: 'default' }),
    ({ items }) => items.some(({ spec }) => spec?.holderIdentity === identity),
  );
}

async function artifactOf(read: Promise<GitRepository>) {
  const { status } = await read;
  if (status?.artifact === undefined) throw new Error('no artifact');
  return status.artifact;
}

async function ask(requestedAt: string): Promise<GitRepository> {
  const metadata = { annotations: { 'reconcile.fluxcd.io/requestedAt': requestedAt } };
  const sources = cluster.client.resource(gitRepositoryKind);
  await sources.patch('src', { metadata }, { namespace: 'default' });
  return cluster.until(source, ({ status }) => status?.lastHandledReconcileAt === requestedAt);
}

describe('a standby', () => {
  test('has what the leader made, and takes over without making it again', async () => {
    const first = await replica('first');
    await untilHolder('first');
    const second = await replica('second');
    await createSource();
    await cluster.until(source, ({ status }) => status?.artifact !== undefined);
    const { path, digest, lastUpdateTime } = await artifactOf(source());
    await cluster.until(
      () => existsSync(second.onDisk(path)),
      (isThere) => isThere,
    );
    const { mtimeMs } = statSync(second.onDisk(path));

    await first.stop();
    await untilHolder('second');
    const taken = await artifactOf(ask('taken over'));
    expect(taken).toMatchObject({ path, digest, lastUpdateTime, url: second.url(path) });
    expect(statSync(second.onDisk(path)).mtimeMs).toBe(mtimeMs);
    expect((await fetch(taken.url)).status).toBe(200);
  });

  test('sends who asks for what it has not to the leader, and follows what goes', async () => {
    const first = await replica('first');
    await untilHolder('first');
    const second = await replica('second');
    await createSource();
    await cluster.until(source, ({ status }) => status?.artifact !== undefined);
    const { path } = await artifactOf(source());
    await cluster.until(
      () => existsSync(second.onDisk(path)),
      (isThere) => isThere,
    );
    rmSync(second.onDisk(path));
    const answer = await fetch(second.url(path), { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([307, first.url(path)]);
    expect((await fetch(second.url(path))).status).toBe(200);
    // What the leader has not is nowhere.
    expect((await fetch(second.url('gitrepository/default/src/none.tar.gz'))).status).toBe(404);

    await cluster.client.resource(gitRepositoryKind).delete('src', { namespace: 'default' });
    await cluster.until(
      () => existsSync(second.onDisk('gitrepository/default/src')),
      (isThere) => !isThere,
    );
  });

  test('takes no artifact whose bytes are others, or whose path is another source’s', async () => {
    const first = await replica('first');
    await untilHolder('first');
    const second = await replica('second');
    await createSource();
    await cluster.until(source, ({ status }) => status?.artifact !== undefined);
    const artifact = await artifactOf(source());
    await cluster.until(
      () => existsSync(second.onDisk(artifact.path)),
      (isThere) => isThere,
    );
    const sources = cluster.client.resource(gitRepositoryKind);
    const forge = (name: string, forged: object) =>
      sources.status.patch(
        name,
        { status: { artifact: { ...artifact, ...forged } } },
        { namespace: 'default' },
      );
    // Suspended: the leader leaves them alone.
    for (const name of ['spoilt', 'thief']) {
      await sources.create({
        metadata: { name, namespace: 'default' },
        spec: { url: repository.url, interval: '1h', suspend: true },
      });
    }
    const own = 'gitrepository/default/spoilt/x.tar.gz';
    mkdirSync(dirname(first.onDisk(own)), { recursive: true });
    writeFileSync(first.onDisk(own), 'other bytes');
    await forge('spoilt', { path: own, digest: `sha256:${'0'.repeat(64)}` });
    await forge('thief', { path: 'gitrepository/default/src/stolen.tar.gz' });
    repository.commit({ 'b.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n' });
    const next = await artifactOf(ask('later'));
    await cluster.until(
      () => existsSync(second.onDisk(next.path)),
      (isThere) => isThere,
    );
    expect(existsSync(second.onDisk(own))).toBe(false);
    expect(existsSync(second.onDisk('gitrepository/default/src/stolen.tar.gz'))).toBe(false);
    await first.stop();
  });
});
