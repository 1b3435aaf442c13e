import type { Random } from '../../packages/kustomize/src/testing/random.ts';
import type { Sort } from './expression-makers.ts';
import { anyText, anyWord } from './random-words.ts';

/** A key of `values.yaml`, what it mostly holds, and how it is written. */
export interface ValueLine {
  readonly key: string;
  readonly sort: Sort;
  readonly yaml: string;
}

const plainWords = [
  ...'yes no on off y n True FALSE ~ null Null 0 1 -1 +1 017 0o17 0x1F 0b11 1_000 1e3 1E+3 .5 5.'.split(
    ' ',
  ),
  ...'-0 1.10 100000 1000000 12345678 123456789012345678 9223372036854775807 1.5e300 12:30'.split(
    ' ',
  ),
  ...'2001-01-01 = foo Foo-bar a.b.c 1.2.3 v1.2.3 1h30m 10Mi !!str|5 !!int|"7" !!float|1 a|b'.split(
    ' ',
  ),
  ...'1e6 1.0 -1.50 0.1 0.000001 1e-7 1e21 8080 4294967296 "" \'\''.split(' '),
].map((word) => word.replaceAll('|', ' '));

/** Keys of a chart's values, by sort; the same names in every chart, so that charts meet in them. */
export const valueKeys: ReadonlyMap<Sort, readonly string[]> = new Map([
  ['S', ['name', 'text', 'word', 'image']],
  ['N', ['port', 'replicas', 'ratio']],
  ['B', ['enabled', 'debug']],
  ['L', ['list', 'items', 'hosts']],
  ['M', ['labels', 'config', 'nested']],
  ['A', ['loose', 'other']],
] satisfies [Sort, string[]][]);

/** Values for a chart: some of the keys, in some order. */
export function randomValues(random: Random, share = 0.75): ValueLine[] {
  const lines: ValueLine[] = [];
  for (const [sort, keys] of valueKeys) {
    for (const key of keys) {
      if (random.chance(share)) lines.push({ key, sort, yaml: yamlOf(random, sort, 2) });
    }
  }
  return lines.sort(() => random.next() - 0.5);
}

/** The text of values; now and then with a comment or an anchor. */
export function printLines(random: Random, lines: readonly ValueLine[], margin = ''): string {
  let text = '';
  for (const { key, yaml } of lines) {
    if (random.chance(0.08)) text += `${margin}# about ${key}\n`;
    text += `${margin}${key}:${indented(yaml, margin)}\n`;
  }
  return text;
}

const indented = (yaml: string, margin: string) => yaml.replaceAll('\n', `\n${margin}`);

/** What stands after `key:`, with its own line breaks; blocks are indented by two. */
export function yamlOf(random: Random, sort: Sort, depth: number): string {
  switch (sort) {
    case 'S':
      return scalarText(random);
    case 'N':
    case 'I':
      return ` ${random.pick(['0', '1', '80', '8080', '-3', '1.5', '0.25', '1e6', '1234567', '3'])}`;
    case 'B':
      return ` ${random.pick(['true', 'false', 'true', 'yes', 'off'])}`;
    case 'L':
      return listOf(random, depth);
    case 'M':
      return mapOf(random, depth);
    default:
      if (random.chance(0.4)) return ` ${random.pick(plainWords)}`;
      return yamlOf(random, random.pick(['S', 'N', 'B', 'L', 'M']), depth - 1);
  }
}

function scalarText(random: Random): string {
  const text = anyText(random);
  const style = random.below(5);
  if (style === 0 && !/[\0\r\u0085\u2028\ufeff]/.test(text)) {
    return ` '${text.replaceAll("'", "''").replaceAll('\n', '\n\n  ')}'`;
  }
  if (style === 1 && /^[^\s\0\r\u0085\ufeff][^\0\r\u0085\ufeff]*$/.test(text)) {
    const chomp = text.endsWith('\n\n') ? '+' : text.endsWith('\n') ? '' : '-';
    return ` ${random.pick(['|', '|', '>'])}${chomp}\n  ${text.replace(/\n+$/, '').replaceAll('\n', '\n  ')}`;
  }
  if (style === 2 && random.chance(0.5)) return ` ${random.pick(plainWords)}`;
  if (style === 3 && random.chance(0.5))
    return ` "{{ .Values.${random.pick(['name', 'port', 'list'])} }}"`;
  return ` ${JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\ufeff', '\\ufeff')}`;
}

function listOf(random: Random, depth: number): string {
  const count = random.below(4);
  if (count === 0 || depth <= 0)
    return random.pick([' []', ' [a, 1, true]', ' ["b", null]', ' [1, 2]']);
  const margin = random.pick(['', '  ']);
  let text = '';
  for (let index = 0; index < count; index += 1) {
    const item = yamlOf(random, random.pick(['S', 'S', 'N', 'M', 'A']), depth - 1);
    text += `\n${margin}-${item.startsWith('\n') ? item.replaceAll('\n', `\n${margin}  `) : item.replaceAll('\n', `\n${margin}`)}`;
  }
  return text;
}

function mapOf(random: Random, depth: number): string {
  const count = random.below(4);
  if (count === 0 || depth <= 0) return random.pick([' {}', ' {a: 1, b: x}', ' {"a": {b: c}}']);
  const keys = new Set(Array.from({ length: count }, () => anyWord(random)));
  if (random.chance(0.1))
    keys.add(random.pick(['"a.b"', 'y', '1', '"x/y"', '1.5', 'true', "'a b'"]));
  let text = '';
  for (const key of keys) {
    const item = yamlOf(random, random.pick(['S', 'S', 'N', 'B', 'L', 'M', 'A']), depth - 1);
    text += `\n  ${key}:${item.replaceAll('\n', '\n  ')}`;
  }
  return text;
}
