import { relative } from 'node:path';
import type { BuildResult, BuiltResource, FieldOrigin } from '@waygate/kustomize';
import type { DynamicObject } from '@waygate/schema';
import { printYaml } from '@waygate/text';
import { CliError, exitCode } from '../context.ts';

/** What is asked for: a resource, or one field of it. */
interface Question {
  readonly explain: string;
  readonly resource: string | undefined;
  readonly output: string | undefined;
}

/** Says where the fields of a resource came from, in paths from `cwd`. */
export function explanation(
  result: BuildResult,
  { explain, resource, output = 'text' }: Question,
  cwd: string,
): string {
  if (!['text', 'json', 'yaml'].includes(output)) {
    throw usage(`--explain prints text, json or yaml, not ${output}`);
  }
  const found = resourceOf(result, resource ?? explain);
  const all = (result.explain(`${found.kind}/${found.name}`) ?? []).map((each) => shown(each, cwd));
  const wanted = resource === undefined ? '' : pathOf(found.object, explain);
  const fields = resource === undefined ? all : all.filter(({ path }) => isAt(path, wanted));
  if (fields.length === 0) {
    throw usage(`${resource} has no field ${explain}`, `it has ${namesOf(all)}`);
  }
  if (output === 'json') return `${JSON.stringify(fields, null, 2)}\n`;
  if (output === 'yaml') return printYaml(fields, { keys: 'given' });
  return resource === undefined ? tableOf(fields) : historyOf(fields);
}

function usage(message: string, hint?: string): CliError {
  return new CliError(message, {
    exitCode: exitCode.usage,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** Kinds by the names that kubectl has for them; others are found by their own. */
const shortKinds: Readonly<Record<string, string>> = {
  cj: 'cronjob',
  cm: 'configmap',
  crd: 'customresourcedefinition',
  deploy: 'deployment',
  ds: 'daemonset',
  hpa: 'horizontalpodautoscaler',
  ing: 'ingress',
  netpol: 'networkpolicy',
  ns: 'namespace',
  pdb: 'poddisruptionbudget',
  po: 'pod',
  pvc: 'persistentvolumeclaim',
  rs: 'replicaset',
  sa: 'serviceaccount',
  sts: 'statefulset',
  svc: 'service',
};

function resourceOf(result: BuildResult, name: string): BuiltResource {
  const slash = name.indexOf('/');
  const given = slash < 0 ? '' : name.slice(0, slash).toLowerCase();
  const word = shortKinds[given] ?? given;
  const wanted = name.slice(slash + 1);
  const ofKind = result.resources.filter(
    (each) => word === '' || [word, word.replace(/s$/, '')].includes(each.kind.toLowerCase()),
  );
  // People know the name that they wrote, not what prefixes and hashes made of it.
  const former = ofKind.filter((each) => each.origin.formerNames.includes(wanted));
  const found =
    ofKind.find((each) => each.name === wanted) ?? (former.length === 1 ? former[0] : undefined);
  if (found !== undefined) return found;
  const known = result.resources.map((each) => `${each.kind}/${each.name}`);
  throw usage(`the build has no resource ${name}`, `it has ${known.join(', ') || 'none'}`);
}

/**
 * The path of a field as the explanation writes it. Elements of lists may be asked for by their number, `containers.0` and
 * `containers[0]`, where it has their names.
 */
function pathOf(object: DynamicObject, wanted: string): string {
  let at: unknown = object;
  let path = '';
  // A dot that a backslash precedes is the key's own, and what is in brackets is held together.
  for (const [step] of wanted.matchAll(/\[[^\]]*\]|(?:\\.|[^.[\\])+/g)) {
    const plain = step.replace(/^\[(.*)\]$/, '$1');
    if (Array.isArray(at)) {
      const item: unknown = /^\d+$/.test(plain)
        ? at[Number(plain)]
        : at.find((each) => `name=${nameOf(each)}` === plain);
      const name = nameOf(item);
      path += `[${name === undefined ? plain : `name=${name}`}]`;
      at = item;
    } else {
      path += path === '' ? step : `.${step}`;
      at = (at as Record<string, unknown> | undefined)?.[plain.replaceAll('\\.', '.')];
    }
  }
  return path;
}

function nameOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null ? (item as { name?: unknown }).name : undefined;
}

/** A field, and what is below it. */
function isAt(path: string, wanted: string): boolean {
  return path === wanted || (path.startsWith(wanted) && /[.[]/.test(path[wanted.length] ?? ''));
}

function namesOf(fields: readonly FieldOrigin[]): string {
  const names = fields.map(({ path }) => path);
  return names.length > 12 ? `${names.slice(0, 12).join(', ')}, …` : names.join(', ');
}

type Change = Omit<FieldOrigin, 'history'>;

function shown<T extends Change>(field: T, cwd: string): T {
  const file = field.file?.startsWith('/') ? relative(cwd, field.file) || '.' : field.file;
  const { history } = field as unknown as { history?: readonly Change[] };
  const before = history?.map((each) => shown(each, cwd));
  return { ...field, file, ...(before === undefined ? {} : { history: before }) };
}

function tableOf(fields: readonly FieldOrigin[]): string {
  const rows = fields.map((field) => [field.path, oneLine(field.value), sourceOf(field)] as const);
  const widths = [0, 1].map((column) =>
    Math.min(72, Math.max(0, ...rows.map((row) => row[column as 0 | 1].length))),
  );
  const line = (row: readonly string[]): string =>
    `${row[0]!.padEnd(widths[0]!)}  ${row[1]!.padEnd(widths[1]!)}  ${row[2]}`.trimEnd();
  return `${[['FIELD', 'VALUE', 'FROM'], ...rows].map(line).join('\n')}\n`;
}

/** Each field with all that it has been, the first first. */
function historyOf(fields: readonly FieldOrigin[]): string {
  const blocks = fields.map((field) => {
    const steps = [...field.history, field].map(
      (step) => `  ${oneLine(step.value)}   ${sourceOf(step)}`,
    );
    return `${field.path}\n${steps.join('\n')}\n`;
  });
  return blocks.join('');
}

function oneLine(value: string): string {
  const text = value.replaceAll('\n', '\\n');
  return text.length > 72 ? `${text.slice(0, 69)}...` : text;
}

function sourceOf(field: Change): string {
  const place = field.line === undefined ? field.file : `${field.file}:${field.line}`;
  if (field.by === 'resource') return place ?? '';
  return place === undefined ? field.by : `${field.by} (${place})`;
}
