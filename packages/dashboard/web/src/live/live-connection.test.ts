import { afterEach, expect, test } from 'vitest';
import type { ProblemRow } from '../../../src/protocol/problems.ts';
import { FixtureServer } from '../../testing/fixture-server.ts';
import { Api } from './api.ts';
import { LiveConnection } from './live-connection.ts';
import { createTables } from './topic-table.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function connect() {
  const server = new FixtureServer();
  const address = await server.start();
  const api = new Api((path, init) => fetch(new URL(String(path), address), init));
  const tables = createTables();
  const connection = new LiveConnection({
    api,
    tables,
    nextFrame: (flush) => setImmediate(flush),
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, Math.min(ms, 20));
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(signal.reason);
        });
      }),
    firstRetryMs: 10,
  });
  const over = new AbortController();
  const running = connection.run(over.signal);
  closing.push(async () => {
    over.abort();
    await running;
    await server.stop();
  });
  return { server, tables, connection };
}

function problem(id: string, message = id): ProblemRow {
  return { id, severity: 'warning', message, since: 0 };
}

test('reads, then follows', async () => {
  const { server, tables, connection } = await connect();
  server.world.put('problems', problem('a'));
  connection.watch(['problems']);
  await expect.poll(() => tables.problems.rows.value.map(({ id }) => id)).toEqual(['a']);
  await expect.poll(() => connection.state.value).toBe('live');
  server.world.put('problems', problem('b'));
  server.world.drop('problems', 'a');
  await expect.poll(() => tables.problems.rows.value.map(({ id }) => id)).toEqual(['b']);
});

test('of an item that it has, it takes the fields that are other', async () => {
  const { server, tables, connection } = await connect();
  server.world.put('problems', { ...problem('a'), fix: 'do this' });
  connection.watch(['problems']);
  await expect.poll(() => connection.state.value).toBe('live');
  server.world.set('problems', { id: 'a', message: 'other', fix: null });
  // What is not there is not made from a part of it.
  server.world.set('problems', { id: 'b', message: 'never whole' });
  server.world.put('problems', problem('c'));
  await expect
    .poll(() => tables.problems.rows.value)
    .toEqual([problem('a', 'other'), problem('c')]);
});

test('what happens while it is cut off comes once, and what it had stays', async () => {
  const { server, tables, connection } = await connect();
  server.world.put('problems', problem('a'), problem('b'));
  connection.watch(['problems']);
  await expect.poll(() => server.streamCount).toBe(1);
  server.isDown = true;
  server.cut();
  await expect.poll(() => connection.state.value).toBe('lost');
  server.world.put('problems', problem('c'), problem('a', 'changed'));
  server.world.drop('problems', 'b');
  expect(tables.problems.rows.value.map(({ id }) => id)).toEqual(['a', 'b']);
  server.isDown = false;
  await expect
    .poll(() => tables.problems.rows.value.map(({ id, message }) => [id, message]))
    .toEqual([
      ['a', 'changed'],
      ['c', 'c'],
    ]);
});

test('a server that forgot the past is read anew', async () => {
  const { server, tables, connection } = await connect();
  server.world.put('problems', problem('a'), problem('b'));
  connection.watch(['problems']);
  await expect.poll(() => server.streamCount).toBe(1);
  server.world.drop('problems', 'a');
  server.world.forgetPast();
  server.cut();
  await expect.poll(() => tables.problems.rows.value.map(({ id }) => id)).toEqual(['b']);
});

test('a topic that is wanted later is read and followed without losing the others', async () => {
  const { server, tables, connection } = await connect();
  server.world.put('problems', problem('a'));
  connection.watch(['problems']);
  await expect.poll(() => server.streamCount).toBe(1);
  connection.watch(['changes', 'problems']);
  server.world.put('problems', problem('b'));
  server.world.put('changes', {
    id: '1',
    at: 0,
    kind: 'fetch',
    title: 't',
    namespaces: [],
    objects: [],
    hasDetail: false,
  });
  await expect.poll(() => tables.changes.rows.value.length).toBe(1);
  await expect.poll(() => tables.problems.rows.value.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('what cannot be read says why, and is read as soon as it can be', async () => {
  const { server, tables, connection } = await connect();
  const error = { code: 'no', message: 'not yet' };
  server.failures.set('problems', { status: 503, refusal: { error } });
  connection.watch(['problems']);
  await expect.poll(() => tables.problems.failure.value?.refusal).toEqual(error);
  server.failures.clear();
  server.world.put('problems', problem('a'));
  await expect.poll(() => tables.problems.rows.value.length).toBe(1);
  expect(tables.problems.failure.value).toBeUndefined();
});

test('many changes between two cuts arrive in order', async () => {
  const { server, tables, connection } = await connect();
  connection.watch(['problems']);
  await expect.poll(() => server.streamCount).toBe(1);
  for (let round = 0; round < 20; round++) {
    for (let index = 0; index < 25; index++)
      server.world.put('problems', problem(`p${index}`, `${round}`));
    if (round % 4 === 1) server.cut();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect
    .poll(() => tables.problems.rows.value.filter(({ message }) => message === '19').length)
    .toBe(25);
  expect(tables.problems.rows.value.length).toBe(25);
});
