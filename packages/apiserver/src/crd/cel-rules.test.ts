import { readFileSync } from 'node:fs';
import { declareType, maxCardinality } from '@waygate/text';
import { expect, test } from 'vitest';
import { problemText } from '../status/field-problem.ts';
import { celProblems } from './cel-rules.ts';
import type { JsonSchema } from './json-schema.ts';
import { compileRule } from './rule-compilation.ts';

/** A schema with rules and an object, and what Kubernetes' own validator says of both. */
interface Case {
  readonly schema: JsonSchema;
  readonly root: boolean;
  readonly object?: unknown;
  readonly old?: unknown;
  readonly expected: {
    readonly rules: readonly Record<string, unknown>[];
    readonly errors: readonly string[];
  };
}

const cases = JSON.parse(
  readFileSync(new URL('../../../text/src/cel/testdata/rules.json', import.meta.url), 'utf8'),
) as Case[];

test.each(cases.map((one, index) => [index, one] as const))(
  'compiles, estimates and runs rules as Kubernetes does: schema %i',
  (_index, { schema, root, object, old, expected }) => {
    const declared = declareType(schema, root);
    if (declared === undefined) throw new Error('the schema has no type');
    for (const [index, rule] of (schema['x-kubernetes-validations'] ?? []).entries()) {
      const compiled = compileRule(rule, declared);
      const found = {
        error: compiled.problem,
        ...(compiled.problem === undefined
          ? {
              cost: String(compiled.maxCost),
              cardinality: String(maxCardinality(declared)),
              usesOldSelf: compiled.usesOldSelf,
            }
          : {}),
        messageError: compiled.messageProblem,
        messageCost: compiled.messageProgram && String(compiled.messageMaxCost),
      };
      expect([rule.rule, JSON.parse(JSON.stringify(found))]).toEqual([
        rule.rule,
        expected.rules[index],
      ]);
    }
    if (object === undefined) return;
    expect(celProblems(object, old, schema, '').map(problemText).sort()).toEqual(expected.errors);
  },
);

const rule = (text: string) => ({ rule: text });

test('what was wrong before and has not been touched does not stand in the way of a change', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      a: { type: 'string', 'x-kubernetes-validations': [rule("self == 'right'")] },
      b: { type: 'integer' },
    },
    'x-kubernetes-validations': [rule('self.b != 7')],
  };
  const old = { a: 'wrong', b: 1 };
  expect(celProblems({ a: 'wrong', b: 2 }, old, schema, '')).toEqual([]);
  expect(celProblems({ a: 'worse', b: 2 }, old, schema, '')).toHaveLength(1);
  expect(celProblems({ a: 'wrong', b: 7 }, old, schema, '')).toHaveLength(1);
  expect(celProblems({ a: 'wrong', b: 1 }, undefined, schema, '')).toHaveLength(1);
});

test('all rules of an object share one budget', () => {
  const items = Array.from({ length: 300 }, (_, index) => index);
  const loop = rule('self.all(a, self.all(b, a + b >= 0))');
  const schema: JsonSchema = {
    type: 'array',
    items: { type: 'integer' },
    'x-kubernetes-validations': Array.from({ length: 200 }, () => loop),
  };
  const problems = celProblems(items, undefined, schema, 'spec.list', 2_000_000);
  expect(problems.map(problemText)).toEqual([
    'spec.list: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
  ]);
});

test('rules on the branches of allOf count, too', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { a: { type: 'integer' } },
    allOf: [
      { 'x-kubernetes-validations': [rule('self.a > 1')] },
      { properties: { a: { 'x-kubernetes-validations': [rule('self < 9')] } } },
    ],
  };
  const texts = (a: number) => celProblems({ a }, undefined, schema, '').map(problemText);
  expect(texts(5)).toEqual([]);
  expect(texts(1)).toEqual(['<nil>: Invalid value: failed rule: self.a > 1']);
  expect(texts(9)).toEqual(['a: Invalid value: 9: failed rule: self < 9']);
});

const reserved =
  'as break const continue else for function if import let loop package namespace return var void while';

test.each([
  ...reserved.split(' ').flatMap((word) => [
    [word, word, true],
    [word, `__${word}__`, true],
  ]),
  // These are literals and an operator: only escaped can they be fields.
  ...['true', 'false', 'null', 'in'].flatMap((word) => [
    [word, word, false],
    [word, `__${word}__`, true],
  ]),
] as [string, string, boolean][])('a field %s can be called %s: %s', (field, name, isPossible) => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { [field]: { type: 'string' } },
    'x-kubernetes-validations': [rule(`!has(self.${name}) || self.${name} == 'a'`)],
  };
  const declared = declareType(schema, false);
  if (declared === undefined) throw new Error('the schema has no type');
  const compiled = compileRule(rule(`has(self.${name}) && self.${name} == 'a'`), declared);
  expect(compiled.problem === undefined).toBe(isPossible);
  if (!isPossible) return;
  expect(celProblems({ [field]: 'a' }, undefined, schema, '')).toEqual([]);
  expect(celProblems({}, undefined, schema, '')).toEqual([]);
  expect(celProblems({ [field]: 'b' }, undefined, schema, '')).toHaveLength(1);
});
