// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what is put in
import { describe, expect, test } from 'vitest';
import { SubstitutionError } from './expression.ts';
import { substitute } from './substitute.ts';
import { isSubstituted, substituteResource } from './substitute-resource.ts';
import { checkVariableNames } from './variables.ts';

const variables = new Map([
  ['name', 'web'],
  ['path', 'a/b/a.tar.gz'],
  ['city', 'Zürich'],
  ['upper', 'ABC'],
  ['empty', ''],
  ['two', '2'],
  ['minus', '-2'],
  ['slash', 'a\\b'],
]);

describe('what is put in', () => {
  test.each([
    ['', ''],
    ['plain', 'plain'],
    ['${name}', 'web'],
    ['a-${name}-b', 'a-web-b'],
    ['${name}${name}', 'webweb'],
    ['${none}', ''],
    ['$name', '$name'],
    ['$', '$'],
    ['a $ b', 'a $ b'],
    ['}', '}'],
    ['$${name}', '${name}'],
    ['a$$b', 'a$b'],
    ['$$$${name}', '$${name}'],
    ['$$$name', '$$name'],
    ['\\/ and \\\\', '\\/ and \\\\'],
    // Defaults
    ['${none:-red}', 'red'],
    ['${none:=red}', 'red'],
    ['${none=red}', 'red'],
    ['${none:?red}', 'red'],
    ['${none:+red}', 'red'],
    ['${name:-red}', 'web'],
    ['${empty:-red}', 'red'],
    ['${none:-}', ''],
    ['${none:-${name}}', 'web'],
    ['${none:-a ${name} b}', 'a web b'],
    ['${none:-${none:-${name}}}', 'web'],
    ['${none:-a:b=c}', 'a:b=c'],
    ['${none:=:-}', ':-'],
    // Lengths are of bytes
    ['${#name}', '3'],
    ['${#city}', '7'],
    ['${#none}', '0'],
    // Case
    ['${name^}', 'Web'],
    ['${name^^}', 'WEB'],
    ['${upper,}', 'aBC'],
    ['${upper,,}', 'abc'],
    ['${empty^}', ''],
    // Parts
    ['${path:2}', 'b/a.tar.gz'],
    ['${path:0:3}', 'a/b'],
    ['${path:2:1}', 'b'],
    ['${path:+2}', 'a/b/a.tar.gz'],
    ['${path:${minus}}', 'gz'],
    ['${name:${minus}:1}', 'e'],
    ['${name:${two}}', 'b'],
    ['${name:0:${two}}', 'we'],
    ['${upper:9}', ''],
    ['${upper:x}', 'ABC'],
    ['${upper:0:x}', 'ABC'],
    ['${upper:1x}', 'ABC'],
    ['${upper:0:0}', ''],
    ['${city:3}', 'rich'],
    // Trimmed
    ['${path#*/}', 'b/a.tar.gz'],
    ['${path##*/}', 'a.tar.gz'],
    ['${path%.*}', 'a/b/a.tar'],
    ['${path%%.*}', 'a/b/a'],
    ['${path#b}', 'a/b/a.tar.gz'],
    ['${path#a}', '/b/a.tar.gz'],
    ['${path%gz}', 'a/b/a.tar.'],
    ['${path#[a-c]?}', 'b/a.tar.gz'],
    ['${path#[}', 'a/b/a.tar.gz'],
    ['${city#Zü}', 'rich'],
    ['${city##*ü}', 'rich'],
    ['${name#${name}}', ''],
    ['${name%${name}}', ''],
    // Replaced
    ['${path/a/x}', 'x/b/a.tar.gz'],
    ['${path//a/x}', 'x/b/x.txr.gz'],
    ['${path/#a/x}', 'x/b/a.tar.gz'],
    ['${path/#b/x}', 'a/b/a.tar.gz'],
    ['${path/%gz/x}', 'a/b/a.tar.x'],
    ['${path/%a/x}', 'a/b/a.tar.gz'],
    ['${path/z/}', 'a/b/a.tar.g'],
    ['${path//a/}', '/b/.tr.gz'],
    ['${path/#a/}', 'a/b/a.tar.gz'],
    ['${path/%gz/}', 'a/b/a.tar.gz'],
    ['${path/none/x}', 'a/b/a.tar.gz'],
    ['${path/${name}/x}', 'a/b/a.tar.gz'],
    ['${name/${name}/x}', 'x'],
    ['${name/w/${upper}}', 'ABCeb'],
    ['${path/\\//-}', 'a-b/a.tar.gz'],
    ['${path//\\//-}', 'a-b-a.tar.gz'],
    ['${slash/\\\\/-}', 'a-b'],
    ['${name/w/$$}', '$eb'],
    ['${name//${empty}/-}', '-w-e-b-'],
    ['${name/${empty}/-}', '-web'],
    ['${name/w/a/b}', 'a/beb'],
    // Names
    ['${größe}', ''],
    ['${_a1}', ''],
  ])('%s is %s', (text, wanted) => {
    expect(substitute(text, variables)).toBe(wanted);
  });

  test.each([
    ['${', 'unable to parse variable name'],
    ['${}', 'unable to parse variable name'],
    ['${-a}', 'unable to parse variable name'],
    ['${name', 'missing closing brace'],
    ['${name!}', 'missing closing brace'],
    ['${name^', 'missing closing brace'],
    ['${name^^^}', 'missing closing brace'],
    ['${name^,}', 'missing closing brace'],
    ['${#}', 'bad substitution'],
    ['${#name', 'missing closing brace'],
    ['${##name}', 'bad substitution'],
    ['${name#', 'unable to parse substitution within braces'],
    ['${name#a', 'missing closing brace'],
    ['${name%}', 'unable to parse substitution within braces'],
    ['${name:}', 'unable to parse substitution within braces'],
    ['${name:1', 'bad substitution'],
    ['${name:1:', 'unable to parse substitution within braces'],
    ['${name:1:1', 'missing closing brace'],
    ['${name:${two}x}', 'bad substitution'],
    ['${name/a}', 'bad substitution'],
    ['${name/a/b', 'missing closing brace'],
    ['${name//', 'unable to parse substitution within braces'],
    ['${name:-a', 'unable to parse substitution within braces'],
    ['${name:0:-1}', 'a length of -1 is below zero'],
    [`${'${a:-'.repeat(101)}x${'}'.repeat(101)}`, 'functions are nested too deeply'],
  ])('%s is refused', (text, message) => {
    expect(() => substitute(text, variables)).toThrow(new SubstitutionError(message));
  });

  test('a hundred functions within each other are allowed, and any number beside each other', () => {
    expect(substitute(`${'${a:-'.repeat(100)}x${'}'.repeat(100)}`, new Map())).toBe('x');
    expect(substitute('${name^}'.repeat(150), variables)).toBe('Web'.repeat(150));
    for (const one of ['${#name}', '${name:1}', '${name/w/}', '${name#w}', '${name=1}', '${name}'])
      expect(substitute(one.repeat(150), variables)).toMatch(/./);
  });

  test('strictly, what is not set needs a default', () => {
    const strictly = (text: string) => substitute(text, variables, { isStrict: true });
    for (const operator of ['=', ':=', ':-', ':?', ':+'])
      expect(strictly(`\${none${operator}red}`)).toBe('red');
    expect(strictly('${empty}')).toBe('');
    expect(() => strictly('${none}')).toThrow('variable not set (strict mode): "none"');
    expect(() => strictly('${none^^}')).toThrow('variable not set (strict mode): "none"');
    expect(() => strictly('${name:-${none}}')).toThrow('(strict mode): "none"');
  });

  test('the result has a longest length, and so has what is trimmed', () => {
    expect(substitute('ab${name}', variables, { maxLength: 5 })).toBe('abweb');
    expect(() => substitute('abc${name}', variables, { maxLength: 5 })).toThrow('too long');
    const long = new Map([['a', 'x'.repeat(1_000_000)]]);
    expect(substitute(`\${a#${'x'.repeat(10)}}`, long)).toHaveLength(999_990);
    expect(() => substitute(`\${a#${'x'.repeat(11)}}`, long)).toThrow(
      'a value of 1000000 bytes is too long to be trimmed',
    );
  });
});

