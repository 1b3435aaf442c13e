import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { kubernetesDeclarations } from './kubernetes.ts';
import { compileCel } from './program.ts';
import { dynType, showType } from './types/type.ts';
import { celOfJson } from './values/json.ts';
import { showDuration, showTimestamp } from './values/time.ts';
import * as values from './values/value.ts';

/** What Kubernetes' own libraries say of an expression on some variables. */
interface Case {
  readonly expr: string;
  /** What is wrong with it; nothing else is set then. */
  readonly compile?: string;
  readonly type?: string;
  /** The least and the most that it may cost. */
  readonly estimate?: readonly [string, string];
  /** Why it can never be evaluated. */
  readonly program?: string;
  readonly value?: unknown;
  readonly eval?: string;
  readonly cost?: string;
}

interface Table {
  readonly vars: Readonly<Record<string, unknown>>;
  readonly cases: readonly Case[];
}

const tables = JSON.parse(
  readFileSync(new URL('testdata/expressions.json', import.meta.url), 'utf8'),
) as Table[];

/** A value with its type, as the tables write it. */
function show(value: values.CelResult): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return { int: String(value) };
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return { double: value };
    return { double: Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf' };
  }
  if (value instanceof values.CelUint) return { uint: String(value.value) };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (value instanceof values.CelTimestamp) return { timestamp: showTimestamp(value) };
  if (value instanceof values.CelDuration) return { duration: showDuration(value) };
  if (value instanceof values.CelTypeValue) return { type: value.name };
  if (value instanceof values.CelOptional) {
    return { optional: value.value === undefined ? [] : [show(value.value)] };
  }
  if (value instanceof values.CelList) return { list: [...value].map(show) };
  if (value instanceof values.CelMap) {
    const entries = [...value.keys()].map((key) => [
      show(key),
      show(value.find(key) as values.CelResult),
    ]);
    return {
      map: entries.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    };
  }
  return { other: values.typeNameOf(value as values.CelValue) };
}

const nameOf = (type: string) =>
  type
    .replaceAll(/\b(timestamp|duration)\b/g, (name) =>
      name === 'timestamp' ? 'google.protobuf.Timestamp' : 'google.protobuf.Duration',
    )
    .replace(/^null$/, 'null_type');

function outcome(expr: string, vars: Readonly<Record<string, unknown>>): Case {
  const declared = Object.fromEntries(Object.keys(vars).map((name) => [name, dynType]));
  const declarations = kubernetesDeclarations.with(declared);
  const checked = compileCel(expr, declarations);
  if ('issues' in checked) return { expr, compile: checked.issues };
  const { min, max } = checked.estimate();
  const head = {
    expr,
    type: nameOf(showType(checked.type)),
    estimate: [String(min), String(max)] as const,
  };
  const program = checked.program(declarations);
  if (program instanceof values.CelFailure) return { ...head, program: program.message };
  const { value, cost } = program.evaluate((name) =>
    Object.hasOwn(vars, name) ? celOfJson(vars[name]) : undefined,
  );
  return value instanceof values.CelFailure
    ? { ...head, eval: value.message, cost: String(cost) }
    : { ...head, value: show(value), cost: String(cost) };
}

/** One test each would be a thousand lines of names; a difference names its expression. */
describe.each(tables.map((table, index) => ({ index, ...table })))(
  'expressions, table $index',
  ({ vars, cases }) => {
    test(`types, values, errors and costs of ${cases.length} expressions are Kubernetes'`, () => {
      for (const one of cases) expect(outcome(one.expr, vars)).toEqual(one);
      expect(cases.length).toBeGreaterThan(10);
    });
  },
);
