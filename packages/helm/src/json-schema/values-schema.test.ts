import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SchemaNeeded } from './compiler.ts';
import { jsonNodeOf } from './json-node-of.ts';
import { describeMisfits } from './values-schema.ts';

function misfits(schema: unknown, values: unknown): string {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
  return describeMisfits(text, jsonNodeOf(values));
}

const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' };
const draft4 = { $schema: 'http://json-schema.org/draft-04/schema#' };
const draft2019 = { $schema: 'https://json-schema.org/draft/2019-09/schema' };

describe('values that do not meet their schema', () => {
  const a = (schema: object, rest: object = {}) => ({ ...rest, properties: { a: schema } });
  const table: [string, unknown, unknown, string][] = [
    ['type', a({ type: 'string' }), { a: 1 }, "- at '/a': got number, want string"],
    [
      'types',
      a({ type: ['string', 'null'] }),
      { a: [] },
      "- at '/a': got array, want null or string",
    ],
    ['1.0 is an integer', a({ type: 'integer' }), { a: 1.0 }, ''],
    ['1.5 is none', a({ type: 'integer' }), { a: 1.5 }, "- at '/a': got number, want integer"],
    [
      'enum',
      a({ enum: ['x', 5, null] }),
      { a: 1 },
      "- at '/a': value must be one of 'x', 5, <nil>",
    ],
    ['enum of lists', a({ enum: [[1], 2] }), { a: 1 }, "- at '/a': 'enum' failed"],
    ['const', a({ const: { b: 1 } }), { a: { b: 2 } }, "- at '/a': 'const' failed"],
    ['thousands', a({ maximum: 5 }), { a: 1234.5 }, "- at '/a': maximum: got 1,234.5, want 5"],
    ['millions', a({ maximum: 5 }), { a: 2e6 }, "- at '/a': maximum: got 2×10⁰⁶, want 5"],
    ['small', a({ minimum: 1 }), { a: 1e-5 }, "- at '/a': minimum: got 1×10⁻⁰⁵, want 1"],
    ['exact multiples', a({ multipleOf: 0.01 }), { a: 19.99 }, ''],
    [
      'pattern',
      a({ pattern: '^a+$' }),
      { a: "b'" },
      "- at '/a': 'b\\'' does not match pattern '^a+$'",
    ],
    ['length in characters', a({ maxLength: 1 }), { a: '😀' }, ''],
    ['required', { required: ['a', 'b'] }, {}, "- at '': missing properties 'a', 'b'"],
    [
      'several, by name',
      { properties: { b: { type: 'string' }, a: { type: 'string' } } },
      { b: 1, a: 2 },
      "- at '/a': got number, want string\n- at '/b': got number, want string",
    ],
    [
      'additional',
      { properties: { a: true }, patternProperties: { '^x-': true }, additionalProperties: false },
      { a: 1, 'x-b': 1, z: 1, y: 1 },
      "- at '': additional properties 'y', 'z' not allowed",
    ],
    [
      'names',
      { propertyNames: { maxLength: 1 } },
      { ab: 1 },
      "- at '': invalid propertyName 'ab'\n  - at '': maxLength: got 2, want 1",
    ],
    [
      'oneOf twice',
      a({ oneOf: [{ type: 'number' }, { minimum: 0 }] }),
      { a: 1 },
      "- at '/a': 'oneOf' failed, subschemas 0, 1 matched",
    ],
    [
      'if, then, else',
      '{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}',
      { a: 1 },
      "- at '': missing property 'b'",
    ],
    [
      'contains',
      a({ contains: { type: 'string' }, minContains: 2 }),
      { a: ['x', 1] },
      "- at '/a': min 2 items required to match contains schema, but matched 1 items at 0\n  - at '/a/1': got number, want string",
    ],
    [
      'twins',
      a({ uniqueItems: true }),
      { a: [{ b: 1, c: 2 }, 5, { c: 2, b: 1.0 }] },
      "- at '/a': items at 0 and 2 are equal",
    ],
    [
      'tuples, old',
      a({ items: [{ type: 'string' }], additionalItems: false }, draft7),
      { a: ['x', 1, 2] },
      "- at '/a': last 2 additionalItem(s) not allowed",
    ],
    [
      'exclusive, old',
      a({ minimum: 5, exclusiveMinimum: true }, draft4),
      { a: 5 },
      "- at '/a': exclusiveMinimum: got 5, want 5",
    ],
    ['format is a remark', a({ format: 'ipv4' }), { a: 'nope' }, ''],
    [
      'format counts until draft 7',
      a({ format: 'ipv4' }, draft7),
      { a: 'nope' },
      "- at '/a': 'nope' is not valid ipv4: expected four decimals",
    ],
    [
      'definitions',
      { $ref: '#/$defs/x', $defs: { x: { required: ['q'] } } },
      {},
      "- at '': missing property 'q'",
    ],
    [
      'anchors',
      { $ref: '#here', $defs: { x: { $anchor: 'here', required: ['q'] } } },
      {},
      "- at '': missing property 'q'",
    ],
    [
      'ids',
      {
        $ref: 'https://example.org/x',
        $defs: { x: { $id: 'https://example.org/x', required: ['q'] } },
      },
      {},
      "- at '': missing property 'q'",
    ],
    [
      'unevaluated',
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { a: 1, b: 1 },
      "- at '/b': false schema",
    ],
    [
      'recursion',
      {
        ...draft2019,
        $recursiveAnchor: true,
        properties: { kid: { $recursiveRef: '#' } },
        required: ['n'],
      },
      { n: 1, kid: { kid: { n: 1 } } },
      "- at '/kid': missing property 'n'",
    ],
    [
      'a cycle without an end',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
      {},
      '- at \'\': both /$ref/$ref and /$ref resolve to "file:///values.schema.json#/$defs/a" causing reference cycle',
    ],
  ];
  test.each(table)('%s', (_, schema, values, expected) => {
    expect(misfits(schema, values)).toBe(expected === '' ? '' : `${expected}\n`);
  });
});

