import { expect, test } from 'vitest';
import type { Resource } from '../resources/resource.ts';
import { schemasV2 } from './custom-schemas.ts';

const name = 'com.example.v1.Thing';

function definitionOf(openApiSchema: object): Record<string, unknown> {
  const named = { group: 'example.com', version: 'v1', kind: 'Thing', listKind: 'ThingList' };
  const resource = { ...named, openApiSchema } as unknown as Resource;
  return schemasV2(resource)[name] as Record<string, unknown>;
}

const text = { type: 'string' };

// As a kube-apiserver 1.36 publishes them.
test.each([
  [
    'a default',
    { ...text, default: 'x', enum: ['x'], pattern: 'x' },
    { ...text, enum: ['x'], pattern: 'x' },
  ],
  [
    'alternatives',
    { type: 'object', oneOf: [{ required: ['a'] }], not: { required: ['b'] } },
    { type: 'object' },
  ],
  [
    'null',
    { type: 'object', nullable: true, required: ['a'], properties: { a: text }, maxProperties: 2 },
    { required: ['a'], maxProperties: 2 },
  ],
  [
    'null, in a map',
    { type: 'object', additionalProperties: { ...text, nullable: true } },
    { type: 'object', additionalProperties: {} },
  ],
  [
    'null, in a list',
    { type: 'array', items: { type: 'array', nullable: true, items: text } },
    { type: 'array', items: {} },
  ],
  [
    'fields that are not named',
    {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      additionalProperties: text,
      required: ['a'],
    },
    {
      'x-kubernetes-preserve-unknown-fields': true,
      additionalProperties: text,
      required: ['a'],
    },
  ],
  [
    'any object',
    {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  ],
  [
    'a number or a text',
    { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, text] },
    { 'x-kubernetes-int-or-string': true },
  ],
])('%s, in the words of v2', (_, schema, published) => {
  const whole = { type: 'object', properties: { spec: schema } };
  expect(definitionOf(whole).properties).toMatchObject({ spec: published });
  const { spec } = definitionOf(whole).properties as { spec: object };
  expect(Object.keys(spec).sort()).toEqual(Object.keys(published).sort());
});

test('who keeps all fields names none, so that nobody refuses the others', () => {
  const schema = { type: 'object', description: 'd', 'x-kubernetes-preserve-unknown-fields': true };
  expect(definitionOf(schema)).toEqual({
    type: 'object',
    'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Thing', version: 'v1' }],
  });
});
