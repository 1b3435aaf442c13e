import { inventiveCharts } from './inventive-charts.ts';

/** A chart that is up to no good: its files beside a plain Chart.yaml, and flags of `template`. */
export interface HostileChart {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** Enough of it may be harmless: then it is only to end in time. */
  readonly mayPass?: boolean;
}

const template = (name: string, text: string, more: Partial<HostileChart> = {}): HostileChart => ({
  name,
  files: { 'templates/a.yaml': text },
  ...more,
});

/** A function on a large text, again and again. */
const onTexts = [
  ...'upper lower title untitle camelcase kebabcase snakecase trim nospace swapcase initials quote squote'.split(
    ' ',
  ),
  ...'b64enc b32enc sha1sum sha256sum sha512sum adler32sum urlquery html js toJson toYaml toRawJson toPrettyJson toString'.split(
    ' ',
  ),
  ...'print println len fromJson fromYaml fromToml toStrings sortAlpha reverse shuffle base dir clean ext osBase regexQuoteMeta'.split(
    ' ',
  ),
  'trunc 900000',
  'trunc -900000',
  'abbrev 900000',
  'wrap 10',
  'wrapWith 7 "-"',
  'indent 2',
  'nindent 2',
  'replace "b" "bb"',
  'trimAll "a"',
  'trimPrefix "a"',
  'substr 1 900000',
  'splitList "b"',
  'split "b"',
  'contains "zzz"',
  'hasSuffix "zzz"',
  'cat "x"',
  'printf "%q"',
  'printf "%x"',
  'printf "%v %v" "x"',
  'regexMatch "(a|b| )*z"',
  'regexFindAll "a" | len',
  'derivePassword 1 "long" "x" "y"',
  'semverCompare "^1"',
  'repeat 9',
  'tpl | len',
].map((call) => {
  const [name = '', ...rest] = call.split(' ');
  const fixed =
    name === 'regexFindAll'
      ? 'regexFindAll "a" $x -1'
      : name === 'regexMatch'
        ? 'regexMatch "(a|b| )*z" $x'
        : name === 'tpl'
          ? 'tpl $x $'
          : `${name} ${rest.join(' ')} $x`;
  return template(
    `${call} of a large text`,
    `{{ $x := repeat 400000 "ab " }}{{ range until 1000000 }}{{ $_ := ${fixed} }}{{ end }}`,
  );
});

/** A function on a long list, again and again. */
const onLists = [
  ...'reverse uniq compact sortAlpha toStrings deepCopy initial rest last first toJson toYaml toPrettyJson len concat'.split(
    ' ',
  ),
  'join ","',
  'has -1',
  'without 1 | len',
  'append 1',
  'prepend 1',
  'chunk 2',
  'slice 1 90000',
  'printf "%v"',
  'list | deepEqual',
].map((call) => {
  const [name = '', ...rest] = call.split(' ');
  const args = rest.join(' ').split(' | ')[0] ?? '';
  const isFirst = ['append', 'prepend', 'without', 'slice'].includes(name);
  const run = isFirst
    ? `${name} $x ${args}`
    : name === 'list'
      ? 'deepEqual $x $x'
      : `${name} ${args} $x`;
  return template(
    `${call} of a long list`,
    `{{ $x := until 100000 }}{{ range until 1000000 }}{{ $_ := ${run} }}{{ end }}`,
  );
});

const onMaps = [
  'keys $x',
  'values $x',
  'pick $x "k1"',
  'omit $x "k1"',
  'merge (dict) $x',
  'mergeOverwrite (dict) $x',
  'deepCopy $x',
  'toJson $x',
  'toYaml $x',
  'toToml $x',
  'pluck "k1" $x $x',
  'printf "%v" $x',
  'deepEqual $x (deepCopy $x)',
].map((call) =>
  template(
    `${call} of a large map`,
    `{{ $x := dict }}{{ range until 20000 }}{{ $_ := set $x (printf "k%d" .) . }}{{ end }}{{ range until 1000000 }}{{ $_ := ${call} }}{{ end }}`,
  ),
);

