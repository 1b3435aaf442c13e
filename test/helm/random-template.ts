import type { Random } from '../../packages/kustomize/src/testing/random.ts';
import type { Sort } from './expression-makers.ts';
import { expression, passage, type Scope } from './random-expression.ts';
import { anyWord } from './random-words.ts';

/** The scope with more names in it. */
function withNames(scope: Scope, more: readonly [Sort, string][]): Scope {
  const names = new Map(scope.names);
  for (const [sort, name] of more) names.set(sort, [...(names.get(sort) ?? []), name]);
  return { ...scope, names };
}

const open = (random: Random) => random.pick(['{{ ', '{{ ', '{{- ', '{{']);
const close = (random: Random) => random.pick([' }}', ' }}', ' -}}', '}}']);

const action = ({ random }: Scope, text: string) => `${open(random)}${text}${close(random)}`;

/** Text and actions, over several lines. */
export function statements(scope: Scope, depth: number, isInRange = false): string {
  const { random } = scope;
  let text = '';
  let inner = scope;
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    if (random.chance(0.25)) {
      const sort = random.pick(['S', 'I', 'N', 'L', 'M', 'A'] as const);
      const name = `$v${random.below(100)}`;
      text += `${action(inner, `${name} := ${expression(inner, sort, 2)}`)}\n    `;
      inner = withNames(inner, [[sort, name]]);
    }
    text += `${statement(inner, depth, isInRange)}\n    `;
  }
  return text;
}

function statement(scope: Scope, depth: number, isInRange: boolean): string {
  const { random } = scope;
  const act = (text: string) => action(scope, text);
  const more = (inner: Scope = scope, ranges = isInRange) =>
    ` ${statements(inner, depth - 1, ranges)} `;
  const otherwise = () => (random.chance(0.4) ? `${act('else')}${more()}` : '');
  const kind = depth > 0 ? random.below(15) : random.below(4);
  switch (kind) {
    case 4: {
      const middle = random.chance(0.4)
        ? `${act(`else if ${expression(scope, 'A', 1)}`)}${more()}`
        : '';
      return `${act(`if ${expression(scope, random.pick(['B', 'A']), 2)}`)}${more()}${middle}${otherwise()}${act('end')}`;
    }
    case 5: {
      const sort = random.pick(['S', 'L', 'M', 'A'] as const);
      const inner = withNames(scope, [[sort, '.']]);
      return `${act(`with ${expression(scope, sort, 2)}`)}${more(inner)}${otherwise()}${act('end')}`;
    }
    case 6:
    case 7:
      return range(scope, depth, otherwise());
    case 8: {
      const name = random.pick(scope.templates);
      return act(`template "${name}" ${scope.wildness > 0 ? expression(scope, 'A', 1) : '$'}`);
    }
    case 9:
      return `${act(`with $w := ${expression(scope, 'M', 1)}`)} ${act('$w | toJson')}${otherwise()}${act('end')}`;
    case 10:
      if (isInRange)
        return `${act(`if ${expression(scope, 'B', 1)}`)}${act(random.pick(['break', 'continue']))}${act('end')}`;
      return random.pick(['{{/* a remark */}}', '{{- /* a\nremark */ -}}']);
    case 11: {
      const names = [...scope.names.values()].flat().filter((name) => name.startsWith('$v'));
      if (names.length === 0) return 'none';
      return act(`${random.pick(names)} = ${expression(scope, 'A', 1)}`);
    }
    case 12:
    case 13:
    case 14:
      return passage(scope);
    case 0:
      return `${anyWord(random)}: text`;
    default:
      return printed(scope, 2);
  }
}

function range(scope: Scope, depth: number, otherwise: string): string {
  const { random } = scope;
  const act = (text: string) => action(scope, text);
  const over = random.pick(['L', 'L', 'M', 'I'] as const);
  const source =
    over === 'I' ? `(int ${expression(scope, 'N', 0)} | min 4 | int)` : expression(scope, over, 2);
  const item: Sort = over === 'I' ? 'I' : 'A';
  if (over === 'I' || random.chance(0.5)) {
    const inner = withNames(scope, [[item, '.']]);
    return `${act(`range ${source}`)} ${statements(inner, depth - 1, true)}${otherwise}${act('end')}`;
  }
  const key: Sort = over === 'M' ? 'S' : 'I';
  const inner = withNames(scope, [
    [key, '$k'],
    [item, '$e'],
  ]);
  return `${act(`range $k, $e := ${source}`)} ${statements(inner, depth - 1, true)}${otherwise}${act('end')}`;
}

