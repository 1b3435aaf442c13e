import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { kubernetesDeclarations } from '../kubernetes.ts';
import { compileCel } from '../program.ts';
import { optionalOf, showType } from '../types/type.ts';
import { jsonOfCel } from '../values/json.ts';
import { CelFailure, type CelResult } from '../values/value.ts';
import { declareType, maxCardinality, sizesOf } from './declared-type.ts';
import { parseOpenApiDuration } from './duration.ts';
import { escapeField, namesOfField, unescapeField } from './escape.ts';
import { type CelSchema, withObjectMeta } from './structural.ts';
import { celOfSchema } from './value.ts';

/** A schema with rules, and what Kubernetes' own validator says of each. The API's room runs them on objects. */
interface Case {
  readonly schema: CelSchema & {
    readonly 'x-kubernetes-validations'?: readonly {
      readonly rule: string;
      readonly optionalOldSelf?: boolean;
    }[];
  };
  readonly root: boolean;
  readonly expected: {
    readonly rules: readonly {
      readonly error?: string;
      readonly cost?: string;
      readonly cardinality?: string;
    }[];
  };
}

const cases = JSON.parse(
  readFileSync(new URL('../testdata/rules.json', import.meta.url), 'utf8'),
) as Case[];

function declared(schema: CelSchema, isResource = false) {
  const found = declareType(schema, isResource);
  if (found === undefined) throw new Error('the schema has no type');
  return found;
}

test.each(cases.map((one, index) => [index, one] as const))(
  'rules are typed and priced as Kubernetes does: schema %i',
  (_index, { schema, root, expected }) => {
    const type = declared(schema, root);
    for (const [index, rule] of (schema['x-kubernetes-validations'] ?? []).entries()) {
      const said = expected.rules[index];
      if (rule.rule.trim() === '' || said === undefined) continue;
      const oldSelf = rule.optionalOldSelf === true ? optionalOf(type.type) : type.type;
      const environment = kubernetesDeclarations.with({ self: type.type, oldSelf });
      const checked = compileCel(rule.rule, environment);
      if ('issues' in checked) {
        // Quantities and formats are declared above this room.
        if (said.error === undefined) expect(checked.issues).toMatch(/undeclared|overload/);
        else expect(said.error).toContain(checked.issues);
        continue;
      }
      if (said.error !== undefined) {
        expect(`${showType(checked.type)}: ${said.error}`).not.toMatch(/^bool: .*must evaluate to/);
        continue;
      }
      expect([rule.rule, String(checked.estimate(sizesOf(type)).max)]).toEqual([
        rule.rule,
        said.cost,
      ]);
      expect(String(maxCardinality(type))).toBe(said.cardinality);
    }
  },
);

/** The types and sizes as a reader of a schema needs them: most elements, least bytes. */
test.each<[string, CelSchema, string, number, number]>([
  ['a truth', { type: 'boolean' }, 'bool', 0, 4],
  ['a number', { type: 'number' }, 'double', 0, 1],
  ['a whole number', { type: 'integer' }, 'int', 0, 1],
  ['a text', { type: 'string' }, 'string', 3_145_726, 2],
  ['a text of some length', { type: 'string', maxLength: 3 }, 'string', 12, 2],
  ['a text of no length', { type: 'string', maxLength: -1 }, 'string', 0, 2],
  ['a choice', { type: 'string', enum: ['a', 'éé', 7] }, 'string', 4, 2],
  ['a choice of some length', { type: 'string', enum: ['a'], maxLength: 2 }, 'string', 8, 2],
  ['bytes', { type: 'string', format: 'byte' }, 'bytes', 3_145_726, 2],
  ['some bytes', { type: 'string', format: 'byte', maxLength: 5 }, 'bytes', 5, 2],
  ['a duration', { type: 'string', format: 'duration' }, 'duration', 32, 3],
  ['a date', { type: 'string', format: 'date' }, 'timestamp', 12, 12],
  ['a time', { type: 'string', format: 'date-time' }, 'timestamp', 32, 21],
  ['either', { 'x-kubernetes-int-or-string': true }, 'dyn', 3_145_726, 1],
  ['either, of some length', { 'x-kubernetes-int-or-string': true, maxLength: 4 }, 'dyn', 16, 1],
  ['a list', { type: 'array', items: { type: 'integer' } }, 'list(int)', 1_572_863, 2],
  ['a short list', { type: 'array', maxItems: 4, items: { type: 'integer' } }, 'list(int)', 4, 2],
  ['no list', { type: 'array', maxItems: -4, items: { type: 'integer' } }, 'list(int)', 0, 2],
  [
    'a map',
    { type: 'object', additionalProperties: { type: 'string' } },
    'map(string, string)',
    393_215,
    2,
  ],
  [
    'a small map',
    { type: 'object', maxProperties: 3, additionalProperties: { type: 'boolean' } },
    'map(string, bool)',
    3,
    2,
  ],
  [
    'fields, of which two must be there and one has a default',
    {
      type: 'object',
      properties: {
        one: { type: 'string' },
        é: { type: 'integer' },
        more: { type: 'boolean' },
        given: { type: 'string', default: 'x' },
      },
      required: ['one', 'é', 'given'],
    },
    'selfType',
    0,
    2 + (3 + 2 + 4) + (2 + 1 + 4),
  ],
])('%s has its type and sizes', (_name, schema, type, maxElements, minSize) => {
  const found = declared(schema);
  expect([showType(found.type), found.maxElements, found.minSize]).toEqual([
    type,
    maxElements,
    minSize,
  ]);
});

