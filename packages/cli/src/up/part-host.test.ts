import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PartHost } from './part-host.ts';

// A real process, which starts when it is told and ends when it is told.

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-part-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

let told: string[];
let logged: string[];
let orders: (number | undefined)[];

function host(program: string): PartHost<object, number> {
  told = [];
  logged = [];
  orders = [];
  const entry = join(directory, 'part.mjs');
  writeFileSync(entry, program);
  return new PartHost({
    name: 'the part',
    entry,
    order: (before) => {
      orders.push(before);
      return { before };
    },
    env: process.env,
    log: (line) => logged.push(line),
    tell: (line) => told.push(line),
  });
}

/** Longer than the parent waits between two questions. */
const busyMs = 1_300;

test('a part that has ended while its parent was busy has stopped', async () => {
  const part = host(`
    process.on('message', ({ type }) => {
      if (type === 'start') process.send({ type: 'started', value: 1 });
      if (type === 'stop') process.exit(0);
    });
  `);
  expect(await part.start()).toBe(1);
  const stopped = part.stop();
  // The next question is due before it is seen that nobody is left to answer it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs);
  await stopped;
});

const obedient = `
  let count = 0;
  process.on('message', ({ type, id, body, order }) => {
    if (type === 'start') process.send({ type: 'line', line: 'starts after ' + order.before });
    if (type === 'start') process.send({ type: 'started', value: process.pid });
    if (type === 'call' && body === 'end') process.exit(7);
    if (type === 'call') process.send({ type: 'answered', id, value: [body, ++count] });
    if (type === 'stop') process.exit(0);
  });
`;

test('a part answers, and one that ends by itself is started again with what it had', async () => {
  const part = host(obedient);
  await expect(part.call('early')).rejects.toThrow('the part does not run');
  const first = await part.start();
  expect(await Promise.all([part.call('a'), part.call('b')])).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
  await expect(part.call('end')).rejects.toThrow('the part ended');
  const again = ['the part ended (exit code 7); it is started again', 'the part runs again'];
  await vi.waitFor(() => expect(told).toEqual(again), { timeout: 20_000 });
  expect(orders).toEqual([undefined, first]);
  expect(logged).toEqual(['the part: starts after undefined', `the part: starts after ${first}`]);
  expect(await part.call('c')).toEqual(['c', 1]);
  await part.stop();
  expect(told).toEqual(again);
  await expect(part.call('late')).rejects.toThrow('the part does not run');
});

test.each([
  [
    'says why',
    `process.on('message', () => process.send({ type: 'failed', message: 'no port', code: 'EADDRINUSE', port: 80 }, () => process.exit(1)));`,
    { message: 'no port', code: 'EADDRINUSE', port: 80 },
  ],
  [
    'only ends',
    'process.exit(1);',
    { message: 'the process of the part ended', code: undefined, port: 0 },
  ],
])('a part that cannot start and %s', async (_name, program, error) => {
  const part = host(program);
  await expect(part.start()).rejects.toMatchObject(error);
  await part.stop();
  expect(told).toEqual([]);
});
