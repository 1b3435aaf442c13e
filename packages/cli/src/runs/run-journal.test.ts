import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { processIdentity } from './process-identity.ts';
import { RunJournal } from './run-journal.ts';
import { anyPorts, type RunRecord, RunRegistry } from './run-registry.ts';

let home: string;
let told: string[];
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'waygate-journal-')));
  told = [];
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(home, { recursive: true });
});

const own = { id: process.pid, identity: processIdentity(process.pid)! };
const record: RunRecord = {
  process: own,
  directory: '/src/shop',
  startedIn: '/src',
  startedAt: '2026-01-02T03:04:05Z',
  kubeconfig: '',
  apiUrl: '',
  httpUrl: '',
  httpsUrl: '',
  adminUrl: '',
  following: 'a',
  ports: anyPorts,
  processes: [],
};

test('what is written down of a run follows it, a moment later, and ends with it', () => {
  vi.useFakeTimers();
  const registry = new RunRegistry({ XDG_STATE_HOME: home });
  const journal = new RunJournal(registry, record, (line) => told.push(line));
  expect(registry.running()).toEqual([record]);
  const ports = { ...anyPorts, api: 1 };
  journal.note({ processIds: [process.pid], ports, following: 'b' });
  // One that is gone by now is nobody's.
  journal.note({ processIds: [process.pid, 2_000_000_000] });
  expect(registry.running()).toEqual([record]);
  vi.advanceTimersByTime(50);
  const after = { ...record, ports, following: 'b', processes: [own] };
  expect(registry.running()).toEqual([after]);
  journal.note({ processIds: [] });
  vi.advanceTimersByTime(50);
  expect(registry.running()).toEqual([{ ...after, processes: [] }]);
  journal.note({ processIds: [process.pid] });
  journal.close();
  vi.advanceTimersByTime(50);
  expect(registry.running()).toEqual([]);
  expect(registry.lastPorts('/src/shop')).toEqual(ports);
  expect(told).toEqual([]);
});

test('a home that cannot be written stops nobody, and that is said', () => {
  writeFileSync(join(home, 'file'), '');
  const registry = new RunRegistry({ XDG_STATE_HOME: join(home, 'file') });
  new RunJournal(registry, record, (line) => told.push(line)).close();
  expect(told).toHaveLength(2);
  for (const line of told)
    expect(line).toMatch(/: other verbs will not find this run by themselves$/);
  expect(existsSync(join(home, 'file', 'waygate'))).toBe(false);
});

test('what is no trouble with files is a bug', () => {
  const registry = {
    write: () => {
      throw new Error('a bug');
    },
  } as unknown as RunRegistry;
  expect(() => new RunJournal(registry, record, () => undefined)).toThrow('a bug');
});
