import { describe, expect, test } from 'vitest';
import { Budget, parseLimits } from '../go/budget.ts';
import { GoMap } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import { readValues } from '../values/read-values.ts';
import { renderTemplates } from './render-templates.ts';
import { valuesType } from './values-type.ts';

function failureOf(text: string, values = ''): HelmError {
  const type = valuesType(4);
  const data = new GoMap([['Values', readValues(values).as(type)]], type);
  const file = { path: 'evil/templates/a.yaml', text, data, basePath: 'evil/templates' };
  try {
    renderTemplates([file], {
      helm: 4,
      now: new Date(0),
      random: (count) => new Uint8Array(count),
      timeZone: 'UTC',
      // A tenth of what is usual: the same ends, sooner.
      limits: { steps: 500_000, bytes: 32 * 1024 * 1024 },
    });
  } catch (error) {
    if (error instanceof HelmError) return error;
    throw error;
  }
  throw new Error('it should have been stopped');
}

const doubled = '{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}';
const doubledMap =
  '{{ $x := dict "a" 1 }}{{ range until 60 }}{{ $x = dict "a" $x "b" $x }}{{ end }}';
const selfHolding = '{{ $d := dict }}{{ $_ := set $d "d" $d }}';

test.each([
  ['steps=7, bytes=9', { steps: 7, bytes: 9 }],
  ['depth=3', { depth: 3 }],
  ['', {}],
])('limits of %j', (text, limits) => {
  expect(parseLimits(text)).toEqual(limits);
});

test.each(['steps', 'steps=x', 'time=3', 'steps=-1'])('%j is no limit', (text) => {
  expect(() => parseLimits(text)).toThrow(`'${text}' is no limit: write steps=`);
});

test('where a limit is reached, it is told how it is raised here', () => {
  const budget = new Budget({ steps: 1, bytes: 1, depth: 1, how: (option) => `turn ${option} up` });
  expect(() => budget.step(2)).toThrow('if they are to be trusted, turn steps up');
  expect(() => new Budget({ steps: 1, bytes: 1, depth: 1 }).make(2)).toThrow('raise limits.bytes');
});

