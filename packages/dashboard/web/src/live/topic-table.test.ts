import { expect, test } from 'vitest';
import type { ApiFailure } from './api.ts';
import { createTables, type TopicMessage, TopicTable } from './topic-table.ts';

type Message = TopicMessage<'problems'>;
const row = (id: string, message = 'x') => ({ id, message, severity: 'error' }) as never;
const told = (parts: object) => ({ topic: 'problems', ...parts }) as unknown as Message;
const ids = (table: TopicTable<'problems'>) => table.rows.value.map(({ id }) => id);

test('what comes while a snapshot is read is applied to it, in order', () => {
  const table = new TopicTable('problems');
  table.take(told({ put: [row('lost')] }));
  table.beginReading();
  expect(table.state.value).toBe('reading');
  table.take(told({ put: [row('b')] }));
  table.take(told({ drop: ['a'] }));
  table.take(told({ set: [{ id: 'b', message: 'new' }] }));
  expect(ids(table)).toEqual([]);
  table.replace([row('a'), row('c')]);
  expect(ids(table)).toEqual(['c', 'b']);
  expect(table.peek('b')?.message).toBe('new');
  expect([table.state.value, table.hasRows.value]).toEqual(['ready', true]);
});

test('what waited is applied once, and what waited for an older reading not at all', () => {
  const table = new TopicTable('problems');
  table.beginReading();
  table.take(told({ put: [row('old')] }));
  table.beginReading();
  table.take(told({ put: [row('new')] }));
  table.replace([]);
  expect(ids(table)).toEqual(['new']);
  table.replace([]);
  expect(ids(table)).toEqual([]);
  table.beginReading();
  table.take(told({ put: [row('gone')] }));
  table.forget();
  expect(table.state.value).toBe('unread');
  table.replace([]);
  expect(ids(table)).toEqual([]);
});

test('changes set fields, take away those that are null, and are nothing for what is not there', () => {
  const table = new TopicTable('problems');
  table.replace([row('a')]);
  let rounds = 0;
  const stop = table.rows.subscribe(() => {
    rounds += 1;
  });
  table.take(
    told({
      set: [
        { id: 'a', severity: null, message: 'y' },
        { id: 'none', message: 'z' },
      ],
    }),
  );
  expect(table.get('a')).toEqual({ id: 'a', message: 'y' });
  expect(ids(table)).toEqual(['a']);
  table.take(told({ reset: true }));
  expect(ids(table)).toEqual(['a']);
  table.take(told({ drop: ['a'] }));
  expect(ids(table)).toEqual([]);
  expect(rounds).toBe(4);
  stop();
});

test('a failure stays until something is read', () => {
  const table = new TopicTable('problems');
  const failure = { status: 503 } as ApiFailure;
  table.fail(failure);
  expect([table.state.value, table.failure.value]).toEqual(['unread', failure]);
  table.replace([]);
  expect(table.failure.value).toBeUndefined();
});

test('every topic has its table', () => {
  for (const [topic, table] of Object.entries(createTables())) expect(table.topic).toBe(topic);
});
