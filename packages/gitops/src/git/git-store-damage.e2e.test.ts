import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { filesOfMain, healedFilesOfMain } from '../testing/git-files.ts';
import { TestRepository } from '../testing/git-repository.ts';
import { GitProgram } from './git-program.ts';

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

function allFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

const damages: Readonly<Record<string, (file: string) => void>> = {
  removed: (file) => rmSync(file),
  emptied: (file) => truncateSync(file, 0),
  halved: (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  spoilt: (file) => {
    const bytes = readFileSync(file);
    for (let at = 12; at < bytes.length; at += 7) bytes[at] = (bytes[at] ?? 0) ^ 0x55;
    rmSync(file);
    writeFileSync(file, bytes);
  },
  lengthened: (file) => appendFileSync(file, 'more'),
};

describe.each(Object.keys(damages))('a store with a file that was %s', (damage) => {
  test.each(['is read again', 'is fetched into'])('and %s', async (then) => {
    repository.commit(first);
    const sound = join(home, 'sound');
    await filesOf(sound);
    if (then === 'is fetched into') repository.commit(second);
    const wanted = then === 'is fetched into' ? second : first;
    const relevant = allFiles(sound).filter((file) => !/description|exclude|hooks/.test(file));
    expect(relevant.length).toBeGreaterThan(6);
    for (const [index, file] of relevant.entries()) {
      const spoilt = join(home, `spoilt-${index}`);
      cpSync(sound, spoilt, { recursive: true });
      const target = join(spoilt, file.slice(sound.length));
      execFileSync('chmod', ['u+w', target]);
      damages[damage]?.(target);
      expect(await healed(spoilt), file).toEqual(wanted);
    }
  });
});
