import type { Random } from '../../packages/kustomize/src/testing/random.ts';

/** Texts at which programs that print and read YAML, JSON and Go's formats part ways. */
const texts: readonly string[] = [
  '',
  'a',
  'web',
  'Hello World',
  'fooBar_baz-qux',
  'HTTPServer2Go',
  'héllo wörld',
  '日本語テキスト',
  'ß İ ǆ',
  '😀 smile',
  'yes',
  'Off',
  'null',
  '~',
  'true',
  '1',
  '01',
  '0x1F',
  '1e3',
  '1_000',
  '-0',
  '.5',
  '12:30',
  '2001-02-03',
  '2001-02-03T04:05:06Z',
  '=',
  '<<',
  '- a',
  'a: b',
  'a #b',
  '#a',
  '[a, b]',
  '{a: b}',
  '&a',
  '*a',
  '!a',
  '%a',
  '@a',
  '`a`',
  "it's",
  'say "hi"',
  'back\\slash',
  ' lead',
  'trail ',
  'tab\there',
  'line one\nline two',
  'line one\nline two\n',
  '\nstarts with a break',
  'two breaks\n\n',
  '  indented\n more\n',
  'crlf\r\nline',
  'nul\u0000byte',
  'next\u0085line\u2028sep',
  '\ufeffbom',
  'nbsp\u00a0here',
  '<a href="x">&amp;</a>',
  'a very long line of words that goes on and on past the eightieth column, where YAML writers fold it',
  `${'longword'.repeat(14)} end`,
  'k1=v1,k2=v2',
  'a/b/../c.tar.gz',
  'https://user:pw@example.org:8443/a%20b/c?q=1&r=x#frag',
  'mailto:a@example.org',
  'aGVsbG8gd29ybGQ=',
  'ORSXG5A=',
  '{"a":1,"b":[true,null,"x"],"c":{"d":1.5}}',
  '[1,2.5,"x",{"y":null}]',
  'a: 1\nb:\n- x\n- y: [z]\n',
  '- 1\n- two\n- [3]\n',
  'x = 1\ny = "z"\n[t]\nw = [1.5, 2.0]\n',
  '1.2.3',
  'v1.10.0-rc.1+build.5',
  '2.0',
  '1h30m',
  '90',
  '500m',
  '10Mi',
  'nginx:1.25@sha256:abc',
  '%d items',
  '100%',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Go's, not ours
  '$1 ${2} $$',
  'a.b.c',
  'camelCaseString',
  'SCREAMING_SNAKE',
  'x'.repeat(70),
];

const words = ['web', 'app', 'name', 'port', 'tier', 'a', 'b', 'c', 'key', 'x1', 'x10', 'x9', 'Z'];
const patterns = [
  '^[a-z]+',
  '[0-9]+',
  '(\\\\w+) (\\\\w+)',
  'l+',
  '[aeiou]',
  '\\\\s+',
  '(?i)HELLO',
  '.',
  '',
  'a|b|c',
  '(a)(b)?',
  '^$',
  '[^a-z]',
  'x{2,5}',
  '(?P<first>[a-z])',
  '\\\\bw',
  '.*?o',
  '[[:upper:]]',
  '\\\\p{Lu}',
];
const badPatterns = ['(', 'a**', '[z-a]', '\\\\q', 'a{2,1}', '(?=a)', '[[:nope:]]', ')'];
// biome-ignore lint/suspicious/noTemplateCurlyInString: Go's, not ours
const replacements = ['', '-', '$1', '${1}x', '$first.', '$$', '<$0>', '$1W', '\\\\1'];
const versions = ['1.2.3', 'v1.10.0', '2', '1.2', '1.2.3-rc.1', '0.0.1+b', '10.20.30'];
const badVersions = ['1.2.beta', '', '01.2.3', '1.2.3.4', '1.2.3-', 'latest'];
const ranges = [
  '>=1.0.0',
  '^1.2',
  '~1.2.3',
  '1.x',
  '>1.0 <2.0',
  '>1.0, <2.0',
  '1.0 - 2.0',
  '<1 || >=2',
  '!=1.2.3',
  '*',
  '>=1.2.3-0',
  '=>1',
  '^0.0.1',
];
const badRanges = ['>>1', 'x.y', '', '^^1', '>= 1.0 beta'];
const layouts = ['2006-01-02', '15:04:05', 'Jan _2 Mon 2006', 'RFC', '2006-01-02T15:04:05Z07:00'];
const formats = [
  '%v',
  '%s',
  '%d',
  '%q',
  '%5v|',
  '%-8v|',
  '%05v',
  '%x',
  '%T',
  '%t',
  '%.2f',
  '%g',
  '%e',
  '%+v',
  '%#v',
  '%c',
  '%U',
  '%v %v',
  '%[1]v %[1]T',
  '%%',
  '%z',
  '%',
  '%6.2f|',
  '%o',
  '%b',
  '%.3s',
  '%*d',
];
const typeNames = ['string', 'float64', 'int', 'int64', 'bool', 'map', 'slice', 'invalid'];
const durations = [
  '1h30m',
  '90s',
  '1.5h',
  '-5m',
  '100',
  '0',
  'x',
  '26h',
  '2400h',
  '500ms',
  '8760h',
];

/** A text as a template writes it: in double quotes, or raw where that can be. */
export function textLiteral(random: Random, text: string): string {
  if (random.chance(0.15) && !/[`\r\0\ufeff]/.test(text)) return `\`${text}\``;
  return JSON.stringify(text)
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\ufeff', '\\ufeff')
    .replaceAll('\u0085', '\\u0085')
    .replaceAll('\\b', '\\x08')
    .replaceAll('\\f', '\\x0c');
}

export const anyText = (random: Random): string => random.pick(texts);
export const anyWord = (random: Random): string => random.pick(words);

/** A good one, or where it is wild now and then a bad one. */
function either(
  random: Random,
  isWild: boolean,
  good: readonly string[],
  bad: readonly string[],
): string {
  return random.pick(isWild && random.chance(0.15) ? bad : good);
}

/** Literals of special arguments, by the letter that stands for them in a pattern. */
export const literals: Readonly<Record<string, (random: Random, isWild: boolean) => string>> = {
  word: (random) => `"${random.pick(words)}"`,
  re: (random, isWild) => `"${either(random, isWild, patterns, badPatterns)}"`,
  repl: (random) => `"${random.pick(replacements)}"`,
  ver: (random, isWild) => `"${either(random, isWild, versions, badVersions)}"`,
  range: (random, isWild) => `"${either(random, isWild, ranges, badRanges)}"`,
  layout: (random) => `"${random.pick(layouts)}"`,
  fmt: (random) => `"${random.pick(formats)}"`,
  type: (random) => `"${random.pick(typeNames)}"`,
  dur: (random) => `"${random.pick(durations)}"`,
  small: (random, isWild) => String(random.below(8) - (isWild && random.chance(0.1) ? 4 : 0)),
  index: (random) => String(random.below(3)),
  zone: (random) => `"${random.pick(['UTC', 'Europe/Berlin', 'America/New_York', 'Nowhere'])}"`,
  sep: (random) => `"${random.pick([',', ' ', '', '.', '-', 'l', '\\n'])}"`,
};
