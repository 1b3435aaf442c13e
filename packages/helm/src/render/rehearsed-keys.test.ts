import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { loadChart } from '../chart/load-chart.ts';
import type { KeyKind } from '../functions/private-key.ts';
import { GoMap } from '../go/value.ts';
import { freshValues } from './fresh-values.ts';
import { renderChart } from './render-chart.ts';

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

function rendered(template: string, values = 'list: []\n') {
  const made: KeyKind[] = [];
  const told: string[] = [];
  const file = (name: string, text: string) => ({ name, data: Buffer.from(text) });
  const chart = loadChart([
    file('Chart.yaml', 'apiVersion: v2\nname: web\nversion: 1.0.0\n'),
    file('values.yaml', values),
    file('templates/a.yaml', template),
  ]);
  const render = () =>
    renderChart(chart, new GoMap(), {
      release: { name: 'r', namespace: 'n' },
      now: new Date(0),
      random: (count) => new Uint8Array(count),
      timeZone: 'UTC',
      makeKey: (kind: KeyKind): KeyObject => {
        made.push(kind);
        return key;
      },
      onFile: ({ path }) => told.push(path),
    });
  return { made, told, render };
}

const kindsMade = (count: number, kind: KeyKind) => Array<KeyKind>(count).fill(kind);

test.each<[string, string, KeyKind[]]>([
  [
    'two authorities',
    '{{ range until 2 }}{{ $_ := genCA "a" 1 }}{{ end }}',
    kindsMade(2, 'rsa-2048'),
  ],
  [
    'five authorities, after a rehearsal with two',
    '{{ range until 5 }}{{ $_ := genCA "a" 1 }}{{ end }}',
    kindsMade(7, 'rsa-2048'),
  ],
  [
    'a large key, after a rehearsal with none',
    '{{ $_ := genPrivateKey "rsa" }}',
    ['ecdsa', 'rsa-4096'],
  ],
  [
    'any number of small ones',
    '{{ range until 9 }}{{ $_ := genPrivateKey "ecdsa" }}{{ end }}',
    kindsMade(9, 'ecdsa'),
  ],
])('%s are made', (_, template, kinds) => {
  const { made, told, render } = rendered(template);
  render();
  expect(made).toEqual(kinds);
  expect(told).toEqual(['web/templates/a.yaml']);
});

test.each<[string, string, KeyKind[]]>([
  ['authorities', 'genCA "a" 1', kindsMade(2, 'rsa-2048')],
  ['large keys', 'genPrivateKey "rsa"', ['ecdsa']],
  ['keys of DSA', 'genPrivateKey "dsa"', ['ecdsa']],
])('%s without end are refused before they are made', (_, call, kinds) => {
  const { made, render } = rendered(`{{ range until 99 }}{{ $_ := ${call} }}{{ end }}`);
  expect(render).toThrow('more than 5000000 steps');
  expect(made).toEqual(kinds);
});

test('what a rehearsal sets in the values is not there when the chart is rendered', () => {
  const { render } = rendered(
    '{{ range until 3 }}{{ $_ := genCA "a" 1 }}{{ $_ := set $.Values "list" (append $.Values.list 1) }}{{ end }}a: {{ .Values.list }}\n',
  );
  expect(render().manifests[0]!.content).toBe('a: [1 1 1]\n');
});

test('a copy of values shares what they share, and nothing with them', () => {
  const global = new GoMap([['a', 1]]);
  const items = [global];
  const values = new GoMap([
    ['global', global],
    ['kid', new GoMap([['global', global]])],
    ['items', items],
  ]);
  values.set('self', values);
  const copy = freshValues(values);
  const own = copy.get('global') as GoMap;
  own.set('a', 2);
  expect(global.get('a')).toBe(1);
  expect(((copy.get('kid') as GoMap).get('global') as GoMap).get('a')).toBe(2);
  expect((copy.get('items') as GoMap[])[0]!.get('a')).toBe(2);
  expect((copy.get('self') as GoMap).entries).toBe(copy.entries);
});
