import { expect, test } from 'vitest';
import { loadChart } from '../chart/load-chart.ts';
import { readValuesFile } from '../chart/values-file.ts';
import { ManifestError, printManifests, renderChart } from './render-chart.ts';

const options = {
  release: { name: 'r', namespace: 'ns' },
  now: new Date(0),
  random: (count: number) => new Uint8Array(count),
  timeZone: 'UTC',
};

function chartOf(texts: Record<string, string>) {
  return loadChart(
    Object.entries(texts).map(([name, text]) => ({ name, data: new TextEncoder().encode(text) })),
  );
}

const parent = {
  'Chart.yaml':
    'apiVersion: v2\nname: top\nversion: 1.0.0\ndependencies:\n- {name: kid, version: "*", repository: "", alias: al, condition: on, import-values: [data]}\n',
  'values.yaml': 'a: 1\n',
  'templates/a.yaml': 'kind: A\na: {{ .Values.a }}\nz: {{ .Values.z }}\n',
  'charts/kid/Chart.yaml': 'apiVersion: v2\nname: kid\nversion: 1.0.0\n',
  'charts/kid/values.yaml': 'exports: {data: {z: 9}}\n',
  'charts/kid/crds/c.yaml': 'kind: CustomResourceDefinition\n',
  'charts/kid/templates/k.yaml': 'kind: K\nname: {{ .Chart.Name }}\n',
};

test('a chart is rendered any number of times, and each time as if it were the first', () => {
  const chart = chartOf(parent);
  const text = (values: string) =>
    printManifests(renderChart(chart, readValuesFile(values, 4), options));
  const first = text('{}');
  expect(first).toBe(
    '---\n# Source: top/templates/a.yaml\nkind: A\na: 1\nz: 9\n\n---\n# Source: top/charts/al/templates/k.yaml\nkind: K\nname: al\n\n',
  );
  const without = text('on: false');
  expect(without).toBe('---\n# Source: top/templates/a.yaml\nkind: A\na: 1\nz: \n\n');
  expect(text('a: null')).toContain('a: \n');
  expect(text('{}')).toBe(first);
});

test('CRDs come first, of subcharts that take part', () => {
  const chart = chartOf(parent);
  const rendered = renderChart(chart, readValuesFile('{}', 4), options);
  expect(printManifests(rendered, { includeCrds: true })).toMatch(
    /^---\n# Source: top\/charts\/al\/crds\/c.yaml\nkind: CustomResourceDefinition\n/,
  );
  expect(renderChart(chart, readValuesFile('on: false', 4), options).crds).toEqual([]);
});

test('what was rendered is kept when it is no manifest', () => {
  const chart = chartOf({ ...parent, 'templates/a.yaml': '- {{ .Release.Name }}\n' });
  let found: unknown;
  try {
    renderChart(chart, readValuesFile('on: false', 4), options);
  } catch (error) {
    found = error;
  }
  expect(found).toBeInstanceOf(ManifestError);
  expect((found as ManifestError).files.get('top/templates/a.yaml')).toBe('- r\n');
});

test('a version of Kubernetes that the chart does not want is refused', () => {
  const chart = chartOf({
    'Chart.yaml': 'apiVersion: v2\nname: top\nversion: 1.0.0\nkubeVersion: ">=1.99"\n',
  });
  expect(() => renderChart(chart, undefined, options)).toThrow(
    'chart requires kubeVersion: >=1.99 which is incompatible with Kubernetes v1.37.0',
  );
});

test('secrets can be hidden', () => {
  const chart = chartOf({
    'Chart.yaml': 'apiVersion: v2\nname: top\nversion: 1.0.0\n',
    'templates/s.yaml': 'apiVersion: v1\nkind: Secret\ndata: {p: c2VjcmV0}\n',
  });
  const rendered = renderChart(chart, undefined, options);
  expect(printManifests(rendered, { hidesSecrets: true })).toBe(
    '---\n# Source: top/templates/s.yaml\n# HIDDEN: The Secret output has been suppressed\n',
  );
});
