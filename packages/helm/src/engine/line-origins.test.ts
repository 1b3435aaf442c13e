import { describe, expect, test } from 'vitest';
import { GoMap } from '../go/value.ts';
import { readValues } from '../values/read-values.ts';
import { placesOfPrinted, type RenderedFile } from './line-origins.ts';
import { renderTemplates } from './render-templates.ts';
import { valuesType } from './values-type.ts';

/** Rendered files by their paths, with the places of their lines as `file:line`. */
function rendered(templates: Readonly<Record<string, string>>, values = '') {
  const type = valuesType(4);
  const data = new GoMap([['Values', readValues(values).as(type)]], type);
  const files = new Map<string, RenderedFile>();
  renderTemplates(
    Object.entries(templates).map(([path, text]) => ({ path, text, data, basePath: 'web' })),
    {
      helm: 4,
      now: new Date(0),
      random: (count) => new Uint8Array(count),
      timeZone: 'UTC',
      onFile: (file) => files.set(file.path, file),
    },
  );
  return files;
}

const shown = ({ text, lines }: RenderedFile) =>
  text
    .split('\n')
    .map((line, index) => `${line.trim()} < ${lines[index]?.file}:${lines[index]?.line}`)
    .filter((line) => !line.startsWith(' <'));

describe('where lines of manifests come from', () => {
  test('text keeps its line, through blocks and trimmed space; actions have theirs', () => {
    const template = [
      '{{- $name := "x" }}',
      'kind: A',
      '{{- if .Values.wanted }}',
      'spec:',
      '  list:',
      '  {{- range .Values.items }}',
      '  - {{ . }}',
      '  {{- end }}',
      '{{- end }}',
      'more: {{ .Values.more | toYaml | nindent 2 }}',
      '{{ template "part" . }}',
    ].join('\n');
    const files = rendered(
      { 'a.yaml': template, '_part.tpl': '{{ define "part" }}\nfrom: part\n{{ end }}' },
      'wanted: true\nitems: [1, 2]\nmore: {b: 1, c: 2}',
    );
    expect(shown(files.get('a.yaml')!)).toEqual([
      'kind: A < a.yaml:2',
      'spec: < a.yaml:4',
      'list: < a.yaml:5',
      '- 1 < a.yaml:7',
      '- 2 < a.yaml:7',
      'more: < a.yaml:10',
      'b: 1 < a.yaml:10',
      'c: 2 < a.yaml:10',
      'from: part < _part.tpl:2',
    ]);
  });

  test('printed manifests are found again in their files, twins in turn', () => {
    const text = 'kind: A\nname: one\n---\nkind: A\nname: one\n---\nkind: B\n';
    const files = rendered({ 'a.yaml': text });
    const printed = ['B', 'A\nname: one', 'A\nname: one']
      .map((body) => `---\n# Source: a.yaml\nkind: ${body}\n`)
      .join('');
    const places = placesOfPrinted(printed, files);
    const told = printed
      .split('\n')
      .flatMap((line, index) => (places[index] ? [`${line} < ${places[index].line}`] : []));
    expect(told).toEqual([
      'kind: B < 7',
      'kind: A < 1',
      'name: one < 2',
      'kind: A < 4',
      'name: one < 5',
    ]);
  });
});