const evilPatterns = [
  '(a+)+$',
  '(a|a)*$',
  '(a*)*b',
  '(.*)*x',
  '((a{0,100}){0,10}){0,1}b',
  'a?'.repeat(200) + 'a'.repeat(200),
  '(x+x+)+y',
  '[a-z]+[a-z]+[a-z]+!',
].map((pattern) =>
  template(
    `the pattern ${pattern.slice(0, 20)}`,
    `{{ $x := repeat 100000 "a" }}{{ range until 100000 }}{{ $_ := regexFindAll ${JSON.stringify(pattern)} $x -1 }}{{ end }}`,
  ),
);

const bomb = (names: string) =>
  names
    .split('')
    .map((name, at) =>
      at === 0
        ? `${name}: &${name} [x,x,x,x,x,x,x,x,x]`
        : `${name}: &${name} [${Array(9)
            .fill(`*${names[at - 1]}`)
            .join(',')}]`,
    )
    .join('\n');

const others: readonly HostileChart[] = [
  template('a text of ten gigabytes', '{{ repeat 10000000000 "x" }}'),
  template('a margin of gigabytes', '{{ indent 1000000000 "a\\nb" }}'),
  template('a wide number', '{{ range until 99999 }}{{ printf "%999999d" 1 }}{{ end }}'),
  template(
    'a width by argument',
    '{{ range until 99999 }}{{ $_ := printf "%*d" 999999 1 }}{{ end }}',
  ),
  template(
    'a text that doubles',
    '{{ $x := "ab" }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}',
  ),
  template(
    'a list that doubles',
    '{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ $x }}',
  ),
  template(
    'a list that doubles, as YAML',
    '{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ toYaml $x }}',
  ),
  template(
    'a list that doubles, by concat',
    '{{ $x := list 1 }}{{ range until 60 }}{{ $x = concat $x $x }}{{ end }}',
  ),
  template('a map in itself', '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $d }}'),
  template('a map in itself, copied', '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ deepCopy $d }}'),
  template(
    'a map in itself, as JSON',
    '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ toJson $d }}{{ $d }}',
  ),
  template('all numbers', '{{ until 9000000000 }}'),
  template('all numbers, stepped', '{{ untilStep 0 9000000000 1 }}'),
  template('a sequence of all numbers', '{{ seq 9000000000 }}'),
  template(
    'ranges in ranges',
    '{{ range until 99999 }}{{ range until 99999 }}{{ range until 99999 }}{{ end }}{{ end }}{{ end }}',
  ),
  template(
    'template of itself',
    '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
  ),
  template('include of itself', '{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}'),
  template(
    'two that include each other',
    '{{ define "a" }}{{ include "b" . }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ include "a" . }}{{ include "a" . }}{{ end }}{{ include "a" . }}',
  ),
  {
    name: 'tpl of itself, twice',
    files: {
      'templates/a.yaml': '{{ tpl .Values.t . }}',
      'values.yaml': "t: '{{ tpl .Values.t . }}{{ tpl .Values.t . }}'",
    },
  },
  template(
    'many tpl',
    '{{ range until 1000000 }}{{ $_ := tpl "{{ range until 100 }}{{ . }}{{ end }}" $ }}{{ end }}',
  ),
  template('a file of actions', '{{ 1 }}'.repeat(400_000)),
  template('a file of comments', '{{/* a */}}'.repeat(400_000), { mayPass: true }),
  template('brackets', `{{ ${'('.repeat(200_000)}1${')'.repeat(200_000)} }}`),
  template('blocks', '{{ if true }}'.repeat(50_000)),
  template('pipes', `{{ 1 ${'| add 1 '.repeat(200_000)} }}`, { mayPass: true }),
  template('a long chain', `{{ .Values${'.a'.repeat(500_000)} }}`),
  template('a million variables', '{{ $a := 1 }}'.repeat(200_000)),
  template(
    'a million definitions',
    Array.from({ length: 50_000 }, (_, at) => `{{ define "d${at}" }}x{{ end }}`).join(''),
    { mayPass: true },
  ),
  template('nested JSON', '{{ fromJson (repeat 1000000 "[") }}', { mayPass: true }),
  template('nested JSON maps', '{{ fromJson (repeat 500000 "{\\"a\\":") }}', { mayPass: true }),
  template('nested YAML', '{{ fromYaml (repeat 1000000 "[") }}', { mayPass: true }),
  template('nested YAML lists', '{{ fromYaml (repeat 200000 "- ") }}', { mayPass: true }),
  template('nested TOML', '{{ fromToml (print "a = " (repeat 500000 "[")) }}', { mayPass: true }),
  template('a YAML bomb in a template', `{{ fromYaml ${JSON.stringify(bomb('abcdefghi'))} }}`, {
    mayPass: true,
  }),
  template('many keys of RSA', '{{ range until 99 }}{{ $_ := genPrivateKey "rsa" }}{{ end }}'),
  template('many authorities', '{{ range until 999 }}{{ $_ := genCA "a" 1 }}{{ end }}'),
  template(
    'many certificates',
    '{{ range until 999 }}{{ $_ := genSelfSignedCert "a" nil nil 1 }}{{ end }}',
  ),
  template('many bcrypts', '{{ range until 9999 }}{{ $_ := bcrypt "a" }}{{ end }}'),
  template('many htpasswds', '{{ range until 9999 }}{{ $_ := htpasswd "a" "b" }}{{ end }}'),
  template(
    'many derived passwords',
    '{{ range until 9999 }}{{ $_ := derivePassword 1 "long" "a" "b" (toString .) }}{{ end }}',
  ),
  template('random without end', '{{ randAlphaNum 1000000000 }}'),
  template('random bytes without end', '{{ randBytes 1000000000 }}'),
  template(
    'a range of versions',
    `{{ semverCompare ${JSON.stringify(Array(20_000).fill('>=1.0.0').join(' || '))} "0.1.0" }}{{ fail "end" }}`,
  ),
  template('a glob with braces', `{{ .Files.Glob "${'{a,b}'.repeat(30)}" }}{{ fail "end" }}`),
  template(
    'a glob with stars',
    `{{ range until 100000 }}{{ $_ := $.Files.Glob "${'*a'.repeat(30)}b" }}{{ end }}{{ fail "end" }}`,
  ),
  template(
    'a date of a long layout',
    '{{ $x := repeat 400000 "2006-" }}{{ range until 100000 }}{{ $_ := date $x 0 }}{{ end }}',
  ),
  template('a large duration', '{{ range until 10000000 }}{{ $_ := duration . }}{{ end }}'),
  template('a long number', `{{ ${'9'.repeat(500_000)} }}`),
  template(
    'output without end',
    '{{ range until 10000000 }}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{{ end }}',
  ),
  template('a manifest of a million documents', '---\na: b\n'.repeat(300_000), { mayPass: true }),
  template('a manifest that nests', `a: ${'['.repeat(500_000)}`),
  template('a manifest of aliases', `${bomb('abcdefghij')}\n`, { mayPass: true }),
  { name: 'values that multiply', files: { 'values.yaml': bomb('abcdefghi') } },
  { name: 'values that nest', files: { 'values.yaml': `a: ${'['.repeat(500_000)}` } },
  {
    name: 'values of a million keys',
    files: { 'values.yaml': Array.from({ length: 300_000 }, (_, at) => `k${at}: 1`).join('\n') },
    mayPass: true,
  },
  { name: 'a far index', files: {}, flags: ['--set', 'a[999999999]=1'] },
  {
    name: 'many far indexes',
    files: {},
    flags: Array.from({ length: 99 }, (_, at) => ['--set', `a${at}[65535]=1`]).flat(),
  },
  {
    name: 'many far indexes in one text',
    files: {},
    flags: ['--set', Array.from({ length: 50_000 }, (_, at) => `a${at}[65535]=1`).join()],
  },
  {
    name: 'far indexes in far indexes',
    files: {},
    flags: Array.from({ length: 99 }, (_, at) => ['--set', `a[${at}][65535]=1`]).flat(),
  },
  { name: 'a deep path', files: {}, flags: ['--set', `${'a.'.repeat(200_000)}b=1`] },
  {
    name: 'nested lists of --set',
    files: {},
    flags: ['--set', `a=${'{'.repeat(100_000)}`],
    mayPass: true,
  },
  {
    name: 'nested JSON of --set-json',
    files: {},
    flags: ['--set-json', `a=${'['.repeat(100_000)}`],
  },
  {
    name: 'a schema in itself',
    files: { 'values.schema.json': '{"$ref":"#"}', 'values.yaml': 'a: 1' },
  },
  {
    name: 'a schema of itself twice',
    files: { 'values.schema.json': '{"allOf":[{"$ref":"#"},{"$ref":"#"}]}', 'values.yaml': 'a: 1' },
  },
  {
    name: 'a schema that multiplies',
    files: {
      'values.schema.json': JSON.stringify({
        $defs: Object.fromEntries(
          Array.from({ length: 40 }, (_, at) => [
            `d${at}`,
            at === 0
              ? { type: 'string' }
              : { anyOf: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] },
          ]),
        ),
        $ref: '#/$defs/d39',
      }),
      'values.yaml': 'a: 1',
    },
  },
  {
    name: 'a schema with an evil pattern',
    files: {
      'values.schema.json': '{"properties":{"a":{"pattern":"^(a+)+$"}}}',
      'values.yaml': `a: ${'a'.repeat(200_000)}!`,
    },
  },
  {
    name: 'a schema of unique items',
    files: {
      'values.schema.json': '{"properties":{"a":{"uniqueItems":true}},"required":["b"]}',
      'values.yaml': `a: [${Array.from({ length: 60_000 }, (_, at) => at).join(',')}]`,
    },
  },
  {
    name: 'a schema that nests',
    files: {
      'values.schema.json': `${'{"not":'.repeat(100_000)}{}${'}'.repeat(100_000)}`,
      'values.yaml': 'a: 1',
    },
    mayPass: true,
  },
  {
    name: 'patterns of what is ignored',
    files: { '.helmignore': `${'*a'.repeat(40)}b\n`.repeat(2_000), ['a'.repeat(200)]: 'x' },
    mayPass: true,
  },
  {
    name: 'a chart of many dependencies',
    files: {
      'Chart.yaml': `apiVersion: v2\nname: evil\nversion: 1.0.0\ndependencies:\n${Array.from({ length: 20_000 }, (_, at) => `- {name: d${at}, version: "*"}`).join('\n')}\n`,
    },
  },
  {
    name: 'a chart of a range that nests',
    files: {
      'Chart.yaml': `apiVersion: v2\nname: evil\nversion: 1.0.0\nkubeVersion: "${'>=1 '.repeat(20_000)}"\n`,
    },
    mayPass: true,
  },
  {
    name: 'imports of what is not there',
    files: {
      'Chart.yaml': `apiVersion: v2\nname: evil\nversion: 1.0.0\ndependencies:\n- {name: kid, version: "*", import-values: [${Array(20_000).fill('{child: a, parent: b}').join(',')}]}\n`,
      'charts/kid/Chart.yaml': 'apiVersion: v2\nname: kid\nversion: 1.0.0\n',
    },
    mayPass: true,
  },
];

/** All of them. */
export const hostileCharts: readonly HostileChart[] = [
  ...onTexts,
  ...onLists,
  ...onMaps,
  ...evilPatterns,
  ...others,
  ...inventiveCharts,
];
