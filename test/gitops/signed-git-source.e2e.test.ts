import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type GitRepository, gitRepositoryKind } from '@waygate/gitops';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { conditionOf, patience, SourceCluster } from './source-cluster.ts';
import { makeKeys } from './ssh-server.ts';
import { WorkTree } from './work-tree.ts';

// Signatures that the real gpg and ssh-keygen made, through the real git.

let cluster: SourceCluster;
let home: string;
let rings: string;
const people: Record<string, { id: string; armored: string }> = {};
const sshKey = makeKeys();

function gpg(...args: string[]): string {
  return execFileSync('gpg', ['--batch', '--homedir', rings, '--quiet', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'waygate-signed-'));
  // The socket of gpg's agent lies there, and may not have a long name.
  rings = mkdtempSync(join(tmpdir(), 'gpg-'));
  for (const name of ['alice', 'mallory']) {
    const email = `${name}@example.com`;
    gpg(
      '--passphrase',
      '',
      '--quick-generate-key',
      `${name} <${email}>`,
      'ed25519',
      'sign',
      'never',
    );
    const listed = gpg('--with-colons', '--list-keys', email);
    const id = /^pub:(?:[^:]*:){3}([0-9A-F]{16}):/m.exec(listed)?.[1] ?? '';
    people[name] = { id, armored: gpg('--armor', '--export', email) };
  }
  writeFileSync(join(home, 'ssh-key'), sshKey.identity, { mode: 0o600 });
  cluster = await SourceCluster.start({ allowFileUrls: true });
  await cluster.secret('alice', { 'alice.asc': people.alice!.armored });
  await cluster.secret('mallory', { 'mallory.asc': people.mallory!.armored });
  await cluster.secret('both', { 'a.asc': `${people.mallory!.armored}\n${people.alice!.armored}` });
  await cluster.secret('ssh', { authorized_keys: `# those who may\n${sshKey.publicKey}\n` });
  await cluster.secret('no-keys', { 'a.asc': 'not a key' });
});

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  // The agent was started by gpg for this directory alone.
  execFileSync('gpgconf', ['--homedir', rings, '--kill', 'all'], { stdio: 'ignore' });
  for (const directory of [home, rings]) rmSync(directory, { recursive: true, force: true });
});

function signedTree(name: string, format: 'openpgp' | 'ssh' = 'openpgp'): WorkTree {
  const directory = join(home, name);
  mkdirSync(directory);
  const tree = new WorkTree(directory, { GNUPGHOME: rings });
  const key = format === 'ssh' ? join(home, 'ssh-key') : (people.alice?.id ?? '');
  tree.git('config', 'gpg.format', format);
  tree.git('config', 'user.signingkey', key);
  return tree;
}

async function create(
  name: string,
  tree: WorkTree,
  verify: NonNullable<GitRepository['spec']['verify']>,
  ref: GitRepository['spec']['ref'] = { branch: 'main' },
): Promise<void> {
  const url = pathToFileURL(tree.directory).href;
  await cluster.create(gitRepositoryKind, name, { url, interval: '1h', ref, verify });
}

const stored = (name: string, revision: string) =>
  cluster.untilStored(gitRepositoryKind, name, revision);
const failed = (name: string, reason: string) =>
  cluster.untilFailed(gitRepositoryKind, name, reason);

