import { expect, test } from 'vitest';
import type { ChartFile } from '../chart/chart-file.ts';
import { loadChart } from '../chart/load-chart.ts';
import { renderAgain } from './render-again.ts';
import type { StoredRelease } from './stored-release.ts';

const file = (name: string, text: string): ChartFile => ({ name, data: Buffer.from(text) });
const templates: Readonly<Record<string, string>> = {
  'templates/a.yaml': '{{- if .Values.on }}\nkind: {{ .Values.kind }}\n{{ end }}',
  'templates/b.yaml': '{{ include "kid.name" . }}\n',
  'templates/c.yaml': '{{ fail "no" }}',
};

function stored(config: Record<string, unknown>): StoredRelease {
  return {
    name: 'web',
    namespace: 'default',
    version: 2,
    manifest: '',
    info: { status: 'deployed', last_deployed: '2026-01-01T00:00:00Z' },
    config,
    apply_method: 'ssa',
    chart: {
      metadata: { apiVersion: 'v2', name: 'web', version: '1.0.0' },
      lock: null,
      values: { kind: 'Service' },
      schema: null,
      files: null,
      templates: Object.entries(templates).map(([name, text]) => ({
        name,
        data: Buffer.from(text).toString('base64'),
      })),
    },
  };
}

test('one template of a stored release is rendered, whatever the others would say', () => {
  const made = renderAgain(stored({ on: true }), 'web/templates/a.yaml');
  expect(made?.text).toBe('\nkind: Service\n');
  expect(made?.lines[1]).toEqual({ file: 'web/templates/a.yaml', line: 2 });
});

test('what needs a subchart takes the whole chart; what fails, or is not there, has no lines', () => {
  const release = stored({});
  const path = 'web/templates/b.yaml';
  expect(renderAgain(release, path)).toBeUndefined();
  const chart = loadChart([
    file('Chart.yaml', 'apiVersion: v2\nname: web\nversion: 1.0.0\n'),
    ...Object.entries(templates).map(([name, text]) => file(name, text)),
    file('charts/kid/Chart.yaml', 'apiVersion: v2\nname: kid\nversion: 1.0.0\n'),
    file('charts/kid/templates/_a.tpl', '{{ define "kid.name" }}kid: 1{{ end }}'),
  ]);
  expect(renderAgain(release, path, { chart })?.text).toBe('kid: 1\n');
  expect(renderAgain(release, 'web/templates/c.yaml')).toBeUndefined();
  expect(renderAgain(release, 'web/templates/d.yaml')).toBeUndefined();
});