describe('resources', () => {
  const object = (metadata: object, data: object = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'one', ...metadata },
    data,
  });

  test('values become what YAML reads of them, without their line breaks', () => {
    const filled = substituteResource(
      { object: object({}, { a: '${n}', b: 'x${n}', c: '${lines}' }) },
      new Map([
        ['n', '3'],
        ['lines', 'a\nb\n'],
      ]),
    );
    expect(filled?.data).toEqual({ a: 3, b: 'x3', c: 'ab' });
  });

  test('the text that was built is taken, when there is one', () => {
    const yaml = 'metadata:\n  name: ${name}\n';
    const filled = substituteResource({ object: object({}), yaml }, variables);
    expect(filled).toEqual({ metadata: { name: 'web' } });
  });

  test('without variables nothing happens, unless defaults are wanted', () => {
    const resource = { object: object({}, { a: '${a:-1}' }) };
    expect(substituteResource(resource, new Map())).toBeUndefined();
    expect(substituteResource(resource, new Map(), { always: true })?.data).toEqual({ a: 1 });
  });

  const switchOff = { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' };
  test.each([
    [{ labels: switchOff }, false],
    [{ annotations: switchOff }, false],
    [{ labels: { 'kustomize.toolkit.fluxcd.io/substitute': 'enabled' } }, true],
    [{}, true],
  ])('%j takes part: %s', (metadata, takesPart) => {
    const one = object(metadata, { a: '${name}' });
    expect(isSubstituted(one)).toBe(takesPart);
    expect(substituteResource({ object: one }, variables) === undefined).toBe(!takesPart);
  });

  test.each([
    ['a: ${x', 'envsubst error: variable substitution failed: missing closing brace'],
    ['a: [', 'YAMLToJSON: '],
    ['- a', 'variable substitution left no object'],
    ['a: 1', 'variable substitution left no object'],
    ['metadata: 1', 'variable substitution left no object'],
  ])('%s is refused', (yaml, message) => {
    expect(() => substituteResource({ object: object({}), yaml }, variables)).toThrow(message);
  });

  test('a variable that is not set is refused strictly', () => {
    const resource = { object: object({}, { a: '${none}' }) };
    expect(substituteResource(resource, variables)?.data).toEqual({ a: null });
    expect(() => substituteResource(resource, variables, { isStrict: true })).toThrow('"none"');
  });
});

test.each([
  ['a', true],
  ['_', true],
  ['A_1', true],
  ['1a', false],
  ['a-b', false],
  ['', false],
  ['ä', false],
])('a variable may be called "%s": %s', (name, isAllowed) => {
  const check = () => checkVariableNames(new Map([[name, 'x']]));
  if (isAllowed) expect(check).not.toThrow();
  else expect(check).toThrow(`'${name}' var name is invalid`);
});
