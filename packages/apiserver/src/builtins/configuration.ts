import type { DynamicObject } from '@waygate/schema';
import { configKeyProblems, equalJson, isObject } from '@waygate/text';
import { describeSyntax } from '../decode/json-syntax.ts';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import {
  type FieldProblem,
  forbidden,
  invalid,
  required,
  tooLong,
} from '../status/field-problem.ts';
import { keyPairProblem } from '../tls/key-pair.ts';
import { objectAt, textAt } from './fields.ts';

const maxBytes = 1024 * 1024;

function keyProblems(object: DynamicObject, fields: readonly string[]): FieldProblem[] {
  const problems: FieldProblem[] = [];
  let size = 0;
  for (const field of fields) {
    for (const [key, value] of Object.entries(objectAt(object, field))) {
      for (const problem of configKeyProblems(key))
        problems.push(invalid(`${field}[${key}]`, key, problem));
      size += Buffer.byteLength(String(value), 'base64');
    }
  }
  if (size > maxBytes) problems.push(tooLong('data', maxBytes));
  return problems;
}

function frozenProblems(
  object: DynamicObject,
  old: Readonly<DynamicObject>,
  fields: readonly string[],
): FieldProblem[] {
  if (old.immutable !== true) return [];
  const problems: FieldProblem[] = [];
  if (object.immutable !== true)
    problems.push(forbidden('immutable', 'field is immutable when `immutable` is set'));
  for (const field of fields) {
    if (!equalJson(object[field], old[field]))
      problems.push(forbidden(field, 'field is immutable when `immutable` is set'));
  }
  return problems;
}

export const configMapStrategy: Partial<Strategy> = {
  validate(object) {
    const problems: FieldProblem[] = [];
    const binary = objectAt(object, 'binaryData');
    for (const key of Object.keys(objectAt(object, 'data'))) {
      for (const problem of configKeyProblems(key))
        problems.push(invalid(`data[${key}]`, key, problem));
      if (Object.hasOwn(binary, key))
        problems.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    }
    for (const key of Object.keys(binary)) {
      for (const problem of configKeyProblems(key))
        problems.push(invalid(`binaryData[${key}]`, key, problem));
    }
    const size = [objectAt(object, 'data'), binary]
      .flatMap((each) => Object.values(each))
      .reduce<number>((sum, value) => sum + Buffer.byteLength(String(value)), 0);
    if (size > maxBytes) problems.push(tooLong('[]', maxBytes));
    return problems;
  },
  validateUpdate(object, old, context) {
    return [
      ...frozenProblems(object, old, ['data', 'binaryData']),
      ...(configMapStrategy.validate?.(object, context) ?? []),
    ];
  },
  columns: [
    column(
      'Data',
      (object) =>
        Object.keys(objectAt(object, 'data')).length +
        Object.keys(objectAt(object, 'binaryData')).length,
    ),
    ageColumn,
  ],
};

const neededKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
};

export const secretStrategy: Partial<Strategy> = {
  applyDefaults(object) {
    const text = objectAt(object, 'stringData');
    if (Object.keys(text).length > 0) {
      const data = { ...objectAt(object, 'data') };
      for (const [key, value] of Object.entries(text))
        data[key] = Buffer.from(String(value)).toString('base64');
      object.data = data;
    }
    delete object.stringData;
    if (textAt(object, 'type') === '') object.type = 'Opaque';
  },
  validate(object) {
    const problems = keyProblems(object, ['data']);
    const type = textAt(object, 'type');
    const data = objectAt(object, 'data');
    for (const key of neededKeys[type] ?? []) {
      const isThere = Object.hasOwn(data, key) && (key !== 'ssh-privatekey' || data[key] !== '');
      if (!isThere) problems.push(required(`data[${key}]`));
      else if (key === '.dockerconfigjson' || key === '.dockercfg')
        problems.push(...jsonProblems(String(data[key]), key));
    }
    if (
      type === 'kubernetes.io/basic-auth' &&
      data.username === undefined &&
      data.password === undefined
    ) {
      problems.push(required('data[username]'), required('data[password]'));
    }
    if (type === 'kubernetes.io/service-account-token') {
      const name = object.metadata.annotations?.['kubernetes.io/service-account.name'] ?? '';
      if (name === '')
        problems.push(required('metadata.annotations[kubernetes.io/service-account.name]'));
    }
    return problems;
  },
  validateUpdate(object, old, context) {
    const problems: FieldProblem[] = [];
    if (object.type !== old.type) problems.push(invalid('type', object.type, 'field is immutable'));
    problems.push(...frozenProblems(object, old, ['data']));
    return [...problems, ...(secretStrategy.validate?.(object, context) ?? [])];
  },
  warnings: (object) => keyPairWarnings(object),
  selectableFields: { type: (object) => textAt(object, 'type') },
  columns: [
    column('Type', (object) => textAt(object, 'type')),
    column('Data', (object) => Object.keys(objectAt(object, 'data')).length),
    ageColumn,
  ],
};

/** A pair that no TLS server could load is stored all the same, and told of. */
function keyPairWarnings(object: DynamicObject): string[] {
  if (object.type !== 'kubernetes.io/tls') return [];
  const data = objectAt(object, 'data');
  const text = (key: string) => Buffer.from(textAt(data, key), 'base64').toString('latin1');
  const problem = keyPairProblem(text('tls.crt'), text('tls.key'));
  return problem === undefined ? [] : [problem];
}

function jsonProblems(encoded: string, key: string): FieldProblem[] {
  const say = (why: string) => [invalid(`data[${key}]`, '<secret contents redacted>', why)];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) || value === null) return [];
    const kind = Array.isArray(value)
      ? 'array'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
    return say(`json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`);
  } catch {
    return say(describeSyntax(text));
  }
}
