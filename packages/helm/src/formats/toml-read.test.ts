import { expect, test } from 'vitest';
import { Budget } from '../go/budget.ts';
import { toJson } from './json-write.ts';
import { readToml } from './toml-read.ts';

const read = (text: string) => toJson(readToml(text), new Budget());

test.each([
  ['x = 1\n[t]\nw = [1.5, 2]\n', '{"t":{"w":[1.5,2]},"x":1}'],
  ['a.b = 1\n[a.d]\ne = {f = 1, g.h = "i"}', '{"a":{"b":1,"d":{"e":{"f":1,"g":{"h":"i"}}}}}'],
  ['[[p]]\nn = 1\n[[p]]\nn = 0x1F\n[p.q]\nr = true', '{"p":[{"n":1},{"n":31,"q":{"r":true}}]}'],
  ['s = """\nab\\\n  c"""\nr = \'\'\'x\'\'\'', '{"r":"x","s":"abc"}'],
  ['l = [ # one\n 1,\n]', '{"l":[1]}'],
])('%j is read', (text, json) => {
  expect(read(text)).toBe(json);
});

test.each([
  ['{a', "toml: line 1: expected '.' or '=', but got '{' instead"],
  ['[a,b]', `toml: line 1: expected '.' or ']' to end table name, but got ',' instead`],
  ['[t]\n.x = 1', `toml: line 2 (last key "t"): unexpected '.': keys cannot start with a '.'`],
  ['a = 1\na = 2', `toml: line 2 (last key "a"): Key 'a' has already been defined.`],
  ['e = {f = "i\n', `toml: line 1 (last key "e.f"): strings cannot contain newlines`],
  ['d = 1:2', `toml: line 1 (last key "d"): invalid datetime: "1:2"`],
  [
    'x = [1.5t]',
    `toml: line 1 (last key "x"): expected a comma (',') or array terminator (']'), but got 't'`,
  ],
  [
    'x = "\\uab"',
    `toml: line 1 (last key "x"): expected four hexadecimal digits after '\\u', but got "\\\\uab\\"" instead`,
  ],
  ['x = 0x', `toml: line 1 (last key "x"): not a hexadecimal number: '0x\0'`],
  [
    'x = 1_',
    `toml: line 1 (last key "x"): Invalid integer "1_": underscores must be surrounded by digits`,
  ],
  [
    'a\0b',
    'toml: line 1: files cannot contain NULL bytes; probably using UTF-16; TOML files must be UTF-8',
  ],
  [
    'x = 1\n[a]\ny = "\x01"',
    `toml: line 3 (last key "a.y"): TOML files cannot contain control characters: '0x01'`,
  ],
])('%j is refused in the words of the library that Helm uses', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test('arrays that nest without end are refused', () => {
  expect(() => read(`x = ${'['.repeat(100_000)}`)).toThrow('nested too deeply');
});
