import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PartHost } from './part-host.ts';

// A real process, which starts when it is told and ends when it is told.

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-part-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function host(program: string): PartHost<object, number> {
  const entry = join(directory, 'part.mjs');
  writeFileSync(entry, program);
  return new PartHost({
    name: 'the part',
    entry,
    order: () => ({}),
    env: process.env,
    log: () => undefined,
    tell: () => undefined,
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