/** An action that prints a value on one line. */
function printed(scope: Scope, depth: number): string {
  const { random } = scope;
  const value = expression(scope, 'A', depth);
  return action(
    scope,
    `${value} | ${random.pick(['toJson', 'quote | toJson', 'toString | toJson', 'toYaml | toJson'])}`,
  );
}

/** A named template. */
export function definition(scope: Scope, name: string): string {
  return `{{${scope.random.pick(['-', ''])} define "${name}" ${scope.random.pick(['-', ''])}}}\n    ${statements(scope, 2)}\n{{- end }}\n`;
}

const kinds = [
  ...'ConfigMap Secret Service Deployment Job Ingress Namespace ServiceAccount Role Zebra Apple'.split(
    ' ',
  ),
  'ValidatingWebhookConfiguration',
  'CustomResourceDefinition',
];

function hookLines({ random }: Scope): string {
  const events = [
    'pre-install',
    'post-install',
    'test',
    'pre-upgrade,post-delete',
    'test-success',
    'odd',
    ' Pre-Delete ',
  ];
  let text = `\n  annotations:\n    helm.sh/hook: ${JSON.stringify(random.pick(events))}`;
  if (random.chance(0.5))
    text += `\n    helm.sh/hook-weight: ${random.pick(['"5"', '"-3"', '"x"', '""'])}`;
  if (random.chance(0.3)) text += '\n    helm.sh/hook-delete-policy: hook-succeeded';
  return text;
}

/** A manifest: the head of an object, then fields of all kinds. */
export function manifest(scope: Scope): string {
  const { random } = scope;
  let text = `apiVersion: ${random.pick(['v1', 'apps/v1', 'example.org/v1'])}\nkind: ${random.pick(kinds)}\nmetadata:\n  name: {{ .Release.Name }}-${anyWord(random)}`;
  if (random.chance(0.15)) text += hookLines(scope);
  text += '\ndata:\n';
  for (let left = 2 + random.below(5); left > 0; left -= 1) text += `  f${left}:${field(scope)}\n`;
  return text;
}

function field(scope: Scope): string {
  const { random } = scope;
  const value = (sort: Sort = 'A') => expression(scope, sort, 3);
  switch (random.below(14)) {
    case 0:
      return ` {{ ${value()} | quote }}`;
    case 1:
      return ` {{ ${value()} | toJson }}`;
    case 2:
    case 3:
      return ` {{- ${value(random.pick(['M', 'L', 'A']))} | toYaml | nindent 4 }}`;
    case 4:
      return ` {{ include ${JSON.stringify(random.pick(scope.templates))} ${scope.wildness > 0 ? random.pick(['.', '$', value()]) : '$'} | toJson }}`;
    case 5:
    case 12:
    case 13:
      return ` |\n    begin\n    ${statements(scope, 2)}`;
    case 6:
      return ` {{ tpl ${value('S')} $ | toJson }}`;
    case 7:
      return ` {{ ${value('N')} }}`;
    case 8:
      return ` {{ ${value('B')} }}`;
    case 9:
      return ` {{ ${value('S')} | toYaml | indent 4 | trim | toJson }}`;
    case 10:
      return ` {{ toYamlPretty ${value(random.pick(['M', 'L']))} | nindent 4 }}`;
    default:
      return ` {{ print ${value()} | toJson }}`;
  }
}

/** A text with a letter lost, doubled or swapped: what a tired author leaves. */
export function mistyped(random: Random, text: string): string {
  const places = [...text.matchAll(/\{\{|\}\}|[()|"`$.:=]|end|range|if/g)];
  if (places.length === 0) return text;
  const { index, 0: found } = random.pick(places);
  const instead = random.pick([
    '',
    found + found,
    ' ',
    ')',
    '(',
    '|',
    '"',
    'end',
    'else',
    '.',
    '$',
    ':=',
    'break',
  ]);
  return text.slice(0, index) + instead + text.slice(index + found.length);
}
