import { expect, test } from 'vitest';
import { readValues } from '../values/read-values.ts';
import { printJsonPath } from './json-path.ts';

// What the real helm prints for the same values and templates.
const values = readValues(`
image: {tag: "1", repo: r}
list: [a, b, c]
f: 1.5
t: true
nil: null
empty: {}
none: []
items:
  - {name: x, k: 1, tag: t1}
  - {name: w, k: 2}
  - {name: z, k: 3, deep: {tag: t3}}
a.b: dotted
with-dash: d
nested: [[1, 2], [3, 4]]
`);

test.each([
  ['plain', 'plain'],
  ['{.f}', '1.5'],
  ['{ .f }', '1.5'],
  ['{$.f}', '1.5'],
  ['{@.f}', '1.5'],
  ['{.nil}', 'null'],
  ['{.empty}', '{}'],
  ['{.image}', '{"repo":"r","tag":"1"}'],
  ['v{.image.tag}-{.t}', 'v1-true'],
  ['{.a\\.b}', 'dotted'],
  ['{.with-dash}', 'd'],
  ['{.list}', '["a","b","c"]'],
  ['{.list[*]}', 'a b c'],
  ['{.list[1]}', 'b'],
  ['{.list[-1]}', 'c'],
  ['{.list[0:2]}', 'a b'],
  ['{.list[1:]}', 'b c'],
  ['{.list[:2]}', 'a b'],
  ['{.list[-2:]}', 'b c'],
  ['{.list[::2]}', 'a c'],
  ['{.list[1:2:3]}', 'b'],
  ['{.list[0,2]}', 'a c'],
  ["{.image['tag','repo']}", '1 r'],
  ['{.nested[*][*]}', '1 2 3 4'],
  ['{.items[*].name}', 'x w z'],
  ['{..tag}', '1 t1 t3'],
  ['{.list[?(@=="a")]}', 'a'],
  ['{.list[?(@>"a")]}', 'b c'],
  ['{.list[?(@!="b")]}', 'a c'],
  ['{.items[?(@.name=="w")].k}', '2'],
  ['{.items[?(1==1)].name}', 'x w z'],
  ['{range .items[*]}{.name}={.k},{end}', 'x=1,w=2,z=3,'],
  ['{range .list[*]}{@}{"\\n"}{end}!', 'a\nb\nc\n!'],
  ["{'q'}{5}{true}", 'q5true'],
  ['{"a\\tb"}', 'a\tb'],
])('%s', (template, printed) => {
  expect(printJsonPath(template, values)).toBe(printed);
});

test.each([
  'a{.missing}',
  '{.image.tag.foo}',
  '{.list.foo}',
  "{['a.b']}",
  '{.list[5]}',
  '{.list[-9]}',
  '{.list[0:9]}',
  '{.list[2:1]}',
  '{.image[0]}',
  '{.f[0]}',
  '{.items[?(@.missing=="x")].name}',
  '{.items[?(@.k>1)].name}',
  '{.image[?(@=="1")]}',
  '{end}',
  '{foo}',
])('%s prints nothing where something is not there', (template) => {
  expect(printJsonPath(template, values)).toBe('');
});

test.each([
  ['{.f', 'unclosed action'],
  ['{.list[}', 'unterminated array'],
  ['{.list[a]}', 'invalid array index a'],
  ['{.list[ 1 ]}', 'invalid array index  1 '],
  ['{.image["tag"]}', 'invalid array index "tag"'],
  ['{..*}', "unrecognized character in action: U+002A '*'"],
  ['{.items[?(@.k==2||@.k==3)].name}', "unrecognized character in action: U+007C '|'"],
  ['{....x}', 'invalid multiple recursive descent'],
  ['{"a}', 'unterminated quoted string'],
])('%s is refused', (template, why) => {
  expect(() => printJsonPath(template, values)).toThrow(
    `error parsing jsonpath ${template}: ${why}`,
  );
});
