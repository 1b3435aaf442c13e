import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Running, run, start, waygate } from '../real/processes.ts';

let directory: string;
const started: Running[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-writer-'));
});

afterEach(async () => {
  for (const each of started.splice(0)) await each.stop('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

/** A process that is loaded, and tries when it is told to. */
class Contender {
  readonly child: ChildProcess;
  readonly #answer: Promise<string>;

  constructor() {
    const script = fileURLToPath(new URL('lock-holder.mjs', import.meta.url));
    this.child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.child.stdout as NodeJS.ReadableStream });
    this.#answer = once(lines, 'line').then(([line]) => String(line));
  }

  go(): Promise<string> {
    this.child.stdin?.write(`${directory}\n`);
    return this.#answer;
  }

  async kill(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }
}

test('of two processes that start at the same moment one has the directory, and a kill frees it: 50 rounds', async () => {
  const pair = () => [new Contender(), new Contender()];
  let next = pair();
  for (let round = 0; round < 50; round++) {
    const current = next;
    if (round < 49) next = pair();
    const answers = await Promise.all(current.map((contender) => contender.go()));
    expect(answers.sort(), `round ${round}`).toEqual(['WG_STORAGE_LOCKED', 'held']);
    await Promise.all(current.map((contender) => contender.kill()));
  }
}, 120_000);

function serve(args: readonly string[]): Running {
  const running = start(process.execPath, [waygate, ...args]);
  started.push(running);
  return running;
}

const free = ['--proxy-listen', '--proxy-tls-listen', '--admin-listen'].flatMap((flag) => [
  flag,
  '127.0.0.1:0',
]);

test.each([
  {
    verb: 'apiserver',
    args: (dir: string) => [
      'apiserver',
      '--data-dir',
      dir,
      '--port',
      '0',
      '--kubeconfig-out',
      `${dir}.kubeconfig`,
    ],
    ready: /serving on/,
    kept: (dir: string) => `${dir}.kubeconfig`,
  },
  {
    verb: 'gateway run',
    args: (dir: string) => ['gateway', 'run', '--database', dir, ...free],
    ready: /Admin API: http/,
    kept: (dir: string) => join(dir, 'entities', 'head'),
  },
  {
    verb: 'up',
    args: (dir: string) => ['up', '--data-dir', dir],
    ready: /What changes/,
    kept: (dir: string) => join(dir, 'kubeconfig'),
  },
])(
  'a second waygate $verb on a directory ends with 1, names the first and touches nothing',
  async ({ args, ready, kept }) => {
    const dir = join(directory, 'data');
    const first = serve(args(dir));
    await expect.poll(() => first.output(), { timeout: 30_000 }).toMatch(ready);
    const before = readFileSync(kept(dir));
    const second = await run(process.execPath, [waygate, ...args(dir)]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`process ${first.process.pid} (waygate`);
    expect(second.stderr).not.toMatch(/other port/i);
    expect(second.stderr).not.toContain('defect');
    expect(readFileSync(kept(dir)).equals(before)).toBe(true);
    await first.stop('SIGKILL');
    const third = serve(args(dir));
    await expect.poll(() => third.output(), { timeout: 30_000 }).toMatch(ready);
    await third.stop();
    expect(existsSync(kept(dir))).toBe(true);
  },
  120_000,
);
