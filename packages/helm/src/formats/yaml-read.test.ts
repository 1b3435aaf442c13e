import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GoMap, type GoValue } from '../go/value.ts';
import { readYaml, type WantedFields } from './yaml-read.ts';

const wanted: WantedFields = new Map<string, WantedFields | true>([
  ['kind', true],
  [
    'metadata',
    new Map([
      ['name', true as const],
      ['annotations', true as const],
    ]),
  ],
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
    'kind: --flag\nmetadata:\n  name: 5\n',
    'kind: 2020-01-01\nmetadata:\n  annotations:\n    yes: no\n    "yes": "no"\n    a: on\n',
    'metadata:\n  annotations:\n  - a\n  name: null\n',
    'spec:\n- --port=1\n- -c\n- -1e999\n- .x\n- +1\n- -inf\n',
    'spec:\n  1e999: 1e999\n  .inf: 1\n',
    'metadata:\n  annotations: {a: 1, b: 1e3, c: 0x1F, d: 18446744073709551615}\n',
    '',
  ])('finds the same, and the same faults: %s', expectSame);

  it('finds the same in any document', () => {
    const scalar = fc.constantFrom(
      ...'a 1 .inf -1 +.5 null ~ yes "x" --a -c 1e999 2020-01-01 0x1f'.split(' '),
    );
    const key = fc.constantFrom(
      ...'kind Kind metadata name annotations a null 1 << .nan yes "yes" on namespace'.split(' '),
    );
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
      fc.property(
        fc.array(fc.tuple(key, node), { maxLength: 5 }),
        fc.boolean(),
        (fields, isPlain) => {
          const lines = fields.map(([name, value]) => `${name}: ${value}`);
          const more = isPlain ? [] : ['x: &a {kind: A, metadata: {name: 1}}', 'y: *a'];
          expectSame([...more, ...lines].join('\n'));
        },
      ),
      { numRuns: 600 },
    );
  });
});
