import { expect, test } from 'vitest';
import type { JsonSchema } from './json-schema.ts';
import { schemaShapeProblems } from './schema-shape.ts';

const other =
  'must not specify anything other than name and generateName, but metadata is implicitly specified';
const text = { type: 'string' } as const;

// What a real server said to each.
const rows: readonly (readonly [what: string, metadata: object, said: string])[] = [
  ['its type', { type: 'object' }, ''],
  ['how it is named', { type: 'object', properties: { name: { ...text, maxLength: 9 } } }, ''],
  ['both names', { type: 'object', properties: { name: text, generateName: text } }, ''],
  ['what it is for', { type: 'object', description: 'Name and labels.' }, other],
  ['a title', { type: 'object', title: 'Metadata' }, other],
  ['that a name is needed', { type: 'object', required: ['name'] }, other],
  ['that it may be null', { type: 'object', nullable: true }, other],
  ['how large it is', { type: 'object', maxProperties: 3 }, other],
  ['that all is kept', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, other],
  ['how it is labelled', { type: 'object', properties: { labels: { type: 'object' } } }, other],
  ['a default', { type: 'object', default: {} }, 'must not be set in top-level metadata'],
  ['that it is a text', text, 'must be object'],
];

test.each(rows)('a definition that says %s of metadata', (_, metadata, said) => {
  const schema: JsonSchema = { type: 'object', properties: { metadata } };
  const problems = schemaShapeProblems(schema, 'schema').map(({ detail }) => detail);
  expect(problems.join()).toBe(said);
});

test.each(['kind', 'apiVersion'])('a definition whose %s is no text', (name) => {
  const schema: JsonSchema = { type: 'object', properties: { [name]: { type: 'integer' } } };
  expect(schemaShapeProblems(schema, 'schema').map(({ detail }) => detail)).toEqual([
    'must be string',
  ]);
});
