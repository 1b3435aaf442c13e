import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type GitHead, gitTopOf, readGitHead, watchGitHead } from './git-head.ts';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'waygate-head-')));
});
afterEach(() => rmSync(home, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
}

const commit = 'a'.repeat(40);
const main = 'ref: refs/heads/team/main\n';

test.each<[string, Record<string, string>, GitHead | undefined]>([
  ['no repository', {}, undefined],
  [
    'a branch',
    { '.git/HEAD': main, '.git/refs/heads/team/main': commit },
    { branch: 'team/main', hasCommits: true },
  ],
  ['a branch without commits', { '.git/HEAD': main }, { branch: 'team/main', hasCommits: false }],
  [
    'a packed branch',
    { '.git/HEAD': main, '.git/packed-refs': `${commit} refs/heads/team/main\n` },
    { branch: 'team/main', hasCommits: true },
  ],
  [
    'a longer name that is packed',
    { '.git/HEAD': main, '.git/packed-refs': `${commit} refs/heads/team/main2\n` },
    { branch: 'team/main', hasCommits: false },
  ],
  [
    'a table of references',
    { '.git/HEAD': main, '.git/reftable/tables.list': '' },
    { branch: 'team/main', hasCommits: true },
  ],
  ['a commit', { '.git/HEAD': `${commit}\n` }, { commit }],
  ['a commit of SHA-256', { '.git/HEAD': 'b'.repeat(64) }, { commit: 'b'.repeat(64) }],
  ['a commit that was cut off', { '.git/HEAD': 'a'.repeat(39) }, undefined],
  ['a reference that is no branch', { '.git/HEAD': 'ref: refs/remotes/x\n' }, undefined],
  ['a directory without HEAD', { '.git/config': '' }, undefined],
  [
    'a linked work tree',
    {
      '.git': 'gitdir: real/worktrees/x\n',
      'real/worktrees/x/HEAD': main,
      'real/worktrees/x/commondir': '../..\n',
      'real/refs/heads/team/main': commit,
    },
    { branch: 'team/main', hasCommits: true },
  ],
  ['a link that leads nowhere', { '.git': 'gitdir: gone\n' }, undefined],
  ['a file that is no link', { '.git': 'hello\n' }, undefined],
])('what is checked out: %s', (_name, files, head) => {
  write(files);
  expect(readGitHead(home)).toEqual(head);
});

test('a link may be a whole path', () => {
  write({ '.git': `gitdir: ${home}/real\n`, 'real/HEAD': commit });
  expect(readGitHead(home)).toEqual({ commit });
});

test('the top of a work tree is at or above a place', () => {
  write({ 'work/.git/HEAD': main, 'work/a/b/file': '' });
  for (const place of ['work', 'work/a', 'work/a/b']) {
    expect(gitTopOf(join(home, place))).toBe(join(home, 'work'));
  }
  expect(gitTopOf(home)).toBeUndefined();
});

test('another branch is told once, and nothing after the end', async () => {
  write({ '.git/HEAD': main, '.git/refs/heads/x': commit });
  const seen: GitHead[] = [];
  const watch = watchGitHead(home, (head) => seen.push(head));
  const checkOut = (text: string) => {
    write({ '.git/HEAD.lock': text });
    renameSync(join(home, '.git/HEAD.lock'), join(home, '.git/HEAD'));
  };
  try {
    checkOut('broken');
    checkOut('ref: refs/heads/x\n');
    const x = { branch: 'x', hasCommits: true };
    await vi.waitFor(() => expect(seen).toEqual([x]), { timeout: 20_000 });
    checkOut(commit);
    await vi.waitFor(() => expect(seen).toEqual([x, { commit }]), { timeout: 20_000 });
  } finally {
    watch.close();
  }
});
