import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Attack, pause } from '../attack.ts';

/** Commits, one after the other, each with forty objects changed. */
export function commitChurn(tree: string): Attack {
  return {
    name: 'commits',
    async run({ namespace, signal }) {
      const names = Array.from({ length: 40 }, (_each, index) => `churn-${index}`);
      for (let round = 0; !signal.aborted; round += 1) {
        const documents = names.map(
          (name) =>
            `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata: {round: "${round}"}\n`,
        );
        writeFileSync(join(tree, 'churn.yaml'), documents.join('---\n'));
        git(tree, 'add', '--all');
        git(tree, 'commit', '--quiet', '--message', `Round ${round}`);
        await pause(1_000, signal);
      }
    },
  };
}

/** A work tree with one commit. */
export function initialise(tree: string): void {
  git(tree, 'init', '--quiet', '--initial-branch', 'main');
  git(tree, 'config', 'user.name', 'Test');
  git(tree, 'config', 'user.email', 'test@example.com');
  git(tree, 'add', '--all');
  git(tree, 'commit', '--quiet', '--allow-empty', '--message', 'Begin');
}

function git(tree: string, ...args: string[]): void {
  execFileSync('git', ['-C', tree, ...args], { stdio: 'ignore' });
}

/** A file system of its own for the state, which can be filled; undefined where one may not be made. */
export function mountSmall(directory: string, megabytes: number): (() => void) | undefined {
  if (process.getuid?.() !== 0) return undefined;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'waygate-test', directory]);
  } catch {
    return undefined;
  }
  return () => execFileSync('umount', ['--lazy', directory]);
}

/** The disk that holds the state is full for some seconds, again and again. */
export function fullDisk(directory: string): Attack {
  const ballast = join(directory, 'ballast');
  return {
    name: 'full disks',
    async run({ random, signal }) {
      while (!signal.aborted) {
        await pause(5_000 + random() * 5_000, signal);
        fill(ballast);
        await pause(1_000 + random() * 4_000, signal);
        rmSync(ballast, { force: true });
      }
    },
  };
}

/** Writes until there is no room left. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  const chunk = Buffer.alloc(1 << 20, 1);
  try {
    for (;;) writeSync(file, chunk);
  } catch {
    // Full: what was meant.
  } finally {
    closeSync(file);
  }
}
