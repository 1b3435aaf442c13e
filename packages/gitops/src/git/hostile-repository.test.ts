import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { TestRepository } from '../testing/git-repository.ts';
import { GitCheckout } from './git-checkout.ts';
import { GitProgram } from './git-program.ts';
import { GitRemote } from './git-remote.ts';
import { GitTree } from './git-tree.ts';

// Repositories that nobody makes by accident.

let repository: TestRepository;
let store: string;
const protocols = ['file'];

beforeEach(() => {
  repository = new TestRepository();
  store = mkdtempSync(join(tmpdir(), 'waygate-store-'));
});

afterEach(() => {
  repository.remove();
  rmSync(store, { recursive: true, force: true });
});

/** An object of git with any bytes, as a hostile server could send it. */
function object(type: 'tree' | 'commit' | 'blob', bytes: Buffer): string {
  return execFileSync('git', ['hash-object', '-t', type, '-w', '--stdin', '--literally'], {
    cwd: repository.directory,
    input: bytes,
    encoding: 'utf8',
  }).trim();
}

const entry = (mode: string, name: string, sha: string) =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, 'hex')]);

function commitOf(tree: string): void {
  const who = 'x <x@example.com> 1700000000 +0000';
  const text = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nevil\n`;
  repository.git('update-ref', 'refs/heads/main', object('commit', Buffer.from(text)));
}

async function files(git = new GitProgram({ protocols }), rules?: string): Promise<string[]> {
  const remote = new GitRemote(git, repository.url, store, {});
  await remote.open();
  const commit = await remote.resolve({ branch: 'main' });
  const checkout = new GitCheckout(git, remote, {});
  const found: string[] = [];
  const selected = await checkout.select(commit, { allowsFileUrls: true, rules });
  for await (const { path } of checkout.read(selected)) found.push(path);
  return found;
}

describe('names', () => {
  test.each(['..', '.', '.git', '.GIT'])('%s is refused', async (name) => {
    const blob = object('blob', Buffer.from('x'));
    const inner = object('tree', entry('100644', 'passwd', blob));
    commitOf(object('tree', entry('40000', name, inner)));
    await expect(files()).rejects.toThrow(/the repository has a file of the name/);
  });

  test('without end are refused, and no listing is taken for whole that is not', async () => {
    const blob = object('blob', Buffer.from('x'));
    commitOf(object('tree', entry('100644', 'x'.repeat(100_000), blob)));
    await expect(files()).rejects.toThrow(
      /^(git said more than it may|the repository has a file of the name)/,
    );
  });

  test('that others could not unpack are refused, unless they are ignored', async () => {
    repository.commit({ 'a\\b.txt': 'x', 'ok.txt': 'x' });
    await expect(files()).rejects.toThrow('has a backslash in its name');
    expect(await files(undefined, '*b.txt\n')).toEqual(['ok.txt']);
  });
});

test('links, devices and what is no file are left out', async () => {
  const blob = object('blob', Buffer.from('/etc/passwd'));
  const tree = Buffer.concat([
    entry('20000', 'device', blob),
    entry('100755', 'file', blob),
    entry('120000', 'link', blob),
  ]);
  commitOf(object('tree', tree));
  const found = await files();
  expect(found).toContain('file');
  expect(found).not.toContain('link');
});

test('a tree of trees of trees is given up before it is whole', async () => {
  let inner = object('tree', entry('100644', 'f', object('blob', Buffer.from('x'))));
  for (let level = 0; level < 9; level++) {
    const all = Array.from({ length: 10 }, (_one, index) => entry('40000', `d${index}`, inner));
    inner = object('tree', Buffer.concat(all));
  }
  commitOf(inner);
  const limits = { maxFiles: 1000, maxFileBytes: 1000, maxBytes: 5000 };
  const git = new GitProgram({ protocols });
  const tree = new GitTree(git, { directory: repository.directory }, limits);
  await expect(tree.list('main')).rejects.toThrow('the repository has more than 4000 files');
});

test('more than may be written is not written', async () => {
  writeFileSync(join(repository.directory, 'large'), randomBytes(3 * 1024 * 1024));
  repository.commit({});
  const git = new GitProgram({ protocols, maxFileBytes: 1024 * 1024 });
  await expect(files(git)).rejects.toThrow('the repository is larger than it may be');
});

test('a file that is larger than it may be is not read', async () => {
  repository.commit({ large: 'x'.repeat(2000), small: 'x' });
  const git = new GitProgram({ protocols });
  const limits = { maxFiles: 10, maxFileBytes: 1000, maxBytes: 5000 };
  const tree = new GitTree(git, { directory: repository.directory }, limits);
  const { files: listed } = await tree.list('main');
  await expect(tree.read(listed).next()).rejects.toThrow('large is larger than 1000 bytes');
  const some = new GitTree(git, { directory: repository.directory }, { ...limits, maxFiles: 1 });
  await expect(some.read(listed).next()).rejects.toThrow('more than 1 files');
});

test('a program that is not there is told', async () => {
  const git = new GitProgram({ program: '/nonexistent/git' });
  await expect(git.text(['version'])).rejects.toThrow('the program git cannot be run');
});

test('a call that takes too long ends with all that it started', async () => {
  const marker = `sleep-${process.pid}`;
  const script = join(store, 'slow-git');
  writeFileSync(script, `#!/bin/sh\nsleep 60 & echo $! > '${join(store, marker)}'; wait\n`, {
    mode: 0o755,
  });
  const git = new GitProgram({ program: script });
  await expect(git.text([], { timeoutMs: 1000 })).rejects.toThrow('context deadline exceeded');
  const child = Number(readFileSync(join(store, marker), 'utf8'));
  // What is left of it, where nobody collects what others left behind, runs no more; a process that was
  // killed takes a moment to end.
  await vi.waitFor(() => expect(stateOf(child)).toMatch(/^(gone|Z)$/), patience);
});

function stateOf(pid: number): string {
  try {
    return /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';
  } catch {
    return 'gone';
  }
}
