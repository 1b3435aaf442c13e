import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextError } from '../error.ts';
import { equalJson } from '../json.ts';
import { compareKeys } from './key-order.ts';
import { parseYaml, parseYamlAll, parseYamlDocuments } from './parse.ts';
import { printYaml, printYamlDocuments } from './print.ts';

describe('printYaml', () => {
  // Each line is what kubectl kustomize prints for the value.
  it.each<[unknown, string]>([
    ['web', 'web'],
    ['', '""'],
    ['yes', '"yes"'],
    ['y', '"y"'],
    ['Off', '"Off"'],
    ['null', '"null"'],
    ['~', '"~"'],
    ['1', '"1"'],
    ['0x1F', '"0x1F"'],
    ['1e3', '"1e3"'],
    ['1_000', '"1_000"'],
    ['_1', '_1'],
    ['12:30', '"12:30"'],
    ['2020-01-01', '"2020-01-01"'],
    ['2020-13-01', '2020-13-01'],
    ['2020-01-01T00:00:00Z', '"2020-01-01T00:00:00Z"'],
    ['.inf', '".inf"'],
    ['a: b', "'a: b'"],
    ['a:b', 'a:b'],
    ['a #b', "'a #b'"],
    ["it's", "it's"],
    ["'q", "'''q'"],
    [' x', "' x'"],
    ['- a', "'- a'"],
    ['-a', '-a'],
    ['?', "'?'"],
    ['*a', "'*a'"],
    ['<<', '<<'],
    ['=', '='],
    ['a\tb', '"a\\tb"'],
    ['🚀', '"\\U0001F680"'],
    ['日本', '日本'],
    ['\ufeff>', '"\\uFEFF\\x3E"'],
    [1, '1'],
    [1.5, '1.5'],
    [1234567.5, '1.2345675e+06'],
    [1e21, '1e+21'],
    [0.00001, '1e-05'],
    [true, 'true'],
    [null, 'null'],
    [[], '[]'],
    [{}, '{}'],
    ['a\nb', '|-\n  a\n  b'],
    ['a\nb\n', '|\n  a\n  b'],
    ['a\n\n', '|+\n  a\n'],
    ['a\nnext\u2028sep', '|-\n  a\n  next\u2028  sep'],
    ['\u2028a\nb', '|2-\n\u2028  a\n  b'],
    [' a\nb', '|2-\n   a\n  b'],
    ['a \nb', '"a \\nb"'],
  ])('%s', (value, printed) => {
    expect(printYaml({ k: value })).toBe(`k: ${printed}\n`);
  });

  it('prints large integers to the last digit', () => {
    expect(printYaml({ k: 9007199254740993n })).toBe('k: 9007199254740993\n');
  });

  it('folds long text at 80 columns', () => {
    expect(printYaml({ key: `${'word '.repeat(20)}end` })).toBe(
      `key: ${'word '.repeat(16).trim()}\n  ${'word '.repeat(4)}end\n`,
    );
  });

  it('nests without indenting sequences', () => {
    expect(printYaml({ b: [1, { c: [2], a: {} }, [3, [4]]], a: { x: 1 } })).toBe(
      'a:\n  x: 1\nb:\n- 1\n- a: {}\n  c:\n  - 2\n- - 3\n  - - 4\n',
    );
  });

  it('writes a key that no line can hold with a question mark', () => {
    const long = 'k'.repeat(129);
    expect(printYaml({ 'a\nb': 1, 'c\rd': [2], [long]: { e: 3 }, '<<': 4 })).toBe(
      `"<<": 4\n? |-\n  a\n  b\n: 1\n? "c\\rd"\n: - 2\n? ${long}\n: e: 3\n`,
    );
  });

  it('keeps the order of keys, and writes as Kong does, on request', () => {
    const value = { b: '3.0', a: null, config: { limit: 1_000_000 }, c: 'x y' };
    expect(printYaml(value, { keys: 'given', leaves: 'kong', floatsBelow: ['config'] })).toBe(
      "b: '3.0'\na: ~\nconfig:\n  limit: 1e+06\nc: x y\n",
    );
  });

  it('sorts keys naturally', () => {
    const keys = ['a10', 'b', 'a9', 'A', '_c', 'a1b', '10', '2', 'a-b', 'ab', 'a.b'];
    expect(keys.sort(compareKeys)).toEqual([
      '_c',
      '2',
      '10',
      'A',
      'a-b',
      'a.b',
      'a1b',
      'a9',
      'a10',
      'ab',
      'b',
    ]);
  });

  it('separates documents', () => {
    expect(printYamlDocuments([{ a: 1 }, { b: 2 }])).toBe('a: 1\n---\nb: 2\n');
  });

  it('prints what reads back as the same', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '\n',
      ':',
      '- ',
      '#',
      "'",
      '"',
      '0',
      'y',
      '{',
      'é',
      '\t',
      '%',
      '.',
    );
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    const leaf = fc.oneof(
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(
          text.filter((key) => key !== '<<'),
          tie('any'),
          { maxKeys: 4 },
        ),
      ),
    })).any;
    fc.assert(
      fc.property(value, (one) => {
        expect(equalJson(parseYaml(printYaml({ one })), { one })).toBe(true);
      }),
    );
  });
});

