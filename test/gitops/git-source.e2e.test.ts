import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GitRepository, gitRepositoryKind, kustomizationKind } from '@waygate/gitops';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Certificates, makeCertificates } from '../real/certificates.ts';
import { GitHttpsServer } from './git-https-server.ts';
import { conditionOf, configMapYaml, patience, SourceCluster } from './source-cluster.ts';
import { gitFailures } from './source-failures.ts';
import { WorkTree } from './work-tree.ts';

// Repositories of a real git server: what they mean, what is in them, and what goes wrong with them.

let cluster: SourceCluster;
let server: GitHttpsServer;
let certificates: Certificates;
let root: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'waygate-git-sources-'));
  certificates = makeCertificates();
  server = await GitHttpsServer.start({ root, certificates, username: 'x', password: 'y' });
  server.isOpen = true;
  cluster = await SourceCluster.start({ requeueDependencyMs: 500, retentionTtlMs: 1 });
  await cluster.secret('authority', { 'ca.crt': readFileSync(certificates.ca, 'utf8') });
});

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  for (const directory of [root, certificates.directory]) {
    rmSync(directory, { recursive: true, force: true });
  }
});

const urlOf = (repository: string) => `${server.url}/${repository}/.git`;

async function create(name: string, repository: string, spec: object = {}): Promise<void> {
  await cluster.create(gitRepositoryKind, name, {
    url: urlOf(repository),
    interval: '1h',
    ref: { branch: 'main' },
    secretRef: { name: 'authority' },
    ...spec,
  });
}

const stored = (name: string, revision: string) =>
  cluster.untilStored(gitRepositoryKind, name, revision);
const failed = (name: string, reason: string) =>
  cluster.untilFailed(gitRepositoryKind, name, reason);
const filesOn = (name: string) =>
  readdirSync(join(cluster.storage, 'gitrepository', 'default', name)).sort();

test('commit, apply, change, prune, suspend, resume, delete', async () => {
  const tree = new WorkTree(join(root, 'life'));
  const first = tree.commit({
    'a.yaml': configMapYaml('git-a', 'one'),
    'b.yaml': configMapYaml('git-b', 'x'),
  });
  await create('life', 'life');
  await cluster.apply(gitRepositoryKind, 'life');
  await stored('life', `main@sha1:${first}`);
  await vi.waitFor(async () => {
    expect(await cluster.configMap('git-a')).toEqual({ key: 'one' });
    expect(await cluster.configMap('git-b')).toEqual({ key: 'x' });
  }, patience);
  const second = tree.commit({ 'a.yaml': configMapYaml('git-a', 'two'), 'b.yaml': undefined });
  await cluster.request(gitRepositoryKind, 'life');
  await stored('life', `main@sha1:${second}`);
  await vi.waitFor(async () => {
    expect(await cluster.configMap('git-a')).toEqual({ key: 'two' });
    expect(await cluster.configMap('git-b')).toBeUndefined();
  }, patience);
  await cluster.patch(gitRepositoryKind, 'life', { spec: { suspend: true } });
  const third = tree.commit({ 'a.yaml': configMapYaml('git-a', 'three') });
  await cluster.patch(gitRepositoryKind, 'life', { spec: { suspend: false } });
  await stored('life', `main@sha1:${third}`);
  await vi.waitFor(
    async () => expect(await cluster.configMap('git-a')).toEqual({ key: 'three' }),
    patience,
  );
  await cluster.client.resource(kustomizationKind).delete('life', { namespace: 'default' });
  await vi.waitFor(async () => expect(await cluster.configMap('git-a')).toBeUndefined(), patience);
  await cluster.client.resource(gitRepositoryKind).delete('life', { namespace: 'default' });
  await vi.waitFor(async () => {
    await expect(cluster.get(gitRepositoryKind, 'life')).rejects.toThrow('not found');
    expect(await cluster.events('life')).toContain(
      'Normal GarbageCollectionSucceeded: garbage collected artifacts for deleted resource',
    );
  }, patience);
  expect(readdirSync(join(cluster.storage, 'gitrepository', 'default'))).not.toContain('life');
});

