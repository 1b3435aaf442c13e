import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextError } from '../error.ts';
import { setYamlText } from './edit.ts';
import { parseYaml } from './parse.ts';
import { printYaml } from './print.ts';

describe('setYamlText', () => {
  it.each([
    ['a plain text', 'a: 1 # one\nb:\n  c: x # why\n', 'a: 1 # one\nb:\n  c: new # why\n'],
    ['a quoted text', 'b:\n  c: "x"\n', 'b:\n  c: "new"\n'],
    ['a text in single quotes', "b:\n  c: 'x'\n", 'b:\n  c: new\n'],
    ['a block', 'b:\n  c: |\n    x\n    z\n  d: 1\n', 'b:\n  c: new\n  d: 1\n'],
    ['an empty value', 'b:\n  c:\n  d: 1\n', 'b:\n  c: new\n  d: 1\n'],
    ['a missing field', 'b:\n  # first\n  d: 1\n', 'b:\n  # first\n  c: new\n  d: 1\n'],
    ['a flow mapping', 'b: {d: 1}\n', 'b: {"c": "new", d: 1}\n'],
    ['JSON', '{"b":{"c":"x","d":1}}', '{"b":{"c":"new","d":1}}'],
    [
      'JSON with spaces',
      '{\n  "b": {\n    "d": 1\n  }\n}',
      '{\n  "b": {\n    "c": "new", "d": 1\n  }\n}',
    ],
  ])('changes nothing around %s', (_, before, after) => {
    expect(setYamlText(before, ['b', 'c'], 'new')).toBe(after);
  });

  it.each([
    ['the mapping is missing', 'a: 1\n'],
    ['the place is a mapping', 'b:\n  c: {d: 1}\n'],
    ['others share the mapping', 'a: &shared\n  c: x\nb: *shared\n'],
    ['the mapping is empty', 'b: {}\n'],
  ])('refuses when %s', (_, text) => {
    expect(() => setYamlText(text, ['b', 'c'], 'new')).toThrow(TextError);
  });

  it('sets any text anywhere', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const key = fc.constantFrom('a', 'b', 'c d', 'true', '1');
    const users = fc.array(fc.dictionary(key, text, { minKeys: 1, maxKeys: 4 }), { minLength: 1 });
    fc.assert(
      fc.property(users, fc.nat(), key, text, fc.boolean(), (list, at, field, value, asJson) => {
        const source = { head: 'x', users: list.map((user) => ({ user })) };
        const before = asJson ? JSON.stringify(source, null, 2) : printYaml(source);
        const index = at % list.length;
        const expected = structuredClone(source);
        expected.users[index]!.user[field] = value;
        const after = setYamlText(before, ['users', index, 'user', field], value);
        expect(parseYaml(after)).toEqual(expected);
      }),
    );
  });
});
