import { Random } from '../../packages/kustomize/src/testing/random.ts';
import type { Sort } from './expression-makers.ts';
import type { Scope } from './random-expression.ts';
import { definition, manifest, mistyped, statements } from './random-template.ts';
import { printLines, randomValues, type ValueLine, valueKeys } from './random-values.ts';
import { anyText, anyWord } from './random-words.ts';

/** A chart and the command line that renders it. Paths are relative to the directory that both are in. */
export interface RandomChart {
  readonly files: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** The chart of a seed, the same every time. */
export function randomChart(seed: number, helm: 3 | 4): RandomChart {
  const random = new Random(seed);
  const files: Record<string, string> = {};
  // Most charts are sound, so that much of them is rendered; some fail, and must fail alike.
  const wildness = random.chance(0.8) ? 0 : 0.03;
  const children = random.chance(0.5) ? random.some(['kid', 'sub', 'lib'], 2) : [];
  addChart(files, 'chart', 'web', { random, helm, wildness, children: [...new Set(children)] });
  if (random.chance(0.08)) {
    const path = random.pick(Object.keys(files).filter((each) => each.includes('templates/')));
    files[path] = mistyped(random, files[path]!);
  }
  return { files, args: ['template', 'rel', './chart', ...randomFlags(random, files, children)] };
}

interface Making {
  readonly random: Random;
  readonly helm: 3 | 4;
  readonly wildness: number;
  readonly children: readonly string[];
}

function addChart(files: Record<string, string>, path: string, name: string, making: Making): void {
  const { random, children } = making;
  const isLibrary = name === 'lib';
  const lines = randomValues(random);
  files[`${path}/Chart.yaml`] = chartFile(name, isLibrary, making);
  files[`${path}/values.yaml`] = valuesText(random, lines, children);
  const templates = [`${name}.one`, `${name}.two`, 'shared'];
  const all = [...templates, ...(children.includes('lib') ? ['lib.one', 'lib.two'] : [])];
  const scope = scopeOf(making, all);
  // Templates do not include each other in rings: each may include only what was defined before.
  let helpers = definition({ ...scope, templates: ['leaf'] }, templates[0]!);
  helpers += '{{ define "leaf" }}leaf {{ . | toJson }}{{ end }}\n';
  helpers += definition({ ...scope, templates: ['leaf', templates[0]!] }, templates[1]!);
  if (!isLibrary || random.chance(0.5))
    helpers += definition({ ...scope, templates: ['leaf'] }, 'shared');
  files[`${path}/templates/_helpers.tpl`] = helpers;
  if (!isLibrary) {
    for (let left = 1 + random.below(3); left > 0; left -= 1) {
      const directory = random.chance(0.15) ? 'deep/' : '';
      let text = manifest(scope);
      while (random.chance(0.2))
        text += `${random.pick(['---\n', '\n---\n', '--- # next\n', '---\n---\n'])}${manifest(scope)}`;
      files[`${path}/templates/${directory}${anyWord(random)}${left}.yaml`] = text;
    }
  }
  if (random.chance(0.3)) files[`${path}/templates/NOTES.txt`] = statements(scope, 1);
  files[`${path}/a.txt`] = anyText(random);
  if (random.chance(0.5)) files[`${path}/conf/b.txt`] = anyText(random);
  if (random.chance(0.1))
    files[`${path}/crds/c.yaml`] = 'kind: CustomResourceDefinition\nmetadata: {name: c}\n';
  if (random.chance(0.1)) files[`${path}/values.schema.json`] = schemaText(random);
  if (random.chance(0.1))
    files[`${path}/.helmignore`] = random.pick([
      '*.txt\n',
      'conf/\n# no\n!a.txt\n',
      'a.*\n',
      '/conf\n',
    ]);
  for (const child of children) {
    const own = child === 'kid' && random.chance(0.3) ? ['sub'] : [];
    addChart(files, `${path}/charts/${child}`, child, { ...making, children: own });
  }
}

/** A schema that values meet or not, by their luck. */
function schemaText(random: Random): string {
  const properties: Record<string, object> = {};
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    properties[random.pick(['name', 'replicas', 'list', 'labels', 'port', 'debug', 'text'])] =
      random.pick<object>([
        { type: ['string', 'number', 'null'] },
        { type: 'object', additionalProperties: true },
        { type: 'array', maxItems: 9 },
        { minimum: 2 },
        { pattern: '^[a-z]' },
        { enum: [1, 'a', true] },
        {},
      ]);
  }
  const required = random.chance(0.3) ? { required: [random.pick(['name', 'nope'])] } : {};
  return JSON.stringify({ type: 'object', properties, ...required });
}

/** What templates can name. Where the chart is tame, values of another kind than meant are put aside. */
function scopeOf({ random, helm, wildness }: Making, templates: readonly string[]): Scope {
  const names = new Map<Sort, string[]>();
  for (const [sort, keys] of valueKeys) {
    names.set(
      sort,
      keys.map((key) => (wildness > 0 ? `$.Values.${key}` : guarded(`$.Values.${key}`, sort))),
    );
  }
  return { random, names, templates, wildness, helm };
}

function guarded(name: string, sort: Sort): string {
  switch (sort) {
    case 'S':
      return `(toString ${name})`;
    case 'B':
      return `(not (empty ${name}))`;
    case 'N':
      return `(float64 ${name})`;
    case 'L':
      return `(ternary ${name} (list) (kindIs "slice" ${name}))`;
    case 'M':
      return `(ternary ${name} (dict) (kindIs "map" ${name}))`;
    default:
      return name;
  }
}