describe('hostile templates end in an error, by counts and not by the clock', () => {
  test.each([
    ['a text of ten gigabytes', '{{ repeat 10000000000 "x" }}'],
    ['a margin of gigabytes', '{{ indent 1000000000 "a\\nb\\nc" }}'],
    ['a text that doubles', '{{ $x := "ab" }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}'],
    ['a text put between all letters', '{{ replace "" (repeat 10000 "x") (repeat 10000 "y") }}'],
    ['a list of all numbers', '{{ until 9000000000 }}'],
    ['a sequence of all numbers', '{{ seq 9000000000 }}'],
    ['ranges in ranges', '{{ range until 9999 }}{{ range until 9999 }}{{ end }}{{ end }}'],
    ['a range over a number', '{{ range 9000000000 }}{{ end }}'],
    ['a list in itself, printed', `${doubled}{{ $x }}`],
    ['a list in itself, as YAML', `${doubled}{{ toYaml $x }}`],
    ['a list in itself, as JSON', `${doubled}{{ toJson $x }}`],
    ['a list in itself, as TOML', `${doubled}{{ toToml (dict "x" $x) }}`],
    ['a map of maps that doubles, as TOML', `${doubledMap}{{ toToml $x }}`],
    ['a map of maps that doubles, as JSON', `${doubledMap}{{ toPrettyJson $x }}`],
    ['a map of maps that doubles, as YAML', `${doubledMap}{{ toYaml $x }}`],
    ['a map of maps that doubles, copied', `${doubledMap}{{ $_ := deepCopy $x }}`],
    ['a list in itself, copied', `${doubled}{{ deepCopy $x }}`],
    ['a list in itself, compared', `${doubled}{{ deepEqual $x (list $x) }}{{ toPrettyJson $x }}`],
    ['a map in itself, printed', `${selfHolding}{{ $d }}`],
    ['a map in itself, copied', `${selfHolding}{{ deepCopy $d }}`],
    [
      'a map in itself, merged',
      `${selfHolding}{{ $_ := mergeOverwrite (deepCopy (dict)) $d $d }}{{ $d }}`,
    ],
    [
      'a map in itself, compared',
      `${selfHolding}{{ $e := dict }}{{ $_ := set $e "d" $e }}{{ deepEqual $d $e }}`,
    ],
    ['a map in itself, as TOML', `${selfHolding}{{ $t := toToml $d }}{{ $d }}`],
    [
      'a map in itself, printed far down',
      `${selfHolding}{{ define "a" }}{{ if lt .n 400 }}{{ template "a" (dict "n" (add1 .n) "d" .d) }}{{ else }}{{ .d }}{{ end }}{{ end }}{{ template "a" (dict "n" 0 "d" $d) }}`,
    ],
    ['tpl of itself', '{{ tpl .Values.t . }}', "t: '{{ tpl .Values.t . }}'"],
    ['template of itself', '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}'],
    ['many keys', '{{ range until 99 }}{{ $_ := genPrivateKey "rsa" }}{{ end }}'],
    [
      'one key that signs without end',
      '{{ $k := genPrivateKey "ecdsa" }}{{ range until 9999 }}{{ $_ := genCAWithKey "a" 1 $k }}{{ end }}',
    ],
    ['an action of many pipes', `{{ 1 ${'| add 1 '.repeat(20_000)} }}`],
    ['random text without end', '{{ randAlphaNum 1000000000 }}'],
    ['a list in itself, as pretty YAML', `${doubled}{{ toYamlPretty $x }}`],
    [
      'a template that doubles',
      '{{ $t := "{{ . }}" }}{{ range until 99 }}{{ $t = print $t $t }}{{ $_ := tpl $t 1 }}{{ end }}',
    ],
    ['a million matches', '{{ $_ := regexFindAll "x" (repeat 1000000 "x") -1 }}'],
    ['a text of a million lines', '{{ $_ := indent 1 (repeat 9000000 "\\n") }}'],
    ['a file of a million actions', '{{ 1 }}'.repeat(100_000)],
    [
      'a large text, looked at again and again',
      '{{ $x := repeat 400000 "ab " }}{{ range until 1000000 }}{{ $_ := contains "zzz" $x }}{{ end }}',
    ],
    [
      'a large text in other letters, again and again',
      '{{ $x := repeat 400000 "ab " }}{{ range until 1000000 }}{{ $_ := upper $x }}{{ end }}',
    ],
    ['a large text in kebabs', '{{ $x := repeat 400000 "ab " }}{{ $_ := kebabcase $x }}'],
    ...'title untitle camelcase snakecase swapcase shuffle b32enc urlquery nospace'
      .split(' ')
      .map((name) => [`${name} of a large text`, `{{ $_ := ${name} (repeat 400000 "ab ") }}`]),
    ...['toYaml', 'fromYaml', 'initials', 'wrap 10', 'trimAll "a"', 'split "b"', 'printf "%x"'].map(
      (call) => [`${call} of large texts`, `{{ $_ := ${call} (repeat 3000000 "ab ") }}`],
    ),
    ...['toJson', 'join ","', 'sortAlpha', 'has -1', 'printf "%v"'].map((call) => [
      `${call} of a long list`,
      `{{ $x := until 90000 }}{{ range until 9 }}{{ $_ := ${call} $x }}{{ end }}`,
    ]),
    [
      'a pattern that finds nothing, again and again',
      '{{ $x := repeat 10000 "a" }}{{ range until 9999 }}{{ $_ := regexMatch "(x+x+)+y" $x }}{{ end }}',
    ],
    ['a wide number', '{{ range until 9999 }}{{ printf "%999999d" 1 }}{{ end }}'],
  ] as [string, string, string?][])('%s', (_, text, values?: string) => {
    expect(failureOf(text, values)).toMatchObject({ code: 'WG_HELM_LIMIT' });
  });

  test('a template that includes itself is refused as Helm refuses it', () => {
    const error = failureOf('{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}');
    expect(error.code).toBe('WG_HELM_TEMPLATE');
    expect(error.message).toContain(
      'rendering template has a nested reference name: a: unable to execute template',
    );
  });

  test.each([
    [
      'include',
      '{{ define "a" }}{{ regexMatch (printf "^a%d" .) "a" }}{{ include "a" (add . 1) }}{{ end }}{{ include "a" 0 }}',
    ],
    [
      'template',
      '{{ define "a" }}{{ snakecase (printf "aB%d" .) }}{{ template "a" (add . 1) }}{{ end }}{{ template "a" 0 }}',
    ],
    [
      'tpl',
      '{{ define "a" }}{{ semver (printf "1.2.%d" .) }}{{ tpl `{{ template "a" (add . 1) }}` . }}{{ end }}{{ include "a" 0 }}',
    ],
    [
      'with',
      `{{ define "a" }}{{ quote . | kebabcase }}${'{{ with . }}'.repeat(200)}{{ template "a" (add . 1) }}${'{{ end }}'.repeat(200)}{{ end }}{{ template "a" 1 }}`,
    ],
    [
      'brackets',
      `{{ define "a" }}{{ ${'(print '.repeat(300)}(include "a" (add . 1))${')'.repeat(300)} }}{{ end }}{{ template "a" 1 }}`,
    ],
  ])(
    'what nests by %s ends while patterns can still be compiled: the process goes on',
    (_, text) => {
      expect(failureOf(text).message).toMatch(/nested reference name|than this process can hold/);
    },
  );

  test('brackets and blocks that nest without end do not parse', () => {
    const brackets = failureOf(`{{ ${'('.repeat(50_000)} }}`);
    expect(brackets.message).toContain('max expression depth exceeded');
    const blocks = failureOf('{{ if true }}'.repeat(5_000));
    expect(blocks.message).toContain('max block depth exceeded');
  });

  test('an evil pattern takes no longer than a kind one', () => {
    const error = failureOf(
      '{{ fail (toString (regexMatch "(a+)+$" (print (repeat 9999 "a") "!"))) }}',
    );
    expect(error.message).toContain('false');
  });
});

