import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LocalBackends } from './local-backends.ts';

let directory: string;
let started: LocalBackends | undefined;
const lines: string[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-backends-'));
  lines.length = 0;
  writeFileSync(
    join(directory, 'server.mjs'),
    `import { createServer } from 'node:http';
     console.log('pid', process.pid);
     createServer((_, response) => response.end(process.argv[2] + process.env.EXTRA)).listen(Number(process.env.PORT), '127.0.0.1');`,
  );
});
afterEach(async () => {
  await started?.stop();
  rmSync(directory, { recursive: true });
});

async function start(
  names: string[],
  preferredPorts?: Map<string, number>,
): Promise<LocalBackends> {
  started = new LocalBackends(
    names.map((name) => ({ name, command: ['node', 'server.mjs', name], env: { EXTRA: '!' } })),
    { directory, env: process.env, log: (line) => lines.push(line), preferredPorts },
  );
  await started.start();
  return started;
}

async function answer(port: number): Promise<string> {
  return vi.waitFor(async () => (await fetch(`http://127.0.0.1:${port}/`)).text(), {
    timeout: 10_000,
  });
}

test('each backend runs on a port of its own, and its output is shown under its name', async () => {
  const backends = await start(['one', 'two']);
  expect(await answer(backends.ports.get('one')!)).toBe('one!');
  expect(await answer(backends.ports.get('two')!)).toBe('two!');
  expect(lines).toContainEqual(expect.stringMatching(/^one: pid \d+$/));
});

test('the port of an earlier run is taken again when it is free', async () => {
  const first = await start(['one']);
  const port = first.ports.get('one')!;
  await first.stop();
  const second = await start(['one'], new Map([['one', port]]));
  expect(second.ports.get('one')).toBe(port);
});

test('one that ends is started again', async () => {
  const backends = await start(['one']);
  await answer(backends.ports.get('one')!);
  const pid = Number(/pid (\d+)/.exec(lines[0]!)?.[1]);
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(lines.filter((line) => line.includes('pid'))).toHaveLength(2), {
    timeout: 10_000,
  });
  expect(await answer(backends.ports.get('one')!)).toBe('one!');
});

test('a program that is not there is said, and the rest goes on', async () => {
  started = new LocalBackends([{ name: 'gone', command: ['no-such-program'], env: {} }], {
    directory,
    env: process.env,
    log: (line) => lines.push(line),
  });
  await started.start();
  await vi.waitFor(() => expect(lines[0]).toContain('gone: cannot start no-such-program'));
});
