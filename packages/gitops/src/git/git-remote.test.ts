import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestRepository } from '../testing/git-repository.ts';
import { GitCheckout } from './git-checkout.ts';
import { GitProgram } from './git-program.ts';
import { GitRemote } from './git-remote.ts';

let repository: TestRepository;
let store: string;
const git = new GitProgram({ protocols: ['file'] });

beforeEach(() => {
  repository = new TestRepository();
  store = mkdtempSync(join(tmpdir(), 'waygate-store-'));
});

afterEach(() => {
  repository.remove();
  rmSync(store, { recursive: true, force: true });
});

async function opened(url = repository.url): Promise<GitRemote> {
  const remote = new GitRemote(git, url, store, {});
  await remote.open();
  return remote;
}

async function filesOf(remote: GitRemote): Promise<Record<string, string>> {
  const commit = await remote.resolve({ branch: 'main' });
  const checkout = new GitCheckout(git, remote, {});
  const files: Record<string, string> = {};
  const selected = await checkout.select(commit, { allowsFileUrls: true });
  for await (const { path, content } of checkout.read(selected)) {
    files[path] = Buffer.from(content).toString();
  }
  return files;
}

test('gives the files of a commit, without links and without what is ignored', async () => {
  repository.commit({ 'a.yaml': 'a', 'dir/b.yaml': 'b', 'x.png': 'p', '.gitignore': 'z' });
  repository.git('config', 'core.symlinks', 'true');
  repository.git(
    'update-index',
    '--add',
    '--cacheinfo',
    `120000,${repository.git('hash-object', '-w', 'a.yaml')},link`,
  );
  repository.git('commit', '--quiet', '--message', 'a link');
  expect(await filesOf(await opened())).toEqual({ 'a.yaml': 'a', 'dir/b.yaml': 'b' });
});

test('says what is not there, and never a password', async () => {
  const remote = await opened(repository.url.replace(/$/, '-not-there'));
  await expect(remote.resolve({ branch: 'main' })).rejects.toThrow('repository not found');
  const secret = new GitRemote(new GitProgram(), 'https://me:hunter2@127.0.0.1:1/x.git', store, {});
  const error = await secret.resolve({ branch: 'main' }).catch((one: Error) => one.message);
  expect(error).toContain("'https://127.0.0.1:1/x.git'");
  expect(error).not.toContain('hunter2');
});

test('runs no hook and takes no protocol that was not allowed', async () => {
  repository.commit({ 'a.yaml': 'a' });
  const remote = new GitRemote(new GitProgram(), repository.url, store, {});
  await remote.open();
  await expect(remote.resolve({ branch: 'main' })).rejects.toThrow(/not allowed/);
  const ext = new GitRemote(git, 'ext::sh -c true', store, {});
  await expect(ext.resolve({ branch: 'main' })).rejects.toThrow(/not allowed/);
});

test('a commit that was found once is not asked for again', async () => {
  const sha = repository.commit({ 'a.yaml': 'a' });
  repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  const remote = await opened();
  const reference = { branch: 'main', commit: sha };
  const { revision } = await remote.resolve(reference);
  const nobody = new GitRemote(
    new GitProgram({ protocols: [] }),
    repository.url,
    store,
    {},
    revision,
  );
  await nobody.open();
  expect((await nobody.resolve(reference)).sha).toBe(sha);
  // On another branch it has to be looked for, whatever is in the store.
  await expect(nobody.resolve({ ...reference, branch: 'other' })).rejects.toThrow('not allowed');
});

test('a store of another URL, and one that is full of the past, starts anew', async () => {
  repository.commit({ 'a.yaml': 'one' });
  await filesOf(await opened());
  const ledger = join(store, 'store', 'waygate-store');
  const known = JSON.parse(readFileSync(ledger, 'utf8')) as object;
  expect(known).toMatchObject({ format: 1, fetches: 1, failures: 0 });
  await opened();
  expect(readdirSync(store)).toEqual(['store']);
  for (const spent of [{ fetches: 64 }, { failures: 2 }, { format: 0 }]) {
    writeFileSync(ledger, JSON.stringify({ ...known, ...spent }));
    await opened();
    expect(readdirSync(store)).toEqual([]);
    expect(await filesOf(await opened())).toEqual({ 'a.yaml': 'one' });
  }
  await opened(`${repository.url}/`);
  expect(readdirSync(store)).toEqual([]);
});
