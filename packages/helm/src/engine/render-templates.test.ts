import { describe, expect, test } from 'vitest';
import { GoMap } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import { readValues } from '../values/read-values.ts';
import { renderTemplates } from './render-templates.ts';
import { type HelmMajor, valuesType } from './values-type.ts';

function render(templates: Record<string, string>, values = '', helm: HelmMajor = 3) {
  const type = valuesType(helm);
  const data = new GoMap([['Values', readValues(values).as(type)]], type);
  const files = Object.entries(templates).map(([base, text]) => ({
    path: `demo/templates/${base}`,
    text,
    data,
    basePath: 'demo/templates',
  }));
  return renderTemplates(files, {
    helm,
    now: new Date(0),
    random: (count) => new Uint8Array(count),
    timeZone: 'UTC',
  });
}

function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof HelmError) return error.message;
    throw error;
  }
  throw new Error('it should have failed');
}

describe('renderTemplates', () => {
  test('renders files, not partials, and shares their definitions', () => {
    const rendered = render(
      {
        'a.yaml': 'name: {{ include "name" . }}-{{ .Template.Name }}',
        '_h.tpl': '{{ define "name" }}{{ .Values.name }}{{ end }}',
      },
      'name: web',
    );
    expect(Object.fromEntries(rendered)).toEqual({
      'demo/templates/a.yaml': 'name: web-demo/templates/a.yaml',
    });
  });

  test('the definition of the alphabetically first file wins', () => {
    const rendered = render({
      'x.yaml': '{{ include "n" . }}',
      '_a.tpl': '{{ define "n" }}a{{ end }}',
      '_b.tpl': '{{ define "n" }}b{{ end }}',
    });
    expect(rendered.get('demo/templates/x.yaml')).toBe('a');
  });

  test('errors name the chain of includes, in one line or in several', () => {
    const templates = {
      'a.yaml': 'x: {{ include "n" . }}',
      '_h.tpl': '{{ define "n" }}\n{{ .Values.no.way }}{{ end }}',
    };
    expect(failure(() => render(templates, '', 3))).toBe(
      'template: demo/templates/a.yaml:1:6: executing "demo/templates/a.yaml" at <include "n" .>: ' +
        'error calling include: template: demo/templates/_h.tpl:2:10: executing "n" at <.Values.no.way>: ' +
        'nil pointer evaluating interface {}.way',
    );
    expect(failure(() => render(templates, '', 4))).toBe(
      'demo/templates/a.yaml:1:6\n  executing "demo/templates/a.yaml" at <include "n" .>:\n' +
        '    error calling include:\ndemo/templates/_h.tpl:2:10\n  executing "n" at <.Values.no.way>:\n' +
        '    nil pointer evaluating interface {}.way',
    );
  });

  test('fail shows its text and the outermost place', () => {
    expect(failure(() => render({ 'a.yaml': '{{ fail "no: way" }}' }))).toBe(
      'execution error at (demo/templates/a.yaml:1:3): no: way',
    );
  });

  test('a map is not merged into a struct: mergo panics, and says what of', () => {
    const call = (target: string) =>
      `{{ mergeOverwrite (dict "a" (${target})) (dict "a" (dict "b" 1)) | len }}`;
    const struct = call('genSelfSignedCertWithKey "a" nil nil 1 (genPrivateKey "ecdsa")');
    expect(failure(() => render({ 'a.yaml': struct }))).toContain(
      'error calling mergeOverwrite: reflect: call of reflect.Value.Field on map Value',
    );
    // A time has no field that anybody may see.
    expect(render({ 'a.yaml': call('now') }).get('demo/templates/a.yaml')).toBe('1');
  });
});

describe('values as Go shares and copies them', () => {
  test.each([
    [
      'a list of texts is sorted in its place',
      '{{ $l := splitList "," "b,a" }}{{ $_ := sortAlpha $l }}{{ $l }}',
      '[a b]',
    ],
    [
      'any other list is copied',
      '{{ $l := list "b" "a" }}{{ $_ := sortAlpha $l }}{{ $l }}',
      '[b a]',
    ],
    ['no match is nil, sorted too', '{{ sortAlpha (regexFindAll "x" "y" -1) | toJson }}', 'null'],
    ['no match is nil, as texts too', '{{ toStrings (regexFindAll "x" "y" -1) | toJson }}', 'null'],
    ['a version that is copied has lost all', '{{ deepCopy (semver "1.2.3") }}', '0.0.0'],
    ['and in a map', '{{ deepCopy (dict "v" (semver "1.2.3")) | toJson }}', '{"v":"0.0.0"}'],
    [
      'a time has not',
      '{{ deepCopy (list (toDate "2006-01-02" "2024-02-29")) | toJson }}',
      '["2024-02-29T00:00:00Z"]',
    ],
    [
      'half a letter',
      '{{ (fromYaml (substr 0 1 "ß")).Error }}',
      'error converting YAML to JSON: yaml: incomplete UTF-8 octet sequence',
    ],
  ])('%s', (_, text, expected) => {
    expect(render({ 'a.yaml': text }).get('demo/templates/a.yaml')).toBe(expected);
  });
});
