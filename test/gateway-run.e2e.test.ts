import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../packages/cli/bin/waygate.js', import.meta.url));

let directory: string;
let child: ChildProcess;
let said: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-run-'));
});

afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

function config(text: string): string {
  return `_format_version: "3.0"
services:
- name: s
  host: nowhere.invalid
  routes:
  - name: r
    paths: [/]
    plugins:
    - name: request-termination
      config: { status_code: 200, content_type: text/plain, body: ${text} }
    - name: shout
      config: { word: loud }
`;
}

const plugin = `export const shout = {
  name: 'shout',
  priority: 5,
  schema: {
    fields: [{ config: { type: 'record', fields: [{ word: { type: 'string', required: true } }] } }],
  },
  headerFilter: (context, config) => context.response.headers.set('X-Shout', config.word),
};
`;

test('waygate gateway run --workers follows its file in every worker, and drains on SIGTERM', async () => {
  const file = join(directory, 'kong.yaml');
  await writeFile(file, config('first'));
  await writeFile(join(directory, 'shout.mjs'), plugin);
  const free = ['--proxy-listen', '--proxy-tls-listen', '--admin-listen'].flatMap((flag) => [
    flag,
    '127.0.0.1:0',
  ]);
  child = spawn(
    process.execPath,
    [program, 'gateway', 'run', '-c', file, '--workers', '2', '--plugin', 'shout.mjs', ...free],
    { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await expect.poll(() => said, { timeout: 20_000 }).toMatch(/Admin API: http/);
  expect(said).toMatch(/workers: 2/);
  const url = /proxy: (http:\/\/[\d.:]+)/.exec(said)?.[1] ?? '';
  const ask = () => fetch(url, { headers: { Connection: 'close' } });
  const answer = await ask();
  expect(answer.headers.get('x-shout')).toBe('loud');
  expect(await answer.text()).toBe('first');
  await writeFile(file, config('second'));
  await expect
    .poll(async () => {
      const all = await Promise.all([ask(), ask(), ask(), ask()]);
      return new Set(await Promise.all(all.map((one) => one.text())));
    })
    .toEqual(new Set(['second']));
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  await expect(ask()).rejects.toThrow();
});
