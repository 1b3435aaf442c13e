import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';
import { processIdentity } from '../runs/process-identity.ts';
import { anyPorts, type RunRecord, RunRegistry } from '../runs/run-registry.ts';

// `status` and `down` on what is written down of runs, with a small program for each `up`.

let home: string;
let project: string;
let registry: RunRegistry;
let ids: number[];
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'waygate-own-runs-')));
  project = join(home, 'shop');
  mkdirSync(join(project, 'base'), { recursive: true });
  registry = new RunRegistry({ XDG_STATE_HOME: home });
  ids = [];
});
afterEach(() => {
  for (const id of ids) if (processIdentity(id) !== undefined) process.kill(id, 'SIGKILL');
  rmSync(home, { recursive: true });
});

async function startProgram(): Promise<{ id: number; identity: string }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true });
  await once(child, 'spawn');
  ids.push(child.pid!);
  return { id: child.pid!, identity: processIdentity(child.pid!)! };
}

function write(process_: RunRecord['process'], more: Partial<RunRecord> = {}): RunRecord {
  const record = {
    process: process_,
    directory: project,
    startedIn: home,
    startedAt: '2026-01-02T03:04:05Z',
    kubeconfig: '/k',
    apiUrl: 'https://api',
    httpUrl: 'http://gw',
    httpsUrl: 'https://gw',
    adminUrl: 'http://admin',
    following: 'following the files of it',
    ports: anyPorts,
    processes: [],
    ...more,
  };
  registry.write(record);
  return record;
}

const run = (...args: string[]) =>
  runInProcess(args, { cwd: join(project, 'base'), env: { XDG_STATE_HOME: home } });

const gone = { id: 2_000_000_000, identity: '1' };

test('status of what runs', async () => {
  const own = await startProgram();
  const record = write(own);
  const text = (processes: string) =>
    [
      `waygate up for ${project}, process ${own.id}, since 2026-01-02T03:04:05Z`,
      '  following the files of it',
      '  Kubernetes API   https://api',
      '  Gateway          http://gw   https://gw',
      '  Admin API        http://admin',
      `  Processes        ${processes}`,
      '  export KUBECONFIG=/k\n',
    ].join('\n');
  expect(await run('status')).toEqual({ exitCode: 0, stdout: text('none'), stderr: '' });
  expect(JSON.parse((await run('status', '-o', 'json')).stdout)).toEqual({ runs: [record] });
  expect((await run('status', '-o', 'name')).stdout).toBe(`${project}\n`);
  const wide = (await run('status', '-o', 'wide')).stdout.split('\n');
  expect(wide[0]).toMatch(/^DIRECTORY +PROCESS +SINCE +API +GATEWAY +ADMIN +KUBECONFIG/);
  expect(wide[1]?.split(/ {2,}/)).toEqual([
    project,
    `${own.id}`,
    record.startedAt,
    'https://api',
    'http://gw',
    'http://admin',
    '/k',
  ]);
  write(own, { processes: [own, gone] });
  expect((await run('status')).stdout).toBe(text(`${own.id}, ${gone.id}`));
});

test('status without any ends with 1, also for those of other directories', async () => {
  const none = { exitCode: 1, stdout: `No waygate up runs for ${project}.\n`, stderr: '' };
  expect(await run('status', '..')).toEqual(none);
  const elsewhere = join(home, 'elsewhere');
  write(await startProgram(), { directory: elsewhere, startedIn: elsewhere });
  expect(await run('status', '..')).toEqual(none);
  expect(await run('status', '--all', '-o', 'name')).toEqual({
    exitCode: 0,
    stdout: `${elsewhere}\n`,
    stderr: '',
  });
});

test('status --all without any', async () => {
  expect(await run('status', '--all')).toEqual({
    exitCode: 1,
    stdout: 'No waygate up runs.\n',
    stderr: '',
  });
});

test('down ends what runs, and waits for it', async () => {
  const own = await startProgram();
  write(own);
  expect(await run('down', '..')).toEqual({
    exitCode: 0,
    stdout: `Ended waygate up for ${project}.\n`,
    stderr: '',
  });
  expect(processIdentity(own.id)).not.toBe(own.identity);
});

test('down ends what one that was killed has left behind, once', async () => {
  const [one, two] = [await startProgram(), await startProgram()];
  const none = `No waygate up runs for ${project}`;
  write(gone, { processes: [one, gone] });
  expect((await run('down', '..')).stdout).toBe(
    `${none}; one process of one that was killed was ended.\n`,
  );
  expect(processIdentity(one.id)).not.toBe(one.identity);
  const three = await startProgram();
  write(gone, { processes: [two, three] });
  expect((await run('down', '..')).stdout).toBe(
    `${none}; 2 processes of one that was killed were ended.\n`,
  );
  expect(await run('down', '..')).toEqual({ exitCode: 0, stdout: `${none}.\n`, stderr: '' });
});

test('of two on one directory both are shown, and the newer is ended first', async () => {
  const [older, newer] = [await startProgram(), await startProgram()];
  write(older);
  write(newer, { startedAt: '2026-01-03T00:00:00Z' });
  const { runs } = JSON.parse((await run('status', '-o', 'json')).stdout);
  expect(runs.map((each: RunRecord) => each.process.id)).toEqual([newer.id, older.id]);
  await run('down', '..');
  expect(processIdentity(newer.id)).not.toBe(newer.identity);
  expect(processIdentity(older.id)).toBe(older.identity);
  await run('down', '..');
  expect(processIdentity(older.id)).not.toBe(older.identity);
});