describe('a commit', () => {
  test('that is signed is taken, and who signed it is told', async () => {
    const tree = signedTree('head');
    const sha = tree.commit({ 'a.txt': 'ünïcode' }, 'Größe\n\nWith a body\n', '-S');
    await create('head', tree, { mode: 'HEAD', secretRef: { name: 'alice' } });
    const object = await stored('head', `main@sha1:${sha}`);
    const message = `verified signature of\n\t- commit '${sha}' with key '${people.alice?.id}'`;
    expect(conditionOf(object, 'SourceVerified')).toMatchObject({
      status: 'True',
      reason: 'Succeeded',
      message,
    });
    expect(object.status).toMatchObject({ sourceVerificationMode: 'HEAD' });
    await vi.waitFor(async () => {
      expect(await cluster.events('head')).toContain(`Normal Succeeded: ${message}`);
    }, patience);
    await create('old-mode', tree, { mode: 'head', secretRef: { name: 'both' } });
    await stored('old-mode', `main@sha1:${sha}`);
    // The next one is not signed: what was there before stays.
    const next = tree.commit({ 'a.txt': 'unsigned' }, 'unsigned', '--no-gpg-sign');
    await cluster.request(gitRepositoryKind, 'head');
    const why = `signature verification of commit '${next}' failed: unable to verify Git commit: unable to verify payload as the provided signature is empty`;
    const told = await failed('head', 'InvalidCommitSignature');
    expect(told).toContain(`Ready=False/InvalidCommitSignature: ${why}`);
    expect(told).toContain(`SourceVerified=False/InvalidCommitSignature: ${why}`);
    const after = await cluster.get(gitRepositoryKind, 'head');
    expect(after.status?.artifact?.revision).toBe(`main@sha1:${sha}`);
  });

  test('that somebody else signed is refused until the keys are right', async () => {
    const tree = signedTree('stranger');
    const sha = tree.commit({ 'a.txt': 'a' }, 'a', '-S');
    await create('stranger', tree, { mode: 'HEAD', secretRef: { name: 'mallory' } });
    const [, ready] = await failed('stranger', 'InvalidCommitSignature');
    expect(ready).toBe(
      `Ready=False/InvalidCommitSignature: signature verification of commit '${sha}' failed: unable to verify Git commit: unable to verify payload with any of the given key rings`,
    );
    expect((await cluster.get(gitRepositoryKind, 'stranger')).status?.artifact).toBeUndefined();
    const spec = { verify: { mode: 'HEAD', secretRef: { name: 'alice' } } };
    await cluster.patch(gitRepositoryKind, 'stranger', { spec });
    await stored('stranger', `main@sha1:${sha}`);
    // Those who look again with other keys find out, though the commit is the same.
    const other = { verify: { mode: 'HEAD', secretRef: { name: 'mallory' } } };
    await cluster.patch(gitRepositoryKind, 'stranger', { spec: other });
    await failed('stranger', 'InvalidCommitSignature');
    await cluster.patch(gitRepositoryKind, 'stranger', { spec: { verify: null } });
    const object = await stored('stranger', `main@sha1:${sha}`);
    expect(conditionOf(object, 'SourceVerified')).toBeUndefined();
    expect(object.status).not.toHaveProperty('sourceVerificationMode');
  });

  test('whose signature was taken from another is refused', async () => {
    const tree = signedTree('forged');
    const good = tree.commit({ 'a.txt': 'a' }, 'good', '-S');
    const forged = tree
      .git('cat-file', 'commit', good)
      .replace(/^tree [0-9a-f]+/, `tree ${tree.git('write-tree')}`)
      .replace('good', 'evil');
    const file = join(home, 'forged-commit');
    writeFileSync(file, `${forged}\n`);
    const sha = tree.git('hash-object', '-t', 'commit', '-w', file);
    tree.git('update-ref', 'refs/heads/main', sha);
    await create('forged', tree, { mode: 'HEAD', secretRef: { name: 'alice' } });
    await failed('forged', 'InvalidCommitSignature');
  });

  test('that an SSH key signed is taken with authorized keys', async () => {
    const tree = signedTree('ssh', 'ssh');
    const sha = tree.commit({ 'a.txt': 'a' }, 'a', '-S');
    await create('ssh', tree, { mode: 'HEAD', secretRef: { name: 'ssh' } });
    const object = await stored('ssh', `main@sha1:${sha}`);
    expect(conditionOf(object, 'SourceVerified')?.message).toMatch(
      / with key 'SHA256:[\w+/]{43}'$/,
    );
    await create('ssh-stranger', tree, { mode: 'HEAD', secretRef: { name: 'alice' } });
    const [, ready] = await failed('ssh-stranger', 'InvalidCommitSignature');
    expect(ready).toContain('unable to verify payload with any of the given authorized keys');
  });

  test.each([
    ['no-keys', 'InvalidCommitSignature', 'unable to read armored key ring: no armored data found'],
    ['ghost', 'VerificationError', 'PGP public keys secret error: secrets "ghost" not found'],
  ])('without keys to know it by, in %s, is refused', async (name, reason, why) => {
    const tree = signedTree(`without-${name}`);
    tree.commit({ 'a.txt': 'a' }, 'a', '-S');
    await create(`without-${name}`, tree, { mode: 'HEAD', secretRef: { name } });
    const [, ready] = await failed(`without-${name}`, reason);
    expect(ready).toContain(why);
  });
});