test.each<[string, CelSchema]>([
  ['nothing', {}],
  ['null', { type: 'null' }],
  ['a list of nothing', { type: 'array' }],
  ['a list of what has no type', { type: 'array', items: {} }],
  ['a map of what has no type', { type: 'object', additionalProperties: {} }],
])('expressions do not see %s', (_name, schema) => {
  expect(declareType(schema, false)).toBeUndefined();
});

test('sizes are found along paths', () => {
  const root = declared({
    type: 'object',
    properties: {
      list: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 2 } },
      map: {
        type: 'object',
        maxProperties: 7,
        additionalProperties: { type: 'string', enum: ['abc'] },
      },
      'a-b': { type: 'string', maxLength: 1 },
    },
  });
  const max = (...path: string[]) => sizesOf(root)(['self', ...path])?.max;
  expect(max()).toBe(0n);
  expect(max('list')).toBe(5n);
  expect(max('list', '@items')).toBe(8n);
  expect(max('map')).toBe(7n);
  expect(max('map', '@values')).toBe(3n);
  expect(max('map', '@keys')).toBe(0n);
  expect(max('a__dash__b')).toBe(4n);
  expect(max('a-b')).toBeUndefined();
  expect(max('list', '@keys')).toBeUndefined();
  expect(max('none', 'at', 'all')).toBeUndefined();
  expect(sizesOf(root)(['self', 'list'])?.min).toBe(0n);
});

describe('an object of Kubernetes', () => {
  const text = { type: 'string' };
  const whole = {
    kind: text,
    apiVersion: text,
    metadata: { type: 'object', properties: { name: text, generateName: text } },
  };

  test('is left as it is when it has everything', () => {
    const schema = { type: 'object', properties: { ...whole, spec: { type: 'object' } } };
    expect(withObjectMeta(schema)).toBe(schema);
  });

  test.each([
    ['no kind', { ...whole, kind: undefined }],
    ['a kind that is no text', { ...whole, kind: { type: 'integer' } }],
    ['an apiVersion that is no text', { ...whole, apiVersion: { type: 'integer' } }],
    ['metadata that are no object', { ...whole, metadata: text }],
    ['no name', { ...whole, metadata: { type: 'object', properties: { generateName: text } } }],
    ['no generateName', { ...whole, metadata: { type: 'object', properties: { name: text } } }],
  ])('gets what it lacks: %s', (_name, properties) => {
    const { kind, ...rest } = properties;
    const schema = { type: 'object', properties: { ...rest, ...(kind && { kind }) } } as CelSchema;
    expect(withObjectMeta(schema).properties).toMatchObject(whole);
    expect(withObjectMeta(schema)).toBe(withObjectMeta(schema));
  });

  test('is seen so by rules, and where one is embedded', () => {
    const own = { type: 'object', properties: { spec: { type: 'object', properties: {} } } };
    const embedded = {
      type: 'object',
      properties: { it: { ...own, 'x-kubernetes-embedded-resource': true } },
    };
    expect([...(declareType(own, true)?.fields?.keys() ?? [])]).toContain('metadata');
    expect([...(declareType(own, false)?.fields?.keys() ?? [])]).toEqual(['spec']);
    const inner = declareType(embedded, false)?.fields?.get('it');
    expect([...(inner?.fields?.keys() ?? [])].sort()).toEqual([
      'apiVersion',
      'kind',
      'metadata',
      'spec',
    ]);
  });
});

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
