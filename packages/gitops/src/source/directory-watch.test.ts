import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { DirectoryWatch } from './directory-watch.ts';

let directory: string;
let watch: DirectoryWatch;
let changes: number;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'waygate-watch-')));
  mkdirSync(join(directory, 'deep/deeper'), { recursive: true });
  writeFileSync(join(directory, 'deep/deeper/a.yaml'), 'one');
  writeFileSync(join(directory, 'b.yaml'), 'one');
  changes = 0;
  watch = new DirectoryWatch({
    directory,
    isFollowed: (path) => !/(^|\/)\.git$/.test(path),
    onChange: () => {
      changes += 1;
    },
    onError: (error) => {
      throw error;
    },
  });
  watch.start();
});

afterEach(() => {
  watch.close();
  rmSync(directory, { recursive: true, force: true });
});

/** The change is told, and so is the next one in the same place. */
async function seen(change: () => void): Promise<void> {
  const before = changes;
  change();
  await vi.waitFor(() => expect(changes).toBeGreaterThan(before), patience);
  // What belongs to this change has come before the next is made.
  for (let known = -1; known !== changes; ) {
    known = changes;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const at = (path: string): string => join(directory, path);

test.each(['b.yaml', 'deep/deeper/a.yaml'])(
  '%s is seen however it is saved, again and again',
  async (file) => {
    const replace = (text: string): void => {
      writeFileSync(at(`${file}.tmp`), text);
      renameSync(at(`${file}.tmp`), at(file));
    };
    for (const round of ['two', 'three']) {
      await seen(() => writeFileSync(at(file), round));
      await seen(() => replace(`${round}!`));
      await seen(() => writeFileSync(at(file), `${round}?`));
      await seen(() => rmSync(at(file)));
      await seen(() => writeFileSync(at(file), round));
      await seen(() => utimesSync(at(file), 1, 1));
    }
  },
);

test('directories that come are watched, those that are replaced, too', async () => {
  await seen(() => mkdirSync(at('new/below'), { recursive: true }));
  await seen(() => writeFileSync(at('new/below/c.yaml'), 'x'));
  await seen(() => writeFileSync(at('new/below/c.yaml'), 'y'));
  await seen(() => renameSync(at('new'), at('moved')));
  await seen(() => writeFileSync(at('moved/below/c.yaml'), 'z'));
  await seen(() => {
    rmSync(at('moved'), { recursive: true });
    mkdirSync(at('moved/below'), { recursive: true });
  });
  await seen(() => writeFileSync(at('moved/below/c.yaml'), 'again'));
});

test('a checkout and a thousand files at once are seen; what git writes for itself is not', async () => {
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.com'];
    execFileSync('git', ['-C', directory, ...identity, ...args], { stdio: 'ignore' });
  };
  await seen(() => {
    writeFileSync(at('c.yaml'), '');
    git('init', '--quiet', '--initial-branch', 'main');
  });
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  git('checkout', '--quiet', '-b', 'other');
  await seen(() => writeFileSync(at('deep/deeper/a.yaml'), 'other'));
  git('commit', '--quiet', '-am', 'two');
  const before = changes;
  git('gc', '--quiet');
  await seen(() => git('checkout', '--quiet', 'main'));
  expect(changes).toBeGreaterThan(before);
  await seen(() => {
    mkdirSync(at('many'));
    for (let index = 0; index < 1_000; index += 1) writeFileSync(at(`many/${index}.yaml`), 'x');
  });
  await seen(() => writeFileSync(at('many/999.yaml'), 'y'));
  const known = changes;
  mkdirSync(at('.git/refs/x'));
  await seen(() => writeFileSync(at('b.yaml'), 'end'));
  expect(changes).toBeLessThan(known + 10);
});