describe('parseYaml', () => {
  it.each<[string, unknown]>([
    ['a: yes', true],
    ['a: "yes"', 'yes'],
    ['a: n', false],
    ['a: 0755', 493],
    ['a: 0o17', 15],
    ['a: 0x1F', 31],
    ['a: 1_000', 1000],
    ['a: 1.0', 1],
    ['a: 1e3', 1000],
    ['a: 12:30', '12:30'],
    ['a: 2020-01-01', '2020-01-01'],
    ['a: ~', null],
    ['a:', null],
    ['a: 9007199254740993', 9007199254740993n],
    ['a: 99999999999999999999999', 1e23],
    ['a: !!str 1', '1'],
    ['a: !!int "1"', 1],
    ['a: !!binary aGk=', 'hi'],
    ['a: |\n  x\n  y\n', 'x\ny\n'],
    ['a: .5', 0.5],
    ['a: 1.2.3', '1.2.3'],
  ])('%s', (text, value) => {
    expect(parseYaml(text)).toEqual({ a: value });
  });

  it('reads JSON with its large integers', () => {
    expect(parseYaml('{"a": 12345678901234567890, "b": "12345678901234567890"}')).toEqual({
      a: 12345678901234567890n,
      b: '12345678901234567890',
    });
  });

  it('gives documents with their lines and leaves empty ones out', () => {
    const documents = parseYamlDocuments('# c\n---\na: 1\n---\n---\n# only this\n---\nb: 2\n');
    expect(documents).toEqual([
      { value: { a: 1 }, line: 3 },
      { value: { b: 2 }, line: 8 },
    ]);
    expect(parseYamlAll('')).toEqual([]);
    expect(parseYaml('# nothing')).toBeNull();
  });

  it('merges with <<', () => {
    expect(parseYaml('x: &x {a: 1, b: 2}\nz:\n  <<: *x\n  b: 3\n')).toEqual({
      x: { a: 1, b: 2 },
      z: { a: 1, b: 3 },
    });
  });

  it.each([
    ['a: 1\nb: 2\na: 3\n', 3, /"a" is already set/],
    ['{"a": 1,\n"a": 2}', 2, /"a" is already set/],
    ['a: 1\n  b: 2\n', 2, /mapping values are not allowed in this context/],
    ['a: .inf', 1, /no form in JSON/],
    ['a: 1\nb: *nope', 2, /unknown anchor 'nope'/],
    ['a: 1\n---\nb: 2', 3, /second document/],
    ['? [a]\n: 1', 1, /key must be/],
    ['a: !custom 1', 1, /unknown tag/],
  ])('refuses %j at line %d', (text, line, message) => {
    const error = thrownBy(() => parseYaml(text));
    expect(error).toBeInstanceOf(TextError);
    expect((error as TextError).message).toMatch(message);
    expect((error as TextError).line).toBe(line);
  });

  it('takes the last of two equal keys on request', () => {
    expect(parseYaml('a: 1\na: 2', { duplicateKeys: 'last' })).toEqual({ a: 2 });
    const tagged = parseYaml('a: !x\nb: !x 3\nc: !x "3"\n', { unknownTags: 'text' });
    expect(tagged).toEqual({ a: '', b: '3', c: '3' });
  });

  it('bounds aliases that unfold', () => {
    let text = 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n';
    for (let at = 1; at < 10; at++) {
      text += `a${at}: &a${at} [${Array(10)
        .fill(`*a${at - 1}`)
        .join(', ')}]\n`;
    }
    expect(() => parseYaml(text)).toThrow(/excessive aliasing/);
  });

  it('bounds depth', () => {
    expect(() => parseYaml('['.repeat(100_000))).toThrow(TextError);
    expect(() => parseYaml(`${'['.repeat(3000)}${']'.repeat(3000)}`)).toThrow(TextError);
  });

  it('keeps __proto__ a plain key', () => {
    const value = parseYaml('__proto__: {polluted: 1}') as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
