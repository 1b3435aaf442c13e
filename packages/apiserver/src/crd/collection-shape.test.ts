import { expect, test } from 'vitest';
import { problemText } from '../status/field-problem.ts';
import type { JsonSchema } from './json-schema.ts';
import { schemaShapeProblems } from './schema-shape.ts';

const item = {
  type: 'object',
  required: ['k'],
  properties: {
    k: { type: 'string' },
    o: { type: 'object' },
    n: { type: 'string', nullable: true, default: 'a' },
    a: { type: 'array', items: { type: 'string' } },
  },
};

/** Schemas of lists and maps, and what a kube-apiserver 1.36 says of each. */
const table: [object, string[]][] = [
  [
    { type: 'array', items: item, 'x-kubernetes-list-type': 'other' },
    [
      '.x-kubernetes-list-type: Unsupported value: "other": supported values: "atomic", "set", "map"',
    ],
  ],
  [
    { type: 'array', items: item, 'x-kubernetes-list-type': '' },
    ['.x-kubernetes-list-type: Unsupported value: "": supported values: "atomic", "set", "map"'],
  ],
  [
    {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'other',
      'x-kubernetes-list-map-keys': ['k'],
    },
    [
      '.x-kubernetes-list-type: Unsupported value: "other": supported values: "atomic", "set", "map"',
      '.x-kubernetes-list-type: Invalid value: "other": must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  ],
  [
    {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-list-map-keys': ['k'],
    },
    [
      '.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
      '.x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  ],
  [
    { type: 'array', items: item, 'x-kubernetes-list-map-keys': ['k'] },
    [
      '.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  ],
  [
    {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k', 'k'],
    },
    ['.x-kubernetes-list-map-keys: Invalid value: ["k","k"]: must not contain duplicate entries'],
  ],
  [
    {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k', 'missing'],
    },
    [
      '.x-kubernetes-list-map-keys: Invalid value: ["k","missing"]: entries must all be names of item properties',
    ],
  ],
  [
    {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['o'],
    },
    [
      '.items.properties[o].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      '.items.properties[o].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
  ],
  [
    {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a'],
    },
    [
      '.items.properties[a].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      '.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
  ],
  [
    {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['n'],
    },
    [
      '.items.properties[n].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
    ],
  ],
  [
    { type: 'array', items: item, 'x-kubernetes-list-type': 'map' },
    [
      '.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
    ],
  ],
  [
    { type: 'string', 'x-kubernetes-list-type': 'atomic' },
    ['.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified'],
  ],
  [
    { type: 'object', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    [
      '.type: Invalid value: "object": must be array if x-kubernetes-list-type is specified',
      '.items: Required value: must have a schema if x-kubernetes-list-type is map',
    ],
  ],
  [
    { type: 'object', properties: {}, 'x-kubernetes-list-type': 'set' },
    ['.type: Invalid value: "object": must be array if x-kubernetes-list-type is specified'],
  ],
  [
    {
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
    [
      '.items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
    ],
  ],
  [
    { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    [
      '.items: Required value: must be specified',
      '.items: Required value: must have a schema if x-kubernetes-list-type is map',
    ],
  ],
  [
    { type: 'array', 'x-kubernetes-list-type': 'set' },
    ['.items: Required value: must be specified'],
  ],
  [
    { type: 'array', items: item, 'x-kubernetes-list-type': 'set' },
    [
      '.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  [
    {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-map-type': 'granular' },
      'x-kubernetes-list-type': 'set',
    },
    [
      '.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  [
    {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
      'x-kubernetes-list-type': 'set',
    },
    [],
  ],
  [
    {
      type: 'array',
      items: { type: 'array', items: { type: 'string' } },
      'x-kubernetes-list-type': 'set',
    },
    [],
  ],
  [
    {
      type: 'array',
      items: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
      'x-kubernetes-list-type': 'set',
    },
    [],
  ],
  [
    {
      type: 'array',
      items: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      'x-kubernetes-list-type': 'set',
    },
    [
      '.items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  [
    { type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' },
    ['.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set'],
  ],
  [
    {
      type: 'array',
      items: { 'x-kubernetes-int-or-string': true },
      'x-kubernetes-list-type': 'set',
    },
    [],
  ],
  [
    {
      type: 'array',
      items: {
        type: 'object',
        required: ['k'],
        properties: {
          k: { type: 'string' },
          o: { type: 'object' },
          n: { type: 'string', nullable: true, default: 'a' },
          a: { type: 'array', items: { type: 'string' } },
        },
        nullable: true,
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
    ['.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map'],
  ],
  [
    { type: 'string', 'x-kubernetes-map-type': 'atomic' },
    ['.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified'],
  ],
  [
    { type: 'object', 'x-kubernetes-map-type': 'other' },
    ['.x-kubernetes-map-type: Unsupported value: "other": supported values: "atomic", "granular"'],
  ],
  [
    { type: 'object', 'x-kubernetes-map-type': '' },
    ['.x-kubernetes-map-type: Unsupported value: "": supported values: "atomic", "granular"'],
  ],
  [
    { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'atomic' },
    ['.type: Required value: must be object if x-kubernetes-map-type is specified'],
  ],
  [
    { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-list-type': 'atomic' },
    ['.type: Required value: must be array if x-kubernetes-list-type is specified'],
  ],
  [
    { 'x-kubernetes-int-or-string': true, 'x-kubernetes-list-type': 'atomic' },
    ['.type: Required value: must be array if x-kubernetes-list-type is specified'],
  ],
];

test.each(table)('%j', (list, expected) => {
  const spec = { type: 'object', properties: { list } };
  const schema = { type: 'object', properties: { spec } } as JsonSchema;
  const problems = schemaShapeProblems(schema, '').map(problemText);
  const at = '.properties[spec].properties[list]';
  expect(problems.map((text) => text.replace(at, '')).sort()).toEqual(expected.sort());
});
