import { expect, test } from 'vitest';
import { evaluateCel, fromCel } from './environment.ts';
import { withoutObjectLiterals } from './object-literals.ts';

test.each<[string, unknown]>([
  ['Object{spec: Object.spec{replicas: 3}}', { spec: { replicas: 3 } }],
  ['Object{}', {}],
  [
    'Object {\n  metadata: Object.metadata{ labels: Object.metadata.labels{ a: "Object{b: 1}" } } // {x: 1}\n}',
    { metadata: { labels: { a: 'Object{b: 1}' } } },
  ],
  [
    'Object{a: true ? 1 : 2, b: [Object.b{c: 1}], d: {"e": 5}}',
    { a: 1, b: [{ c: 1 }], d: { e: 5 } },
  ],
  [
    '[JSONPatch{op: "add", path: "/a", value: {"b": 1}}]',
    [{ op: 'add', path: '/a', value: { b: 1 } }],
  ],
  ['has(self.Object) ? Object{a: self.x} : Object{}', {}],
  ['jsonpatch.escapeKey("a/b~c")', 'a~1b~0c'],
])('%s', (expression, value) => {
  expect(fromCel(evaluateCel(withoutObjectLiterals(expression), { self: {} }))).toEqual(value);
});
