import { describe, expect, test } from 'vitest';
import type { OpenApiSchema } from '../schema-node.ts';
import { commentLines, fieldLines, typeText } from './type-text.ts';

const names = { reference: (name: string) => `Ref<${name}>` };
const text: OpenApiSchema = { type: 'string' };

describe('a type', () => {
  test.each<[OpenApiSchema, string]>([
    [text, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'number' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'array', items: text }, 'string[]'],
    [{ type: 'array' }, 'unknown[]'],
    [{ type: 'array', items: { ...text, nullable: true } }, '(string | null)[]'],
    [{ ...text, nullable: true }, 'string | null'],
    [{ nullable: true }, 'unknown'],
    [{}, 'unknown'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, 'Record<string, number>'],
    [{ ...text, enum: ['a', "it's", 'a"b'] }, `'a' | 'it\\'s' | 'a"b'`],
    [{ type: 'integer', enum: [1, 2] }, '1 | 2'],
    [{ ...text, enum: [] }, 'string'],
    [{ type: 'array', items: { ...text, enum: ['a', 'b'] } }, `('a' | 'b')[]`],
    [{ 'x-kubernetes-int-or-string': true }, 'number | string'],
    [{ ...text, format: 'int-or-string' }, 'number | string'],
    [{ $ref: '#/components/schemas/Pod' }, 'Ref<Pod>'],
    [{ allOf: [{ $ref: '#/x/Pod' }] }, 'Ref<Pod>'],
    [{ allOf: [{ $ref: '#/x/Pod' }, {}] }, 'unknown'],
    [{ type: 'object', properties: { a: text }, required: ['a'] }, '{ a: string; }'],
    [{ properties: { a: text } }, '{ a?: string; }'],
  ])('%j is %s', (schema, expected) => {
    expect(typeText(schema, names)).toBe(expected);
  });

  test('asks for a name where an object is, by the way to it', () => {
    const asked: string[] = [];
    const named = {
      ...names,
      object: (_: OpenApiSchema, path: readonly string[]) => {
        asked.push(path.join('.'));
        return `T${asked.length}`;
      },
    };
    const inner: OpenApiSchema = { type: 'object', properties: { a: text } };
    const lines = fieldLines(
      {
        properties: {
          one: inner,
          list: { type: 'array', items: inner },
          map: { type: 'object', additionalProperties: inner },
        },
      },
      named,
    );
    expect(lines).toEqual(['one?: T1;', 'list?: T2[];', 'map?: Record<string, T3>;']);
    expect(asked).toEqual(['one', 'list.item', 'map.value']);
  });

  test.each<[OpenApiSchema, string[]]>([
    [
      { properties: { 'x-y': text, _a: text, '1': text } },
      [`'1'?: string;`, `'x-y'?: string;`, '_a?: string;'],
    ],
    [{ 'x-kubernetes-preserve-unknown-fields': true }, ['[field: string]: unknown;']],
    [{ additionalProperties: true }, ['[field: string]: unknown;']],
    [{ additionalProperties: text }, ['[field: string]: unknown;']],
    [{ additionalProperties: false }, []],
    [{ properties: { a: { ...text, description: 'An a.' } } }, ['/** An a. */', 'a?: string;']],
  ])('of %j has the fields %j', (schema, lines) => {
    expect(fieldLines(schema, names)).toEqual(lines);
  });

  test.each<[unknown, string[]]>([
    [undefined, []],
    ['  ', []],
    [5, []],
    [' one ', ['/** one */']],
    ['a */ b', ['/** a *\\/ b */']],
    ['one  \r\n\ntwo', ['/**', ' * one', ' *', ' * two', ' */']],
  ])('is described by %j', (description, lines) => {
    expect(commentLines(description)).toEqual(lines);
  });
});
