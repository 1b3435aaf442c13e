import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filesOfMain, healedFilesOfMain } from '../testing/git-files.ts';
import { TestRepository } from '../testing/git-repository.ts';
import { GitProgram } from './git-program.ts';
import { GitRemote } from './git-remote.ts';

// Whatever a crash, a full disk or a bad sector left of a store: what comes out of it are all files of
// the commit, or an error after which the next try begins anew. Never some of the files.

let repository: TestRepository;
let home: string;
const git = new GitProgram({ protocols: ['file'] });
const first = { 'a.yaml': 'one', 'dir/b.yaml': 'b', 'dir/deep/c.yaml': 'c' };
const second = { 'a.yaml': 'two', 'dir/b.yaml': 'b', 'dir/deep/c.yaml': 'c' };

beforeEach(() => {
  repository = new TestRepository();
  home = mkdtempSync(join(tmpdir(), 'waygate-stores-'));
});

afterEach(() => {
  repository.remove();
  rmSync(home, { recursive: true, force: true });
});

const filesOf = (directory: string) => filesOfMain(git, repository.url, directory);
const healed = (directory: string) => healedFilesOfMain(git, repository.url, directory);

test('objects of a fetch that ended early do not count, whichever they are', async () => {
  // Loose objects without some others are what an interrupted fetch once left.
  const sha = repository.commit(first);
  const objects = repository.git('rev-list', '--objects', 'HEAD').split('\n');
  const old = (directory: string, missing: string) => {
    const bare = join(directory, 'store');
    mkdirSync(bare, { recursive: true });
    execFileSync('git', ['init', '--quiet', '--bare', bare]);
    for (const line of objects) {
      const name = line.slice(0, 40);
      const from = join(repository.directory, '.git/objects', name.slice(0, 2), name.slice(2));
      const to = join(bare, 'objects', name.slice(0, 2), name.slice(2));
      if (name === missing) continue;
      mkdirSync(dirname(to), { recursive: true });
      cpSync(from, to);
    }
    return bare;
  };
  for (const [index, line] of objects.entries()) {
    const missing = line.slice(0, 40);
    // Once as an earlier version of this program left it, and once as if it were ours and whole.
    const plain = join(home, `plain-${index}`);
    old(plain, missing);
    expect(await filesOf(plain)).toEqual(first);
    const claimed = join(home, `claimed-${index}`);
    const bare = old(claimed, missing);
    const sound = join(home, 'sound');
    await filesOf(sound);
    cpSync(join(sound, 'store', 'waygate-store'), join(bare, 'waygate-store'));
    cpSync(join(sound, 'store', 'refs'), join(bare, 'refs'), { recursive: true });
    expect(readdirSync(join(bare, 'refs', 'waygate'))).toEqual([sha]);
    expect(await healed(claimed)).toEqual(first);
  }
});

test('locks and quarantines of a killed process are in nobody’s way', async () => {
  repository.commit(first);
  const directory = join(home, 'locked');
  await filesOf(directory);
  for (const name of ['shallow.lock', 'config.lock', 'HEAD.lock', 'packed-refs.lock']) {
    writeFileSync(join(directory, 'store', name), '');
  }
  cpSync(join(directory, 'store'), join(directory, 'incoming-1'), { recursive: true });
  writeFileSync(join(directory, 'incoming-1', 'objects', 'pack', 'tmp_pack_1'), 'half');
  cpSync(join(directory, 'store'), join(directory, 'old-1'), { recursive: true });
  repository.commit(second);
  expect(await filesOf(directory)).toEqual(second);
  expect(readdirSync(directory)).toEqual(['store']);
});

test('only what changed is sent, and what is kept of the past is bounded', async () => {
  const large = 'x'.repeat(100_000);
  const directory = join(home, 'growing');
  for (let count = 0; count < 70; count++) {
    repository.commit({ 'a.yaml': `${count}`, [`random-${count % 2}`]: large });
    if (count % 10 !== 0 && count < 60) continue;
    expect((await filesOf(directory))['a.yaml']).toBe(`${count}`);
  }
  const packs = readdirSync(join(directory, 'store', 'objects', 'pack'));
  const small = packs
    .filter((name) => name.endsWith('.pack'))
    .map((name) => statSync(join(directory, 'store', 'objects', 'pack', name)).size)
    .sort((left, right) => left - right);
  expect(small.length).toBeGreaterThan(5);
  expect(small[0]).toBeLessThan(1000);
});

test('git looks for no repository above a store that it does not know as one', async () => {
  const sha = repository.commit(first);
  const inside = join(repository.directory, 'state');
  mkdirSync(join(inside, 'store'), { recursive: true });
  const remote = new GitRemote(git, repository.url, inside, {});
  await expect(remote.store.ask(['cat-file', 'commit', sha])).rejects.toThrow(
    /damaged: fatal: not a git repository/,
  );
});