test('no-op, other rules, new commit, back to the old one, gone from disk, gone upstream', async () => {
  const tree = new WorkTree(join(root, 'history'));
  const files = { 'a.yaml': 'a: 1', 'docs/readme.md': 'r', 'img.png': 'x' };
  const subject = 'c3 subject that is longer than fifty characters to be cut';
  const third = tree.commit(files, subject);
  await create('history', 'history');
  const made = await stored('history', `main@sha1:${third}`);
  expect(made.status?.conditions?.map(({ type, message }) => [type, message])).toEqual([
    ['Ready', `stored artifact for revision 'main@sha1:${third}'`],
    ['ArtifactInStorage', `stored artifact for revision 'main@sha1:${third}'`],
  ]);
  expect(Object.keys(await cluster.filesOf(made))).toEqual(['a.yaml', 'docs/readme.md']);

  const same = await cluster.request(gitRepositoryKind, 'history');
  expect(same.status?.artifact).toEqual(made.status?.artifact);

  await cluster.patch(gitRepositoryKind, 'history', { spec: { ignore: 'docs/\n' } });
  const ruled = await cluster.until(gitRepositoryKind, 'history', ({ status }) => {
    expect(status?.observedIgnore).toBe('docs/\n');
    expect(status?.observedGeneration).toBe(2);
  });
  expect(ruled.status?.artifact?.revision).toBe(`main@sha1:${third}`);
  expect(ruled.status?.artifact?.digest).not.toBe(made.status?.artifact?.digest);
  expect(Object.keys(await cluster.filesOf(ruled))).toEqual(['a.yaml', 'img.png']);

  const fourth = tree.commit({ 'a.yaml': 'a: 2' }, 'c4');
  await cluster.request(gitRepositoryKind, 'history');
  await stored('history', `main@sha1:${fourth}`);
  expect(filesOn('history')).toEqual([`${third}.tar.gz`, `${fourth}.tar.gz`].sort());
  tree.git('reset', '--quiet', '--hard', third);
  await cluster.request(gitRepositoryKind, 'history');
  await stored('history', `main@sha1:${third}`);
  await cluster.request(gitRepositoryKind, 'history');
  expect(filesOn('history')).toEqual([`${third}.tar.gz`]);

  rmSync(join(cluster.storage, 'gitrepository', 'default', 'history', `${third}.tar.gz`));
  await cluster.request(gitRepositoryKind, 'history');
  const again = await stored('history', `main@sha1:${third}`);
  expect(again.status?.artifact?.digest).toBe(ruled.status?.artifact?.digest);

  renameSync(join(root, 'history'), join(root, 'elsewhere'));
  await cluster.request(gitRepositoryKind, 'history');
  const url = urlOf('history');
  const message = `failed to checkout and determine revision: unable to list remote for '${url}': repository not found`;
  expect(await failed('history', 'GitOperationFailed')).toEqual([
    'Reconciling=True/ProgressingWithRetry: reconciliation in progress',
    `Ready=False/GitOperationFailed: ${message}`,
    `ArtifactInStorage=True/Succeeded: stored artifact for revision 'main@sha1:${third}'`,
    `FetchFailed=True/GitOperationFailed: ${message}`,
  ]);
  renameSync(join(root, 'elsewhere'), join(root, 'history'));
  await stored('history', `main@sha1:${third}`);
  const short = `${subject.slice(0, 50)}...`;
  await vi.waitFor(async () => {
    const told = await cluster.events('history');
    for (const expected of [
      `Normal NewArtifact: stored artifact for commit '${short}'`,
      `Normal GitOperationSucceeded: no changes since last reconciliation: observed revision 'main@sha1:${third}'`,
      "Normal NewArtifact: stored artifact for commit 'c4'",
      'Normal GarbageCollectionSucceeded: garbage collected 1 artifacts',
      `Warning GitOperationFailed: ${message}`,
      `Normal Succeeded: stored artifact for commit 'main@sha1:${third}'`,
    ]) {
      expect(told).toContain(expected);
    }
  }, patience);
});

