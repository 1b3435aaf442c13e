import { expect, test } from 'vitest';
import { kubernetesDeclarations } from '../kubernetes.ts';
import { compileCel } from '../program.ts';
import { jsonOfCel } from '../values/json.ts';
import { CelFailure, type CelResult } from '../values/value.ts';
import { declareType } from './declared-type.ts';
import { parseOpenApiDuration } from './duration.ts';
import { escapeField, namesOfField, unescapeField } from './escape.ts';
import type { CelSchema } from './structural.ts';
import { celOfSchema } from './value.ts';

function declared(schema: CelSchema) {
  const found = declareType(schema, false);
  if (found === undefined) throw new Error('the schema has no type');
  return found;
}

/** What an expression on values with a schema says: JSON, or the words of a failure. */
function said(
  expression: string,
  schema: CelSchema,
  self: unknown,
  other: unknown = self,
): unknown {
  const { type } = declared(schema);
  const environment = kubernetesDeclarations.with({ self: type, other: type });
  const checked = compileCel(expression, environment);
  if ('issues' in checked) return checked.issues;
  const program = checked.program(environment);
  if (program instanceof CelFailure) return program.message;
  const { value } = program.evaluate((name) => celOfSchema(name === 'self' ? self : other, schema));
  return value instanceof CelFailure ? value.message : jsonOfCel(value);
}

