import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GoMap, type GoValue } from '../go/value.ts';
import { readYaml, type WantedFields } from './yaml-read.ts';

const wanted: WantedFields = new Map<string, WantedFields | true>([
  ['kind', true],
  ['metadata', new Map([['name', true as const]])],
]);

/** What is wanted of a map that was read whole. */
function picked(value: GoValue, fields: WantedFields | true): GoValue {
  if (fields === true || !(value instanceof GoMap)) return value;
  return new GoMap(
    [...value.entries].flatMap(([name, inner]) => {
      const inside = fields.get(name.toLowerCase());
      return inside === undefined ? [] : [[name, picked(inner, inside)] as const];
    }),
  );
}

function outcome(read: () => GoValue): unknown {
  try {
    return read();
  } catch (error) {
    return (error as Error).message;
  }
}

function expectSame(text: string): void {
  expect(outcome(() => readYaml(text, wanted))).toEqual(
    outcome(() => picked(readYaml(text), wanted)),
  );
}

describe('reading only what is wanted', () => {
  it.each([
    'kind: Service\nmetadata: {name: a, labels: {b: c}}\nspec: [1, {a: .5}]',
    'KIND: a\nKind: b\nkind: c',
    'spec: {a: .inf}',
    'spec: [-.INF]',
    'spec: {null: 1}',
    'spec: {~: 1}',
    'spec: {18446744073709551615: 1}',
    'spec: {? [a] : 1}',
    'spec: {a: !!int x}',
    'spec: {!!int x: a}',
    'spec: {true: 1, 1.5: 2, 2020-01-01: 3}',
    'spec: &a {b: *a}',
    'a: &a {kind: X, metadata: {name: n, .nan: .nan}}\n<<: *a',
    'a: &a {kind: X}\nb: &b {kind: Y}\n<<: [*a, *b]',
    'a: 1\n<<: 2',
    'a: {<<: 2}',
    'metadata: &m {name: a}\nspec: *m',
    'metadata: text\nkind: {a: b}',
    '[kind]',
    'kind',
    '',
  ])('finds the same, and the same faults: %s', expectSame);

  it('finds the same in any document', () => {
    const scalar = fc.constantFrom('a', '1', '.inf', '-1', '+.5', 'null', '~', 'yes', '"x"', '*a');
    const key = fc.constantFrom('kind', 'Kind', 'metadata', 'name', 'a', 'null', '1', '<<', '.nan');
    const { node } = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        scalar,
        fc.array(tie('node'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
        fc
          .array(fc.tuple(key, tie('node')), { maxLength: 4 })
          .map((fields) => `{${fields.map(([name, value]) => `${name}: ${value}`).join(', ')}}`),
      ),
    }));
    fc.assert(
      fc.property(fc.array(fc.tuple(key, node), { maxLength: 5 }), (fields) => {
        const lines = fields.map(([name, value]) => `${name}: ${value}`);
        expectSame(['x: &a {kind: A, metadata: {name: 1}}', ...lines].join('\n'));
      }),
      { numRuns: 300 },
    );
  });
});