describe('references', () => {
  let tree: WorkTree;
  const commits: Record<string, string> = {};

  beforeAll(() => {
    tree = new WorkTree(join(root, 'refs'));
    commits.c1 = tree.commit({ 'a.txt': '1' }, 'c1');
    tree.git('tag', 'v1.0.0');
    tree.git('tag', '--annotate', '--message', 'a tag', 'v1.1.0');
    commits.c2 = tree.commit({ 'a.txt': '2' }, 'c2');
    commits.c3 = tree.commit({ 'a.txt': '3' }, 'c3');
    tree.git('tag', 'v1.5.0');
    tree.git('tag', '2.0.0-rc.1');
    tree.git('checkout', '--quiet', '-b', 'dev', commits.c1);
    commits.dev = tree.commit({ 'a.txt': 'dev' }, 'dev1');
    tree.git('update-ref', 'refs/pull/7/head', commits.dev);
    tree.git('checkout', '--quiet', 'main');
  });

  test.each([
    ['branch', { branch: 'dev' }, 'dev', 'dev'],
    ['tag', { tag: 'v1.0.0', branch: 'dev' }, 'v1.0.0', 'c1'],
    ['annotated', { tag: 'v1.1.0' }, 'v1.1.0', 'c1'],
    ['semver', { semver: '1.x' }, 'v1.5.0', 'c3'],
    ['semver-pre', { semver: '>=2.0.0-0' }, '2.0.0-rc.1', 'c3'],
    ['name', { name: 'refs/pull/7/head' }, 'refs/pull/7/head', 'dev'],
    ['name-tag', { name: 'refs/tags/v1.1.0' }, 'refs/tags/v1.1.0', 'c1'],
    ['commit-on-branch', { branch: 'main', commit: 'c2' }, 'main', 'c2'],
  ])('%s', async (name, ref, shown, commit) => {
    const { commit: wanted } = ref as { commit?: string };
    const full = wanted === undefined ? ref : { ...ref, commit: commits[wanted]! };
    await create(`ref-${name}`, 'refs', { ref: full });
    await stored(`ref-${name}`, `${shown}@sha1:${commits[commit]}`);
  });

  test('a commit alone', async () => {
    await create('ref-commit', 'refs', { ref: { commit: commits.c2! } });
    const object = await stored('ref-commit', `sha1:${commits.c2}`);
    expect(await cluster.filesOf(object)).toEqual({ 'a.txt': '2' });
  });

  const failures: [string, NonNullable<GitRepository['spec']['ref']>, () => string][] = [
    [
      'missing-branch',
      { branch: 'nope' },
      () => `unable to clone '${urlOf('refs')}': couldn't find remote ref "refs/heads/nope"`,
    ],
    ['bad-semver', { semver: 'nope' }, () => 'semver parse error: improper constraint: "nope"'],
    ['no-semver', { semver: '>=9' }, () => 'no match found for semver: >=9'],
    [
      'other-branch',
      { branch: 'main', commit: 'dev' },
      () => `unable to resolve commit object for '${commits.dev}': object not found`,
    ],
    [
      'missing-name',
      { name: 'refs/heads/nope' },
      () => "unable to resolve ref 'refs/heads/nope' to a specific commit",
    ],
  ];

  test.each(failures)('%s is told, and tried again', async (name, ref, why) => {
    const { commit } = ref;
    const full = commit === undefined ? ref : { ...ref, commit: commits[commit]! };
    await create(`ref-${name}`, 'refs', { ref: full });
    const message = `failed to checkout and determine revision: ${why()}`;
    expect(await failed(`ref-${name}`, 'GitOperationFailed')).toEqual([
      'Reconciling=True/ProgressingWithRetry: building artifact',
      `Ready=False/GitOperationFailed: ${message}`,
      `FetchFailed=True/GitOperationFailed: ${message}`,
    ]);
    await vi.waitFor(async () => {
      expect(await cluster.events(`ref-${name}`)).toContain(
        `Warning GitOperationFailed: ${message}`,
      );
    }, patience);
  });
});