describe('a tag', () => {
  test('that is signed is taken, alone or with its commit', async () => {
    const tree = signedTree('tags');
    const sha = tree.commit({ 'a.txt': 'a' }, 'a', '-S');
    tree.git('tag', '--sign', '--message', 'signed', 'v1.0.0');
    const object = tree.git('rev-parse', 'refs/tags/v1.0.0');
    const shown = `tag 'v1.0.0@sha1:${object}' with key '${people.alice?.id}'`;
    const secretRef = { name: 'alice' };
    await create('tag', tree, { mode: 'Tag', secretRef }, { tag: 'v1.0.0' });
    const found = await stored('tag', `v1.0.0@sha1:${sha}`);
    expect(conditionOf(found, 'SourceVerified')?.message).toBe(
      `verified signature of\n\t- ${shown}`,
    );
    expect(found.status).toMatchObject({ sourceVerificationMode: 'Tag' });
    await create('tag-and-head', tree, { mode: 'TagAndHEAD', secretRef }, { semver: '1.x' });
    const both = await stored('tag-and-head', `v1.0.0@sha1:${sha}`);
    expect(conditionOf(both, 'SourceVerified')?.message).toBe(
      `verified signature of\n\t- ${shown}\n\t- commit '${sha}' with key '${people.alice?.id}'`,
    );
    await create(
      'tag-stranger',
      tree,
      { mode: 'Tag', secretRef: { name: 'mallory' } },
      { tag: 'v1.0.0' },
    );
    const [, ready] = await failed('tag-stranger', 'InvalidTagSignature');
    expect(ready).toContain(`signature verification of tag 'v1.0.0@sha1:${object}' failed: `);
  });

  test('that is not signed, or is none, is refused', async () => {
    const tree = signedTree('unsigned-tags');
    tree.commit({ 'a.txt': 'a' }, 'a', '-S');
    tree.git('tag', '--no-sign', '--annotate', '--message', 'plain', 'v1.0.0');
    tree.git('tag', '--no-sign', 'v2.0.0');
    const secretRef = { name: 'alice' };
    for (const tag of ['v1.0.0', 'v2.0.0']) {
      const name = `unsigned-${tag.slice(0, 2)}`;
      await create(name, tree, { mode: 'Tag', secretRef }, { tag });
      const [, ready] = await failed(name, 'InvalidGitObject');
      expect(ready).toContain(`cannot verify signature of tag '${tag}@sha1:`);
    }
    await create('no-tag', tree, { mode: 'TagAndHEAD', secretRef });
    const why = "cannot verify tag object's signature if a tag reference is not specified";
    expect(await failed('no-tag', 'InvalidVerificationMode')).toEqual([
      `Stalled=True/InvalidVerificationMode: ${why}`,
      `Ready=False/InvalidVerificationMode: ${why}`,
      `SourceVerified=False/InvalidVerificationMode: ${why}`,
    ]);
  });
});