function chartFile(name: string, isLibrary: boolean, { random, children }: Making): string {
  let text = `apiVersion: ${children.length > 0 ? 'v2' : random.pick(['v2', 'v2', 'v1'])}\nname: ${name}\n`;
  text += `version: ${random.pick(['0.1.0', '1.2.3-rc.1+b', '1.0.0', 'v2.0.0'])}\n`;
  if (isLibrary) text += 'type: library\n';
  if (random.chance(0.6))
    text += `appVersion: ${random.pick(['"1.10"', '1.10', '2', 'v3.4', '""', 'latest'])}\n`;
  if (random.chance(0.2))
    text += `description: ${JSON.stringify(anyText(random).replaceAll(/[^ -~]/g, ''))}\n`;
  if (random.chance(0.2)) text += 'keywords: [b, a]\n';
  if (random.chance(0.1)) text += 'annotations: {a.b/c: "d"}\n';
  if (random.chance(0.2)) text += 'maintainers: [{name: n, email: e@example.org}]\n';
  if (children.length === 0) return text;
  text += 'dependencies:\n';
  for (const child of children) {
    if (random.chance(0.2)) continue;
    text += `- name: ${child}\n  version: "${random.pick(['*', '>=0.0.1-0', '0.1.0', '>=0.0.1-0'])}"\n  repository: ""\n`;
    if (random.chance(0.4))
      text += `  condition: ${random.pick([`${child}.enabled`, 'enabled', 'nope.x,debug', `${child}.debug`])}\n`;
    if (random.chance(0.3)) text += `  tags: [${random.pick(['red', 'blue', 'red, blue'])}]\n`;
    if (random.chance(0.2)) text += `  alias: ${child}2\n`;
    else if (random.chance(0.15))
      text += `  alias: ${child}2\n- name: ${child}\n  version: "*"\n  repository: ""\n  alias: ${child}3\n`;
    if (random.chance(0.3))
      text += `  import-values:\n  - ${random.pick(['data', '{child: labels, parent: labels}', '{child: config, parent: up.here}', '{child: nested, parent: .}', '{child: nope, parent: labels}', '{child: default, parent: up}', '7'])}\n`;
  }
  return text === '' || text.endsWith('dependencies:\n')
    ? text.replace('dependencies:\n', '')
    : text;
}

function valuesText(
  random: Random,
  lines: readonly ValueLine[],
  children: readonly string[],
): string {
  let text = printLines(random, lines);
  for (const child of children) {
    if (random.chance(0.6))
      text += `${random.chance(0.2) ? `${child}2` : child}:\n  own: 1\n${printLines(random, randomValues(random, 0.3), '  ')}`;
  }
  if (random.chance(0.4))
    text += `global:\n  region: eu\n${printLines(random, randomValues(random, 0.2), '  ')}`;
  if (random.chance(0.3)) text += `tags:\n  red: ${random.pick(['true', 'false'])}\n`;
  if (random.chance(0.3))
    text += `exports:\n  data:\n    own: 1\n${printLines(random, randomValues(random, 0.2), '    ')}`;
  return text;
}

function randomFlags(
  random: Random,
  files: Record<string, string>,
  children: readonly string[],
): string[] {
  const flags: string[] = [];
  const key = () => {
    const name = random.pick([...valueKeys.values()].flat());
    return children.length > 0 && random.chance(0.3) ? `${random.pick(children)}.${name}` : name;
  };
  if (random.chance(0.5)) {
    files['more.yaml'] = `${printLines(random, randomValues(random, 0.3))}extra: 1\n`;
    if (random.chance(0.3))
      files['more.yaml'] +=
        `${random.pick(['kid', 'sub', 'global'])}:\n  own: 2\n${printLines(random, randomValues(random, 0.3), '  ')}`;
    if (random.chance(0.3)) files['more.yaml'] += `nul: null\n`;
    flags.push('-f', 'more.yaml');
  }
  while (random.chance(0.35)) {
    flags.push(
      ...random.pick([
        [
          '--set',
          `${key()}=${random.pick(['1', 'true', 'null', 'x', '1.5', '{a,b}', '', '007', '9999999999'])}`,
        ],
        [
          '--set',
          `${random.pick(['labels', 'nested', 'config'])}.${anyWord(random)}=${anyWord(random)}`,
        ],
        ['--set', `list[${random.below(3)}]=z`],
        ['--set-string', `${key()}=${random.pick(['1', 'true', 'null', 'a b'])}`],
        [
          '--set-json',
          `${key()}=${random.pick(['1', '{"a":[1,null]}', '[1,"b"]', 'null', '"t"', '1.50'])}`,
        ],
        ['--set-literal', `${key()}=${random.pick(['a,b', '{x}', 'a\\.b', '1'])}`],
        ['--set-file', `${key()}=chart/a.txt`],
      ]),
    );
  }
  if (random.chance(0.1)) flags.push('--include-crds');
  if (random.chance(0.1)) flags.push('--no-hooks');
  if (random.chance(0.1)) flags.push('--is-upgrade');
  if (random.chance(0.05)) flags.push('--skip-tests');
  if (random.chance(0.05)) flags.push('--debug');
  if (random.chance(0.05)) flags.push('--render-subchart-notes');
  if (random.chance(0.05)) flags.push('--skip-schema-validation');
  if (random.chance(0.05))
    flags.push('--set', `global.${key()}=${anyWord(random)},tags.blue=false`);
  if (random.chance(0.05))
    flags.push('--show-only', `templates/${random.pick(['*', 'deep/*', '[a-m]*', 'nope.yaml'])}`);
  if (random.chance(0.1))
    flags.push('--kube-version', random.pick(['1.30', 'v1.25.4-gke.1', '1.28.0']));
  if (random.chance(0.1)) flags.push('-n', 'prod');
  if (random.chance(0.05)) flags.push('--api-versions', 'example.org/v1/Thing');
  return flags;
}
