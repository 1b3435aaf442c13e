import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { followLog, RunLog } from './run-log.ts';

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-log-'));
  path = join(directory, 'run.log');
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = () => new Date(0);

test('lines are kept in the form of the controllers', () => {
  const log = new RunLog(path, at);
  log.write('gitops: no route', 'error', { kind: 'GitRepository', object: 'n/shop' });
  log.write('everything is started');
  expect(
    readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, 2)
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      time: '1970-01-01T00:00:00.000Z',
      level: 'error',
      part: 'gitops',
      message: 'no route',
      kind: 'GitRepository',
      object: 'n/shop',
    },
    {
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      part: 'program',
      message: 'everything is started',
    },
  ]);
});

test('a log that has grown is begun anew, and the one before is still read', async () => {
  const log = new RunLog(path, at);
  for (let index = 0; index < 5; index += 1) log.write(`${index} ${'x'.repeat(1024 * 1024)}`);
  const seen: string[] = [];
  const signal = new AbortController().signal;
  const onLine = (line: string): void => void seen.push(JSON.parse(line).message.slice(0, 1));
  await followLog(path, { tail: -1, isFollowed: false, signal, onLine });
  expect(seen).toEqual(['0', '1', '2', '3', '4']);
  seen.length = 0;
  await followLog(path, { tail: 2, isFollowed: false, signal, onLine });
  expect(seen).toEqual(['3', '4']);
});

test('what is written later is followed, over a new beginning too', async () => {
  const log = new RunLog(path, at);
  log.write('first');
  const stop = new AbortController();
  const seen: string[] = [];
  const following = followLog(path, {
    tail: 0,
    isFollowed: true,
    signal: stop.signal,
    onLine: (line) => seen.push(JSON.parse(line).message.slice(0, 8)),
  });
  await vi.waitFor(() => {
    log.write('second');
    expect(seen.at(-1)).toBe('second');
  }, patience);
  log.write(`large ${'x'.repeat(4 * 1024 * 1024)}`);
  await vi.waitFor(() => {
    log.write('third');
    expect(seen.at(-1)).toBe('third');
  }, patience);
  stop.abort();
  await following;
  expect(seen).not.toContain('first');
});
