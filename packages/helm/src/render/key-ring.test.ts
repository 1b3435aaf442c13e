import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { loadChart } from '../chart/load-chart.ts';
import type { KeyKind } from '../functions/private-key.ts';
import { GoMap } from '../go/value.ts';
import { freshValues } from './fresh-values.ts';
import { KeyRing } from './key-ring.ts';
import { prepareChart } from './prepare.ts';
import { renderChart, renderFilesAside } from './render-chart.ts';

/** Two of a kind that takes no time, so that one that is next to another differs from it. */
const keys = [1, 2].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

function rendered(template: string, steps?: number) {
  const made: KeyKind[] = [];
  const told: string[] = [];
  const file = (name: string, text: string) => ({ name, data: Buffer.from(text) });
  const chart = loadChart([
    file('Chart.yaml', 'apiVersion: v2\nname: web\nversion: 1.0.0\n'),
    file('values.yaml', 'list: []\n'),
    file('templates/a.yaml', template),
  ]);
  const options = {
    release: { name: 'r', namespace: 'n' },
    now: new Date(0),
    random: (count: number) => new Uint8Array(count),
    timeZone: 'UTC',
    ...(steps && { limits: { steps } }),
  };
  const prepared = prepareChart(chart, new GoMap(), { helm: 4, log: () => {} });
  const render = () =>
    renderChart(chart, new GoMap(), {
      ...options,
      makeKey: (kind: KeyKind): KeyObject => {
        made.push(kind);
        return keys[made.length % keys.length]!;
      },
      onFile: ({ path }) => told.push(path),
    });
  return { made, told, render, prepared, options };
}

const kindsMade = (count: number, kind: KeyKind) => Array<KeyKind>(count).fill(kind);

test.each<[string, string, KeyKind[]]>([
  [
    'five authorities, after a rehearsal with another key',
    '{{ range until 5 }}{{ $_ := genCA "a" 1 }}{{ end }}',
    ['ecdsa', ...kindsMade(5, 'rsa-2048')],
  ],
  [
    'ten',
    '{{ range until 10 }}{{ $_ := genCA "a" 1 }}{{ end }}',
    ['ecdsa', ...kindsMade(10, 'rsa-2048')],
  ],
  ['a large key', '{{ $_ := genPrivateKey "rsa" }}', ['ecdsa', 'rsa-4096']],
  [
    'any number of small ones',
    '{{ range until 9 }}{{ $_ := genPrivateKey "ecdsa" }}{{ end }}',
    kindsMade(9, 'ecdsa'),
  ],
  [
    'another one, by a chart that goes on otherwise when it has its own',
    '{{ if eq (genCA "a" 1).Key (genCA "a" 1).Key }}{{ else }}{{ $_ := genCA "a" 1 }}{{ end }}',
    ['ecdsa', ...kindsMade(3, 'rsa-2048')],
  ],
])('%s are made', (_, template, kinds) => {
  const { made, told, render } = rendered(template);
  render();
  expect(made).toEqual(kinds);
  expect(told).toEqual(['web/templates/a.yaml']);
});

test.each<[string, string, KeyKind[]]>([
  ['authorities', '{{ range until 99 }}{{ $_ := genCA "a" 1 }}{{ end }}', ['ecdsa']],
  ['twelve', '{{ range until 12 }}{{ $_ := genCA "a" 1 }}{{ end }}', ['ecdsa']],
  ['large keys', '{{ range until 2 }}{{ $_ := genPrivateKey "rsa" }}{{ end }}', ['ecdsa']],
  ['keys of DSA', '{{ range until 2 }}{{ $_ := genPrivateKey "dsa" }}{{ end }}', ['ecdsa']],
  [
    'those of a chart that waits for its own key',
    '{{ if ne (genCA "a" 1).Key (genCA "a" 1).Key }}{{ range until 99 }}{{ $_ := genCA "a" 1 }}{{ end }}{{ end }}',
    ['ecdsa', ...kindsMade(2, 'rsa-2048')],
  ],
])('%s without end are refused before they are made', (_, template, kinds) => {
  const { made, told, render } = rendered(template);
  expect(render).toThrow('more than 4000000 steps');
  expect(made).toEqual(kinds);
  expect(told).toEqual([]);
});

test('a chart that asks for another key each time is given up', () => {
  const { made, render } = rendered(
    '{{ range until 9 }}{{ if ne (genCA "a" 1).Key (genCA "a" 1).Key }}{{ else }}{{ break }}{{ end }}{{ end }}',
  );
  expect(render).toThrow('ask for other keys each time');
  expect(made.length).toBeLessThan(10);
});

test('all renderings of a chart are one in what they may take', () => {
  const loop = 'a: "{{ range until 10000 }}{{ . }}{{ end }}"\n';
  expect(rendered(loop, 450_000).render).not.toThrow();
  expect(rendered(`{{ $_ := genCA "a" 1 }}${loop}`, 450_000).render).toThrow(
    'more than 450000 steps',
  );
  expect(rendered(`{{ $_ := genCA "a" 1 }}${loop}`, 600_000).render).not.toThrow();
});

test('a chart that fails over the kind of another key gets its own', () => {
  const { made, render } = rendered(
    '{{ if contains "EC" (genCA "a" 1).Key }}{{ fail "no RSA" }}{{ end }}a: b\n',
  );
  expect(render).toThrow('no RSA');
  expect(made).toEqual(['ecdsa', 'rsa-2048']);
});

test('keys are made by other threads while this one goes on', async () => {
  const { prepared, options } = rendered('a: {{ (genCA "a" 1).Key | contains "RSA" }}\n');
  let turns = 0;
  const count = (): void => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const { files } = await renderFilesAside(prepared, options);
  clearImmediate(timer);
  expect(files.get('web/templates/a.yaml')).toBe('a: true\n');
  expect(turns).toBeGreaterThan(1);
});

test('nothing is made for a rendering that is not complete, and nothing twice for the next ones', async () => {
  const { prepared, options } = rendered('a: {{ (genCA "a" 1).Key | sha256sum }}\n');
  const keys = new KeyRing();
  const first = await renderFilesAside(prepared, options, keys, () => false);
  expect(first.files.size).toBe(0);
  const [second, third] = [
    await renderFilesAside(prepared, options, keys),
    await renderFilesAside(prepared, options, keys),
  ];
  expect(second.files).toEqual(third.files);
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