test('a chart that is only large is not refused', () => {
  const type = valuesType(4);
  const data = new GoMap([['Values', readValues('list: [1, 2, 3]').as(type)]], type);
  const part = '{{ range .Values.list }}{{ . | quote | indent 2 }}{{ end }}\n'.repeat(30);
  const files = Array.from({ length: 300 }, (_, index) => ({
    path: `big/templates/${index}.yaml`,
    text: `${part}${'# a description, as definitions have them\n'.repeat(100)}`,
    data,
    basePath: 'big/templates',
  }));
  const random = (count: number) => new Uint8Array(count);
  const rendered = renderTemplates(files, { helm: 4, now: new Date(0), random, timeZone: 'UTC' });
  expect(rendered.size).toBe(300);
});

test.each([
  ['a text of a megabyte as YAML', '{{ len (toYaml (dict "a" (repeat 250000 "abc\\n"))) }}'],
  ['fifty thousand values as YAML', '{{ len (toYaml (dict "a" (until 50000))) }}'],
  ['fifty thousand values as JSON', '{{ len (toJson (until 50000)) }}'],
  ['a megabyte as base64', '{{ len (b64enc (repeat 250000 "abc\\n")) }}'],
  ['a megabyte with a margin', '{{ len (nindent 4 (repeat 250000 "abc\\n")) }}'],
])('%s is only large', (_, text) => {
  const data = new GoMap([], valuesType(4));
  const file = { path: 'big/templates/a.yaml', text, data, basePath: 'big/templates' };
  const random = (count: number) => new Uint8Array(count);
  const rendered = renderTemplates([file], { helm: 4, now: new Date(0), random, timeZone: 'UTC' });
  expect(Number(rendered.get(file.path))).toBeGreaterThan(100_000);
});