describe('what is in it', () => {
  test('only the directories that are wanted, and none that is not there', async () => {
    const tree = new WorkTree(join(root, 'sparse'));
    const sha = tree.commit({ 'a.yaml': 'a', 'sub/deep/s.yaml': 's', 'subway/x.yaml': 'x' });
    await create('sparse', 'sparse', { sparseCheckout: ['./sub'] });
    const object = await stored('sparse', `main@sha1:${sha}`);
    expect(await cluster.filesOf(object)).toEqual({ 'sub/deep/s.yaml': 's' });
    await create('sparse-missing', 'sparse', { sparseCheckout: ['nope'] });
    const [, ready] = await failed('sparse-missing', 'GitOperationFailed');
    expect(ready).toBe(
      "Ready=False/GitOperationFailed: failed to sparse checkout directories : sparse checkout dir 'nope' does not exist in repository",
    );
  });

  test('submodules, when they are wanted', async () => {
    const part = new WorkTree(join(root, 'part'));
    const linked = part.commit({ 'part.yaml': 'p' });
    const tree = new WorkTree(join(root, 'whole'));
    const modules = '[submodule "part"]\n\tpath = lib/part\n\turl = ../../part/.git\n';
    tree.commit({ 'a.yaml': 'a', '.gitmodules': modules });
    tree.git('update-index', '--add', '--cacheinfo', `160000,${linked},lib/part`);
    tree.git('commit', '--quiet', '--message', 'With a part');
    const sha = tree.git('rev-parse', 'HEAD');
    await create('modules', 'whole', { recurseSubmodules: true });
    const object = await stored('modules', `main@sha1:${sha}`);
    expect(await cluster.filesOf(object)).toEqual({ 'a.yaml': 'a', 'lib/part/part.yaml': 'p' });
    await create('no-modules', 'whole');
    const without = await stored('no-modules', `main@sha1:${sha}`);
    expect(await cluster.filesOf(without)).toEqual({ 'a.yaml': 'a' });
  });

  test('files of other repositories, once they are there and whenever they change', async () => {
    const tree = new WorkTree(join(root, 'user'));
    const lib = new WorkTree(join(root, 'lib'));
    const sha = tree.commit({ 'a.yaml': 'a' });
    const first = lib.commit({ 'lib/l.yaml': 'l' });
    const include = [{ repository: { name: 'lib' }, fromPath: 'lib', toPath: 'vendor/lib' }];
    await create('user', 'user', { include });
    const missing =
      'could not get resource for include \'lib\': GitRepository.source.toolkit.fluxcd.io "lib" not found';
    expect(await failed('user', 'NotFound')).toEqual([
      'Reconciling=True/ProgressingWithRetry: building artifact',
      `Ready=False/NotFound: ${missing}`,
      `IncludeUnavailable=True/NotFound: ${missing}`,
    ]);
    await vi.waitFor(async () => {
      expect(await cluster.events('user')).toContain(`Normal NotFound: ${missing}`);
    }, patience);
    await create('lib', 'lib');
    await stored('lib', `main@sha1:${first}`);
    const object = await stored('user', `main@sha1:${sha}`);
    expect(await cluster.filesOf(object)).toEqual({ 'a.yaml': 'a', 'vendor/lib/l.yaml': 'l' });
    expect(object.status).toMatchObject({
      observedInclude: include,
      includedArtifacts: [{ revision: `main@sha1:${first}` }],
    });
    lib.commit({ 'lib/m.yaml': 'm' });
    await cluster.request(gitRepositoryKind, 'lib');
    await vi.waitFor(async () => {
      const now = await cluster.get(gitRepositoryKind, 'user');
      expect(Object.keys(await cluster.filesOf(now))).toContain('vendor/lib/m.yaml');
    }, patience);
  });

  test('no history: a commit is had alone, and so is the next', async () => {
    const tree = new WorkTree(join(root, 'long'));
    for (let index = 0; index < 20; index++) tree.commit({ 'a.txt': `${index}` });
    await create('long', 'long');
    await stored('long', `main@sha1:${tree.git('rev-parse', 'HEAD')}`);
    const next = tree.commit({ 'a.txt': 'next' });
    await cluster.request(gitRepositoryKind, 'long');
    await stored('long', `main@sha1:${next}`);
    const stores = readdirSync(join(cluster.storage, '.git-objects'));
    const shallow = stores.filter((name) => {
      try {
        return readFileSync(
          join(cluster.storage, '.git-objects', name, 'store', 'shallow'),
          'utf8',
        ).includes(next);
      } catch {
        return false;
      }
    });
    expect(shallow).toHaveLength(1);
  });
});

describe('what goes wrong', () => {
  let odd: Server;

  beforeAll(async () => {
    odd = createServer((request, response) => {
      if (request.url?.startsWith('/500')) response.writeHead(500).end();
      else if (!request.url?.startsWith('/hang')) response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    odd.closeAllConnections();
    await new Promise((resolve) => odd.close(resolve));
  });

  const at = () => `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;

  test.each(gitFailures(at))(
    '%s is told, and tried again',
    async (name, specOf, reason, messageOf) => {
      if (name === 'password-only') await cluster.secret(name, { password: 'x' });
      if (name === 'github-app') await cluster.secret(name, { githubAppID: '1' });
      await create(`bad-${name}`, 'refs', specOf());
      expect(await failed(`bad-${name}`, reason)).toEqual([
        'Reconciling=True/ProgressingWithRetry: building artifact',
        `Ready=False/${reason}: ${messageOf()}`,
        `FetchFailed=True/${reason}: ${messageOf()}`,
      ]);
      await vi.waitFor(async () => {
        expect(await cluster.events(`bad-${name}`)).toContain(`Warning ${reason}: ${messageOf()}`);
      }, patience);
    },
  );

  test('an empty repository', async () => {
    new WorkTree(join(root, 'empty'));
    await create('empty', 'empty');
    const [, ready] = await failed('empty', 'EmptyGitRepository');
    expect(ready).toBe('Ready=False/EmptyGitRepository: git repository is empty');
  });

  test('a provider without its Secret is refused for good', async () => {
    await create('github', 'refs', { provider: 'github', secretRef: undefined });
    const message =
      'secretRef with github app data must be specified when provider is set to github';
    const reason = 'InvalidProviderConfiguration';
    expect(await failed('github', reason)).toEqual([
      `Stalled=True/${reason}: ${message}`,
      `Ready=False/${reason}: ${message}`,
      `FetchFailed=True/${reason}: ${message}`,
    ]);
    const object = await cluster.get(gitRepositoryKind, 'github');
    expect(object.status?.observedGeneration).toBe(1);
    expect(conditionOf(object, 'Reconciling')).toBeUndefined();
  });
});