describe('a schema that is none', () => {
  const table: [string, unknown, string][] = [
    ['nothing', '', 'EOF'],
    ['half', '{"a":', 'unexpected EOF'],
    ['no JSON', '{a}', "invalid character 'a' looking for beginning of object key string"],
    ['a type that is none', { type: 'strin' }, "'anyOf' failed"],
    [
      'a pattern that cannot be read',
      { pattern: 'a(?=b)' },
      "'a(?=b)' is not valid regex: error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
    ],
    [
      'a place that is not there',
      { $ref: '#/nope' },
      'json-pointer in "file:///values.schema.json#/nope" not found',
    ],
    [
      'an anchor that is not there',
      { $ref: '#nope' },
      'anchor in "file:///values.schema.json#nope" not found in schema "file:///values.schema.json"',
    ],
    [
      'a file',
      { $ref: 'file:///etc/passwd' },
      'failing loading "file:///etc/passwd": schemas in files of their own are not read',
    ],
  ];
  test.each(table)('%s', (_, schema, expected) => {
    expect(misfits(schema, {})).toContain(expected);
  });
});

describe('other documents', () => {
  const schema = JSON.stringify({ $ref: 'https://example.org/x.json#/$defs/a' });

  test('are asked for', () => {
    expect(() => describeMisfits(schema, new Map())).toThrow(SchemaNeeded);
  });

  test('are used when brought, and their absence is told', () => {
    const text = JSON.stringify({ $defs: { a: { required: ['z'] } } });
    const url = 'https://example.org/x.json';
    expect(describeMisfits(schema, new Map(), { documents: new Map([[url, text]]) })).toBe(
      "- at '': missing property 'z'\n",
    );
    expect(
      describeMisfits(schema, new Map(), { documents: new Map([[url, new Error('no way')]]) }),
    ).toBe(`failing loading "${url}": no way`);
  });

  test('with an unknown urn take everything', () => {
    const told: string[] = [];
    const onUnknownUrn = (urn: string) => told.push(urn);
    expect(describeMisfits('{"$ref":"urn:x:y"}', new Map(), { onUnknownUrn })).toBe('');
    expect(told).toEqual(['urn:x:y']);
  });
});

test('hostile schemas end', () => {
  expect(misfits({ pattern: '(a+)+$', type: 'object' }, {})).toBe('');
  expect(
    misfits({ properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(5000)}!` }),
  ).toContain('does not match');
  expect(misfits({ properties: { a: { multipleOf: 3 } } }, { a: 1e300 })).toContain('multipleOf');
  expect(misfits(`{"maximum": 1e999999999}`, {})).toBe('');
  const doubled = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at - 1}` };
      return [`d${at}`, at === 0 ? { type: 'string' } : { anyOf: [next, next] }];
    }),
  );
  expect(misfits({ $defs: doubled, $ref: '#/$defs/d39' }, {})).toContain('looks at values more');
  let deep = '{"not":';
  deep = deep.repeat(9000);
  expect(misfits(`${deep}true${'}'.repeat(9000)}`, {})).toMatch(/too deeply|not' failed|^$/);
});

test('a constant of a value takes that value and no other', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const schema = { properties: { a: { const: one } } };
      expect(misfits(schema, { a: one })).toBe('');
      const isSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
      expect(misfits(schema, { a: other }) === '').toBe(isSame);
    }),
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
