import { expect, it } from 'vitest';
import { checkChartFile } from './chart-file-rules.ts';
import { LintMessages } from './lint-messages.ts';

const strict = 'failed to strictly parse chart metadata file\n\t';
const unknown = (field: string) =>
  `${strict}error unmarshaling JSON: while decoding JSON: json: unknown field ${field}`;
const twice = (...lines: string[]) =>
  `${strict}error converting YAML to JSON: yaml: unmarshal errors:\n  ${lines.join('\n  ')}`;

// In the words of Helm 4.3.
it.each([
  ['', undefined],
  ['zzz: null', unknown('"zzz"')],
  ['dependencies: [{name: b, version: 1.0.0, foo: 1, bar: 2}]', unknown('"bar"')],
  ['dependencies: [{name: b, version: 1.0.0, condition: a.on,b.on}]', unknown('"b.on"')],
  ['dependencies: [null, {NAME: b, Foo: 1}]', unknown('"Foo"')],
  ['dependencies: [{name: b, version: 1.0.0, import-values: [{a: b}]}]', undefined],
  ['maintainers: [{name: a, x: 1}]', unknown('"x"')],
  ['annotations: {anything: else}', undefined],
  ['Description: x', undefined],
  ['name: b', twice('line 5: key "name" already set in map')],
  [
    'annotations: {}\nannotations:\n  a: b\n  a:\n    c',
    twice('line 9: key "a" already set in map', 'line 7: key "annotations" already set in map'),
  ],
])('Helm 4 warns of what no chart has: %j', (text, expected) => {
  const head = 'apiVersion: v2\nname: a\nversion: 1.0.0\nicon: https://example.com/a\n';
  const [four, three] = [new LintMessages(), new LintMessages()];
  checkChartFile(`${head}${text}\n`, 4, four);
  checkChartFile(`${head}${text}\n`, 3, three);
  expect(four.all.map(({ text }) => text)).toEqual(expected === undefined ? [] : [expected]);
  expect(three.all).toEqual([]);
});