const texts = { type: 'array', items: { type: 'string' } };
const set = { ...texts, 'x-kubernetes-list-type': 'set' };
const pairs: CelSchema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k', 'in'],
  items: {
    type: 'object',
    properties: { k: { type: 'string' }, in: { type: 'integer' }, v: { type: 'integer' } },
  },
};
const fields: CelSchema = {
  type: 'object',
  properties: {
    a: { type: 'integer' },
    'b-c': { type: 'string' },
    u: { 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const map: CelSchema = { type: 'object', additionalProperties: { type: 'integer' } };

test.each<[string, CelSchema, unknown, unknown, unknown]>([
  ['self == other', texts, ['a', 'b'], ['a', 'b'], true],
  ['self == other', texts, ['a', 'b'], ['b', 'a'], false],
  ['self == other', texts, ['a', 'b'], ['a'], false],
  ['self + other', texts, ['a'], ['a', 'b'], ['a', 'a', 'b']],
  ['self[1]', texts, ['a', 'b'], [], 'b'],
  ['size(self)', texts, ['a', 'b'], [], 2],
  ['self == other', set, ['a', 'b'], ['b', 'a'], true],
  ['self == other', set, ['a', 'b'], ['b', 'c'], false],
  ['self == other', set, ['a', 'b'], ['a'], false],
  ['self + other', set, ['a', 'b'], ['b', 'c', 'c'], ['a', 'b', 'c']],
  ['self + other == other + self', set, ['a', 'b'], ['b', 'c'], true],
  ["self + other == ['a', 'b', 'x']", set, ['a', 'b'], ['b', 'c'], false],
  ["self + other == ['a']", set, ['a', 'b'], ['b', 'c'], false],
  [
    'self == other',
    pairs,
    [
      { k: 'a', in: 1, v: 1 },
      { k: 'a', in: 2, v: 2 },
    ],
    [
      { k: 'a', in: 2, v: 2 },
      { k: 'a', in: 1, v: 1 },
    ],
    true,
  ],
  ['self == other', pairs, [{ k: 'a', in: 1, v: 1 }], [{ k: 'a', in: 1, v: 2 }], false],
  ['self == other', pairs, [{ k: 'a', in: 1, v: 1 }], [{ k: 'a', in: 3, v: 1 }], false],
  ['self == other', pairs, [{ k: 'a', in: 1 }], [], false],
  [
    '(self + other).map(x, x.v)',
    pairs,
    [
      { k: 'a', in: 1, v: 1 },
      { k: 'b', in: 1, v: 2 },
    ],
    [
      { k: 'a', in: 1, v: 7 },
      { k: 'c', in: 1, v: 3 },
    ],
    [7, 2, 3],
  ],
  ['self.a', fields, { a: 1 }, {}, 1],
  ['self.b__dash__c', fields, { 'b-c': 'x' }, {}, 'x'],
  ['has(self.a)', fields, { a: null }, {}, false],
  ['has(self.a)', fields, {}, {}, false],
  ['has(self.b__dash__c)', fields, { 'b-c': '' }, {}, true],
  ['self == other', fields, { a: 1, 'b-c': 'x' }, { 'b-c': 'x', a: 1 }, true],
  ['self == other', fields, { a: 1 }, { a: 2 }, false],
  ['self == other', fields, { a: 1 }, { 'b-c': 'x' }, false],
  ['self == other', fields, { a: 1 }, { a: 1, 'b-c': 'x' }, false],
  ['self == other', fields, { a: null }, { a: null }, true],
  ['self == other', fields, { no: [1] }, { no: [1] }, true],
  ['self == other', fields, { no: [1] }, { no: [2] }, false],
  ['self == other', fields, { u: { x: 1 } }, { u: { x: 1 } }, true],
  ['self == other', fields, { u: { x: 1 } }, { u: { x: 2 } }, false],
  ["self['x-y']", map, { 'x-y': 3 }, {}, 3],
  ["'x' in self", map, { x: 1 }, {}, true],
  ["'y' in self", map, { x: 1 }, {}, false],
  ['size(self)', map, { x: 1, y: 2 }, {}, 2],
  ['self.map(k, k)', map, { 'x-y': 1 }, {}, ['x-y']],
  ["self['x']", map, { x: null }, {}, 'invalid data, got null for schema with nullable=false'],
])('%s of %j', (expression, schema, self, other, expected) => {
  expect(said(expression, schema, self, other)).toEqual(expected);
});

const failed = (message: string) => new CelFailure(`invalid data, ${message}`);

test.each<[string, CelSchema, unknown, CelResult]>([
  ['null', { type: 'string' }, null, failed('got null for schema with nullable=false')],
  ['null that may be', { type: 'string', nullable: true }, null, null],
  ['nothing', { type: 'string' }, undefined, failed('got null for schema with nullable=false')],
  [
    'a text for a map',
    { type: 'object' },
    'x',
    failed('expected a map for the provided schema with type=object'),
  ],
  [
    'a text for a list',
    texts,
    'x',
    failed('expected an array for the provided schema with type=array'),
  ],
  [
    'a list of nothing',
    { type: 'array' },
    [],
    new CelFailure('invalid array type, expected Items with a non-empty Schema'),
  ],
  ['a number for a text', { type: 'string' }, 1, failed('expected string, got int64')],
  ['a fraction for a whole', { type: 'integer' }, 1.5, failed('expected int, got float64')],
  ['a text for a whole', { type: 'integer' }, 'x', failed('expected int, got string')],
  ['a truth for a number', { type: 'number' }, true, failed('expected float, got bool')],
  [
    'a map for a truth',
    { type: 'boolean' },
    {},
    failed('expected bool, got map[string]interface {}'),
  ],
  ['a large whole', { type: 'integer' }, 2n ** 60n, 2n ** 60n],
  ['a whole as a number', { type: 'number' }, 7n, 7],
  ['either, a whole', { 'x-kubernetes-int-or-string': true }, 3, 3n],
  ['either, a large whole', { 'x-kubernetes-int-or-string': true }, 3n, 3n],
  ['either, a text', { 'x-kubernetes-int-or-string': true }, '3', '3'],
  [
    'neither',
    { 'x-kubernetes-int-or-string': true },
    1.5,
    failed('expected XIntOrString value to be either a string or integer'),
  ],
  ['bytes', { type: 'string', format: 'byte' }, 'aGk=', new Uint8Array([104, 105])],
  [
    'no duration',
    { type: 'string', format: 'duration' },
    'x',
    new CelFailure('Invalid duration x: unable to parse x as duration'),
  ],
  [
    'no date',
    { type: 'string', format: 'date' },
    '2024-02-30',
    new CelFailure('Invalid date formatted string 2024-02-30: cannot parse it'),
  ],
  [
    'half a date',
    { type: 'string', format: 'date' },
    '2024-02',
    new CelFailure('Invalid date formatted string 2024-02: cannot parse it'),
  ],
  [
    'no time',
    { type: 'string', format: 'date-time' },
    'x',
    new CelFailure('Invalid date-time formatted string x: cannot parse it'),
  ],
])('%s', (_name, schema, json, expected) => {
  expect(celOfSchema(json, schema)).toEqual(expected);
});

test('dates, times and durations are what they say', () => {
  const format = (name: string) => ({ type: 'string', format: name });
  expect(said('string(self)', format('date'), '2024-02-29')).toBe('2024-02-29T00:00:00Z');
  expect(said('string(self)', format('date-time'), '2024-02-29t01:02:03z')).toBe(
    '2024-02-29T01:02:03Z',
  );
  expect(said('string(self)', format('duration'), '3 days')).toBe('259200s');
});

test('what no type is known of can be kept, or is refused', () => {
  expect(celOfSchema({}, { type: 'odd' })).toBeInstanceOf(CelFailure);
  expect(celOfSchema({}, {})).toBeInstanceOf(CelFailure);
  expect(celOfSchema({}, { 'x-kubernetes-preserve-unknown-fields': true })).not.toBeInstanceOf(
    CelFailure,
  );
});

const [second, hour] = [1_000_000_000n, 3_600_000_000_000n];
test.each<[string, bigint | undefined]>([
  ['1h30m', hour + 1_800n * second],
  ['3 ns', 3n],
  ['3nanoseconds', 3n],
  ['2 us', 2000n],
  ['2 µs', 2000n],
  ['2 microseconds', 2000n],
  ['5 milliseconds', 5_000_000n],
  ['4 seconds', 4n * second],
  ['4 minutes', 240n * second],
  ['1 hr', hour],
  ['2 Hours', 2n * hour],
  ['1 d', 24n * hour],
  ['1 day 2 hours', 26n * hour],
  ['1 w', 168n * hour],
  ['1 wk', 168n * hour],
  ['2 weeks', 336n * hour],
  ['1 fortnight', undefined],
  ['day', undefined],
  ['', undefined],
])('a duration of %j', (text, expected) => {
  expect(parseOpenApiDuration(text)).toBe(expected);
});

test.each<[string, string | undefined, readonly string[]]>([
  ['plain', 'plain', ['plain']],
  ['my-field', 'my__dash__field', ['my__dash__field']],
  ['a.b/c', 'a__dot__b__slash__c', ['a__dot__b__slash__c']],
  ['a__b', 'a__underscores__b', ['a__underscores__b']],
  ['in', '__in__', ['__in__']],
  ['true', '__true__', ['__true__']],
  ['namespace', '__namespace__', ['__namespace__', 'namespace']],
  ['1st', undefined, []],
  ['a b', undefined, []],
  ['', undefined, []],
])('a field %j is called %j', (field, escaped, names) => {
  expect(escapeField(field)).toBe(escaped);
  expect(namesOfField(field)).toEqual(names);
  if (escaped !== undefined) expect(unescapeField(escaped)).toBe(field);
});

test.each<[string, string | undefined]>([
  ['a__none__b', undefined],
  ['a__in__', undefined],
  ['__in__', 'in'],
  ['a_b', 'a_b'],
])('an expression means by %s the field %s', (name, field) => {
  expect(unescapeField(name)).toBe(field);
});
