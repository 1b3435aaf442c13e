import type { HostileChart } from './hostile-charts.ts';

const template = (
  name: string,
  text: string,
  more: Partial<HostileChart> & { readonly values?: string } = {},
): HostileChart => {
  const { values, ...rest } = more;
  return {
    name,
    files: { 'templates/a.yaml': text, ...(values && { 'values.yaml': values }), ...more.files },
    ...(rest.mayPass !== undefined && { mayPass: rest.mayPass }),
  };
};

/** So many of one action. */
const often = (call: string, before = '') =>
  `${before}{{ range until 1000000 }}{{ $_ := ${call} }}{{ end }}`;
const schema = (text: string, values = 'a: 1'): Record<string, string> => ({
  'values.schema.json': text,
  'values.yaml': values,
});
const many = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join('');

/** How an attacker gets at what lies between the functions: things that call, hold or become each other. */
export const inventiveCharts: readonly HostileChart[] = [
  template(
    'a tree of includes, each of two',
    `${many(60, (at) => `{{ define "d${at}" }}{{ include "d${at + 1}" . }}{{ include "d${at + 1}" . }}{{ end }}`)}{{ define "d60" }}x{{ end }}{{ include "d0" . }}`,
  ),
  template(
    'tpl of an include of a tpl',
    '{{ define "a" }}{{ tpl .Values.t . }}{{ end }}{{ include "a" . }}',
    { values: 't: \'{{ include "a" . }}{{ include "a" . }}\'\n' },
  ),
  template('tpl of a text that it doubles', '{{ tpl .Values.t . }}', {
    values: 't: \'{{ $_ := set .Values "t" (print .Values.t .Values.t) }}{{ tpl .Values.t . }}\'\n',
  }),
  template('definitions by tpl', often('tpl "{{ define \\"x\\" }}{{ end }}" $')),
  template('tpl of new texts', often('tpl (printf "{{ %d }}" .) $')),
  template(
    'a pattern that grows what it replaces',
    '{{ $x := "aaaaaaaaaa" }}{{ range until 30 }}{{ $x = regexReplaceAll "a" $x "aaaaaaaaaa" }}{{ end }}',
  ),
  template(
    'a pattern of groups that it repeats',
    '{{ $x := "ab" }}{{ range until 40 }}{{ $x = regexReplaceAll "(.+)" $x "$1-$1" }}{{ end }}',
  ),
  template(
    'patterns that are all new',
    often('regexMatch (printf "a{1,%d}b" (mod . 1000)) "aaab"'),
  ),
  template(
    'a pattern of counted counts',
    '{{ regexMatch "((a{1,1000}){1,1000}){1,1000}" "a" }}{{ fail "end" }}',
  ),
  template('a pattern of classes', often('regexFind "[\\\\p{L}\\\\p{N}]+$" $.Values.x'), {
    values: `x: ${'ä'.repeat(100_000)}\n`,
  }),
  template('a split by an empty pattern', often('regexSplit "" $.Values.x -1'), {
    values: `x: ${'a'.repeat(100_000)}\n`,
  }),
  template(
    'TOML of a tree that doubles',
    '{{ $x := dict "a" 1 }}{{ range until 60 }}{{ $x = dict "a" $x "b" $x }}{{ end }}{{ toToml $x }}',
  ),
  template(
    'JSON of a tree that doubles',
    '{{ $x := dict "a" 1 }}{{ range until 60 }}{{ $x = dict "a" $x "b" $x }}{{ end }}{{ toPrettyJson $x }}',
  ),
  template(
    'a tree that doubles, compared',
    '{{ $x := dict "a" 1 }}{{ $y := dict "a" 1 }}{{ range until 60 }}{{ $x = dict "a" $x "b" $x }}{{ $y = dict "a" $y "b" $y }}{{ end }}{{ deepEqual $x $y }}',
  ),
  template(
    'a tree that doubles, copied',
    '{{ $x := dict "a" 1 }}{{ range until 60 }}{{ $x = dict "a" $x "b" $x }}{{ end }}{{ $_ := deepCopy $x }}',
  ),
  template(
    'a tree that doubles, merged',
    '{{ $x := dict "a" 1 }}{{ range until 60 }}{{ $x = dict "a" $x "b" $x }}{{ end }}{{ $_ := merge (dict) $x }}{{ $_ = mustMergeOverwrite (dict) $x $x }}',
    { mayPass: true },
  ),
  template(
    'a map merged into itself',
    '{{ $d := dict "a" (dict) }}{{ $_ := set $d "d" $d }}{{ $_ = mergeOverwrite $d $d }}{{ toYaml $d }}',
    { mayPass: true },
  ),
  template(
    'two maps in each other, merged',
    '{{ $a := dict }}{{ $b := dict "x" $a }}{{ $_ := set $a "x" $b }}{{ $_ = merge $a $b }}{{ $a }}',
  ),
  template(
    'two maps in each other, compared',
    '{{ $a := dict }}{{ $b := dict "x" $a }}{{ $_ := set $a "x" $b }}{{ deepEqual $a $b }}{{ fail "end" }}',
  ),
  template(
    'a list that holds its map',
    '{{ $d := dict }}{{ $_ := set $d "l" (list $d $d $d) }}{{ toYaml $d }}',
    { mayPass: true },
  ),
  template(
    'a map in itself, in a message',
    '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ fail (toString $d) }}',
  ),
  template(
    'values put into themselves',
    '{{ $_ := set .Values "v" .Values }}{{ tpl (toYaml .Values) . }}',
    { mayPass: true },
  ),
  template('YAML aliases in a file', '{{ .Files.Get "bomb" | fromYaml | toYaml }}', {
    files: {
      bomb: `a0: &a0 [x,x]\n${many(40, (at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]\n`)}`,
    },
    mayPass: true,
  }),
  template('YAML merge keys that double', '{{ .Files.Get "bomb" | fromYaml | toYaml }}', {
    files: {
      bomb: `a0: &a0 {x: 1}\n${many(2000, (at) => `a${at + 1}: &a${at + 1} {<<: [*a${at}, *a${at}], k${at}: 1}\n`)}`,
    },
    mayPass: true,
  }),
  template('an alias of its own anchor', '{{ fromYaml "a: &a [*a]" }}', { mayPass: true }),
  template('a file of lines', often('$.Files.Lines "long"'), {
    files: { long: 'a\n'.repeat(500_000) },
  }),
  template('files as a config', often('($.Files.Glob "**").AsConfig'), {
    files: { long: 'a\n'.repeat(500_000) },
  }),
  template('files as secrets', often('($.Files.Glob "**").AsSecrets'), {
    files: { long: 'a\n'.repeat(500_000) },
  }),
  template('many globs of a tree', often('$.Files.Glob "{a,b}{a,b}{a,b}/**/{x,y}*"'), {
    files: Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`aab/d${at}/x`, 'x'])),
  }),
  template(
    'a sort of a large list',
    often('sortAlpha $x', '{{ $x := splitList "" (repeat 300000 "zyx") }}'),
  ),
  template(
    'a list without its doubles',
    often(
      'uniq $x',
      '{{ $x := list }}{{ range until 3000 }}{{ $x = append $x (dict "a" .) }}{{ end }}',
    ),
  ),
  template(
    'a list without some',
    often('without $x 1 2 3 4 5 6 7 8 9', '{{ $x := until 100000 }}'),
  ),
  template(
    'whether a large list has it',
    often(
      'has (dict "a" 1) $x',
      '{{ $x := list }}{{ range until 3000 }}{{ $x = append $x (dict "a" .) }}{{ end }}',
    ),
  ),
  template(
    'a list that grows one by one',
    '{{ $x := list }}{{ range until 1000000 }}{{ $x = append $x . }}{{ end }}',
  ),
  template(
    'a list that grows at its front',
    '{{ $x := list }}{{ range until 1000000 }}{{ $x = prepend $x . }}{{ end }}',
  ),
  template(
    'a text that grows one by one',
    '{{ $x := "" }}{{ range until 1000000 }}{{ $x = cat $x "a" }}{{ end }}{{ $x | len }}',
  ),
  template(
    'repeats of repeats',
    '{{ $x := "a" }}{{ range until 12 }}{{ $x = repeat 10 $x }}{{ end }}',
  ),
  template('a wrap of every letter', often('wrapWith 1 "xxxxxxxxxx" $.Values.x'), {
    values: `x: ${'a '.repeat(100_000)}\n`,
  }),
  template(
    'passwords of a changing user',
    '{{ range until 9999 }}{{ $_ := derivePassword . "maximum" (toString .) "b" "c" }}{{ end }}',
  ),
  template(
    'keys of each kind, in turn',
    '{{ range until 9999 }}{{ $_ := genPrivateKey (index (list "rsa" "dsa" "ecdsa" "ed25519") (mod . 4)) }}{{ end }}',
  ),
  template('keys of DSA', '{{ range until 9 }}{{ $_ := genPrivateKey "dsa" }}{{ end }}'),
  template(
    'certificates signed by each other',
    '{{ $c := genCA "a" 1 }}{{ range until 999 }}{{ $c = genSignedCert "a" nil nil 1 $c }}{{ end }}',
  ),
  template(
    'a key that signs for ever',
    '{{ $k := genPrivateKey "ecdsa" }}{{ range until 1000000 }}{{ $_ := genCAWithKey "a" 1 $k }}{{ end }}',
  ),
  template(
    'keys before an endless loop',
    '{{ range until 9 }}{{ $_ := genCA "a" 1 }}{{ end }}{{ range until 99999999 }}{{ end }}',
  ),
  template(
    'keys that notice that they are rehearsed',
    '{{ if contains "RSA" (genCA "a" 1).Key }}{{ range until 999 }}{{ $_ := genCA "a" 1 }}{{ end }}{{ end }}',
  ),
  template(
    'certificates of many names',
    often(
      'genSelfSignedCertWithKey "a" nil $x 1 $k',
      '{{ $k := genPrivateKey "ecdsa" }}{{ $x := splitList "," (repeat 20000 "a.b,") }}',
    ),
  ),
  template('encryption of a long text', often('encryptAES "k" $.Values.x'), {
    values: `x: ${'a'.repeat(500_000)}\n`,
  }),
  template('numbers that overflow', often('round (mul 9223372036854775807 3.3) 100000')),
  template('decimals of a large exponent', '{{ addf 1e999999999 1 }}{{ fail "end" }}'),
  template('versions of a long build', often('semver $.Values.x'), {
    values: `x: "1.0.0-${'a.'.repeat(50_000)}b"\n`,
  }),
  template('URLs of a long query', often('urlParse $.Values.x'), {
    values: `x: "http://a/?${'a=b&'.repeat(50_000)}"\n`,
  }),
  template(
    'dates of many zones',
    often('dateInZone "2006" (now) (printf "Etc/GMT+%d" (mod . 12))'),
  ),
  template('a block in a block', `${'{{ with . }}'.repeat(5_000)}x${'{{ end }}'.repeat(5_000)}`, {
    mayPass: true,
  }),
  template(
    'else if without end',
    `{{ if false }}${'{{ else if false }}'.repeat(50_000)}{{ end }}`,
    { mayPass: true },
  ),
  template('notes without end', '{{ range until 99999999 }}x{{ end }}', {
    files: { 'templates/NOTES.txt': '{{ range until 99999999 }}x{{ end }}' },
  }),
  template(
    'hooks without end',
    '{{ range until 200000 }}---\nkind: Pod\nmetadata: {name: a, annotations: {helm.sh/hook: test}}\n{{ end }}',
  ),
  template('a document of a million lines', '{{ range until 1000000 }}a{{ . }}: b\n{{ end }}', {
    mayPass: true,
  }),
  {
    name: 'a schema whose references are a ring',
    files: schema(
      '{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}',
    ),
  },
  {
    name: 'a schema that walks the values as often as it likes',
    files: schema(
      `{"$defs":{"a":{"additionalProperties":{"allOf":[${Array(20).fill('{"$ref":"#/$defs/a"}').join(',')}]}}},"$ref":"#/$defs/a"}`,
      `${many(12, (at) => `${' '.repeat(at)}a:\n`)}${' '.repeat(12)}a: 1`,
    ),
  },
  {
    name: 'a schema of dynamic references',
    files: schema(
      '{"$schema":"https://json-schema.org/draft/2020-12/schema","$dynamicAnchor":"n","allOf":[{"$dynamicRef":"#n"},{"$dynamicRef":"#n"}]}',
    ),
  },
  {
    name: 'a schema of patterns on every key',
    files: schema(
      `{"patternProperties":{${Array.from({ length: 500 }, (_, at) => `"(a|b|c${at})*d$":{"type":"string"}`).join(',')}}}`,
      many(2000, (at) => `${'abc'.repeat(10)}${at}: 1\n`),
    ),
    mayPass: true,
  },
  {
    name: 'a schema of many alternatives',
    files: schema(
      `{"properties":{"a":{"items":{"oneOf":[${Array.from({ length: 300 }, (_, at) => `{"const":${at}}`).join(',')}]}}}}`,
      `a: [${Array.from({ length: 20_000 }, (_, at) => at % 300).join(',')}]`,
    ),
    mayPass: true,
  },
  {
    name: 'a schema that is not evaluated',
    files: schema(
      `{"allOf":[${Array(500).fill('{"properties":{"a":true}}').join(',')}],"unevaluatedProperties":false}`,
      many(5000, (at) => `k${at}: 1\n`),
    ),
    mayPass: true,
  },
  {
    name: 'a Chart.yaml of megabytes',
    files: {
      'Chart.yaml': `apiVersion: v2\nname: evil\nversion: 1.0.0\nkeywords: [${Array(150_000).fill('a').join(',')}]\n`,
    },
    mayPass: true,
  },
  {
    name: 'a Chart.yaml of aliases',
    files: {
      'Chart.yaml': `apiVersion: v2\nname: evil\nversion: 1.0.0\nannotations: &a0 {a: b}\n${many(60, (at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]\n`)}`,
    },
    mayPass: true,
  },
  {
    name: 'charts in charts, hundreds deep',
    files: Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [
        `${'charts/k/'.repeat(at + 1)}Chart.yaml`,
        'apiVersion: v2\nname: k\nversion: 1.0.0\n',
      ]),
    ),
    mayPass: true,
  },
  {
    name: 'a thousand charts beside each other',
    files: Object.fromEntries(
      Array.from({ length: 1000 }, (_, at) => [
        `charts/k${at}/Chart.yaml`,
        `apiVersion: v2\nname: k${at}\nversion: 1.0.0\n`,
      ]),
    ),
    mayPass: true,
  },
  {
    name: 'a chart with a thousand names',
    files: {
      'Chart.yaml': `apiVersion: v2\nname: evil\nversion: 1.0.0\ndependencies:\n${many(3000, (at) => `- {name: k, version: "*", alias: k${at}}\n`)}`,
      'charts/k/Chart.yaml': 'apiVersion: v2\nname: k\nversion: 1.0.0\n',
      'charts/k/templates/a.yaml': '{{ range until 1000 }}{{ end }}',
    },
  },
  {
    name: 'aliases of aliases',
    files: Object.fromEntries(
      Array.from({ length: 25 }, (_, at) => [
        `${'charts/k/'.repeat(at)}Chart.yaml`,
        `apiVersion: v2\nname: ${at === 0 ? 'evil' : 'k'}\nversion: 1.0.0\n${at === 24 ? '' : 'dependencies: [{name: k, version: "*", alias: a}, {name: k, version: "*", alias: b}]\n'}`,
      ]),
    ),
  },
  {
    name: 'conditions without end',
    files: {
      'Chart.yaml': `apiVersion: v2\nname: evil\nversion: 1.0.0\ndependencies:\n- {name: k, version: "*", condition: "${'a.b.c,'.repeat(200_000)}"}\n`,
      'charts/k/Chart.yaml': 'apiVersion: v2\nname: k\nversion: 1.0.0\n',
    },
    mayPass: true,
  },
  {
    name: 'a path that is ignored by stars',
    files: {
      '.helmignore': `${'**/'.repeat(1)}${'?*'.repeat(50)}x\n`,
      [`a/${'b'.repeat(250)}`]: 'x',
    },
    mayPass: true,
  },
  {
    name: 'a values file of one line',
    files: { 'values.yaml': `{${many(100_000, (at) => `k${at}: {a: [1,2,3]},`)}}` },
    mayPass: true,
  },
  {
    name: 'a file of values of tags',
    files: { 'values.yaml': many(50_000, (at) => `k${at}: !!str !!str x\n`) },
    mayPass: true,
  },
  {
    name: 'many texts of --set',
    files: {},
    flags: Array.from({ length: 2000 }, (_, at) => ['--set', `a[${at * 30}].b[${at}]=1`]).flat(),
    mayPass: true,
  },
];
