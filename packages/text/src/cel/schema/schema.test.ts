import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { kubernetesDeclarations } from '../kubernetes.ts';
import { compileCel } from '../program.ts';
import { optionalOf, showType } from '../types/type.ts';
import { declareType, maxCardinality, sizesOf } from './declared-type.ts';
import { type CelSchema, withObjectMeta } from './structural.ts';

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
