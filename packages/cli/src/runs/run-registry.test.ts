import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { endLeftBehind } from './left-behind.ts';
import { asksForStack } from './own-stack.ts';
import { processIdentity } from './process-identity.ts';
import { anyPorts, type RunRecord, RunRegistry, runsFor } from './run-registry.ts';

let home: string;
let registry: RunRegistry;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'waygate-runs-')));
  registry = new RunRegistry({ XDG_STATE_HOME: home });
});
afterEach(() => rmSync(home, { recursive: true }));

function record(directory: string, more: Partial<RunRecord> = {}): RunRecord {
  return {
    process: { id: process.pid, identity: processIdentity(process.pid)! },
    directory,
    startedIn: directory,
    startedAt: '2026-01-02T03:04:05Z',
    kubeconfig: '/x/kubeconfig',
    apiUrl: '',
    httpUrl: '',
    httpsUrl: '',
    adminUrl: '',
    following: '',
    ports: { ...anyPorts, api: 1234 },
    processes: [],
    ...more,
  };
}

const dead = { id: 2_000_000_000, identity: '1' };

test('a run is found while it runs, and its ports when it is over', () => {
  registry.write(record('/a'));
  expect(registry.running().map(({ directory }) => directory)).toEqual(['/a']);
  expect([registry.lastPorts('/a'), registry.killed('/a')]).toEqual([undefined, []]);
  registry.finish(record('/a'));
  expect(registry.running()).toEqual([]);
  expect(registry.lastPorts('/a')?.api).toBe(1234);
  expect(registry.lastPorts('/b')).toBeUndefined();
});

test('one that was killed is not running, whoever has its number now', () => {
  registry.write(record('/a', { process: { id: process.pid, identity: 'another' } }));
  registry.write(record('/a', { process: dead }));
  expect(registry.running()).toEqual([]);
  expect(registry.killed('/a')).toHaveLength(2);
  for (const each of registry.killed('/a')) registry.forget(each);
  expect(registry.killed('/a')).toEqual([]);
});

test('a file that was cut off is no run', () => {
  registry.write(record('/a'));
  const runs = join(home, 'waygate', 'runs');
  writeFileSync(join(runs, readdirSync(runs)[0]!), '{"process"');
  expect(registry.running()).toEqual([]);
});

test('the nearest run above a place is the one for it, else those below and those started there', () => {
  for (const each of ['p/q', 'p/q/r', 'o']) mkdirSync(join(home, each), { recursive: true });
  const at = (path: string, startedIn = path): RunRecord =>
    record(join(home, path), { startedIn: join(home, startedIn) });
  const found = (place: string, runs: readonly RunRecord[]): string[] =>
    runsFor(join(home, place), runs).map(({ directory }) => directory.slice(home.length + 1));
  const both = [at('p'), at('p/q')];
  expect(found('p', both)).toEqual(['p']);
  expect(found('p/q/r', both)).toEqual(['p/q']);
  expect(found('o', both)).toEqual([]);
  expect(found('p', [at('p/q'), at('p/q/r')])).toEqual(['p/q', 'p/q/r']);
  expect(found('o', [at('p', 'o')])).toEqual(['p']);
  // A directory that is gone has its up all the same, and one that never was has none.
  expect(found('gone/below', [at('gone')])).toEqual(['gone']);
  expect(found('nowhere', both)).toEqual([]);
});

test('what was left behind is ended with its group; another process with the number is not', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: 'ignore',
  });
  await once(child, 'spawn');
  const id = child.pid!;
  await vi.waitFor(() => expect(processIdentity(id)).toBeDefined(), patience);
  expect(await endLeftBehind(record('/a', { processes: [{ id, identity: 'another' }] }))).toEqual(
    [],
  );
  const exited = once(child, 'exit');
  const known = { id, identity: processIdentity(id)! };
  expect(await endLeftBehind(record('/a', { processes: [known, dead] }))).toEqual([id]);
  await exited;
});

test.each([
  [['get', 'ks'], {}, true],
  [['gateway', 'dump'], {}, true],
  [['gateway', 'run'], {}, false],
  [['gateway', 'dump', '--kong-addr', 'http://x'], {}, false],
  [['get', 'ks', '--kubeconfig=x'], {}, false],
  [['get', 'ks'], { KUBECONFIG: '/x' }, false],
  [['get', '--help'], {}, false],
  [['migrate'], {}, false],
  [['controller'], {}, false],
  [['build', '.'], {}, false],
])('%j with %j looks for a running stack: %s', (args, env, expected) => {
  const path = args.filter((each) => !each.startsWith('-'));
  expect(asksForStack(args, path, env)).toBe(expected);
});
