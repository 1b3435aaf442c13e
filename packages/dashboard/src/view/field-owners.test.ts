import { expect, test } from 'vitest';
import { fieldOwners } from './field-owners.ts';

const fieldsOf = (fieldsV1: unknown) =>
  fieldOwners([{ manager: 'm', operation: 'Apply', fieldsV1 } as never])[0]?.fields;

test.each<[string, unknown, readonly string[]]>([
  ['fields', { 'f:spec': { 'f:replicas': {}, 'f:paused': {} } }, ['spec.replicas', 'spec.paused']],
  ['a field that is a whole', { 'f:data': {} }, ['data']],
  [
    'an item and its own place',
    { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {} } } },
    ['ports[port=80,protocol=TCP].name'],
  ],
  ['an item without fields', { 'f:ports': { 'k:{"port":80}': { '.': {} } } }, ['ports[port=80]']],
  ['an item of a set', { 'f:finalizers': { 'v:"a"': {} } }, ['finalizers["a"]']],
  ['keys that are none', { 'f:x': { 'k:[': {} } }, ['x[[]']],
  ['keys that are no object', { 'f:x': { 'k:3': {} } }, ['x[]']],
  ['nothing', {}, []],
  ['no fields', undefined, []],
])('%s', (_name, fields, paths) => {
  expect(fieldsOf(fields)).toEqual(paths);
});

test('five hundred fields are named, and no more', () => {
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`f:a${index}`, {}]));
  expect(fieldsOf(many)).toHaveLength(500);
});

test('who owns them, how and since when', () => {
  expect(fieldOwners()).toEqual([]);
  expect(
    fieldOwners([
      { manager: 'a', operation: 'Apply', time: '1970-01-01T00:00:01Z' },
      { manager: 'b', operation: 'Update', subresource: 'status', time: 'never' },
      {},
    ] as never),
  ).toEqual([
    { manager: 'a', operation: 'Apply', at: 1_000, fields: [] },
    { manager: 'b (status)', operation: 'Update', fields: [] },
    { manager: '', operation: '', fields: [] },
  ]);
});
