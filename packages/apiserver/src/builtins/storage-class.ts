import type { DynamicObject } from '@waygate/schema';
import { qualifiedNameProblems } from '@waygate/text';
import { ageColumn, column, nameColumn } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import {
  duplicate,
  type FieldProblem,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../status/field-problem.ts';
import { type Fields, listAt, objectAt, textAt, textsAt } from './fields.ts';
import { textProblems } from './rule.ts';
import { immutable } from './workload.ts';

const bindingModes = ['Immediate', 'WaitForFirstConsumer'];

export const storageClassStrategy: Partial<Strategy> = {
  validate: storageClassProblems,
  validateUpdate: (object, old) => [
    ...storageClassProblems(object),
    ...['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'].flatMap((name) =>
      immutable(object, old, [name]),
    ),
  ],
  applyDefaults(object) {
    // An empty text is a value of its own.
    object.reclaimPolicy ??= 'Delete';
    object.volumeBindingMode ??= 'Immediate';
  },
  hidesNameColumn: true,
  columns: [
    {
      ...nameColumn,
      cell: ({ metadata: { name = '', annotations } }) =>
        annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true'
          ? `${name} (default)`
          : name,
    },
    column('Provisioner', (object) => textAt(object, 'provisioner')),
    column('ReclaimPolicy', (object) => textAt(object, 'reclaimPolicy') || 'Delete'),
    column('VolumeBindingMode', (object) => textAt(object, 'volumeBindingMode') || 'Immediate'),
    column('AllowVolumeExpansion', (object) => object.allowVolumeExpansion === true),
    ageColumn,
  ],
};

function storageClassProblems(object: Readonly<DynamicObject>): FieldProblem[] {
  const provisioner = textAt(object, 'provisioner');
  const mode = textAt(object, 'volumeBindingMode');
  const policy = textAt(object, 'reclaimPolicy');
  return [
    ...(provisioner === ''
      ? [required('provisioner')]
      : textProblems('provisioner', provisioner.toLowerCase(), qualifiedNameProblems)),
    ...(['', 'Delete', 'Retain'].includes(policy)
      ? []
      : [notSupported('reclaimPolicy', policy, ['Delete', 'Retain'])]),
    ...parameterProblems(objectAt(object, 'parameters')),
    ...(bindingModes.includes(mode) ? [] : [notSupported('volumeBindingMode', mode, bindingModes)]),
    ...topologyProblems(listAt(object, 'allowedTopologies')),
  ];
}

const maxParameters = 512;
const maxParameterBytes = 256 * 1024;

/** What a class tells the one who makes its volumes. */
function parameterProblems(parameters: Fields): FieldProblem[] {
  const entries = Object.entries(parameters);
  const bytes = entries.flat().reduce<number>((sum, text) => sum + String(text).length, 0);
  return [
    ...(entries.length > maxParameters ? [tooLong('parameters', maxParameters)] : []),
    ...(parameters[''] === undefined ? [] : [invalid('parameters', '', 'field can not be empty.')]),
    ...(bytes > maxParameterBytes ? [tooLong('parameters', maxParameterBytes)] : []),
  ];
}

/** What a term says, whatever the order in which it does. */
function shownTerm(term: Fields): string {
  const expressions = listAt(term, 'matchLabelExpressions').map((each) => [
    textAt(each, 'key'),
    [...textsAt(each, 'values')].sort(),
  ]);
  return JSON.stringify(expressions.map((each) => JSON.stringify(each)).sort());
}

/** Where volumes of a class may be: each term once, and each key once in a term. */
function topologyProblems(terms: readonly Fields[]): FieldProblem[] {
  const shown = terms.map(shownTerm);
  return terms.flatMap((term, index) => {
    const field = `allowedTopologies[${index}].matchLabelExpressions`;
    const expressions = listAt(term, 'matchLabelExpressions');
    const isRepeated = expressions.length === 0 || shown.indexOf(shownTerm(term)) < index;
    return [
      ...expressionProblems(expressions, field),
      ...(isRepeated ? [duplicate(field, '')] : []),
    ];
  });
}

function expressionProblems(expressions: readonly Fields[], field: string): FieldProblem[] {
  const keys = expressions.map((each) => textAt(each, 'key'));
  return keys.flatMap((key, index) => {
    const at = `${field}[${index}]`;
    const values = textsAt(expressions[index], 'values');
    return [
      ...(values.length === 0 ? [required(`${at}.values`)] : []),
      ...values.flatMap((value, place) =>
        values.indexOf(value) < place ? [duplicate(`${at}.values[${place}]`, value)] : [],
      ),
      ...textProblems(`${at}.key`, key, qualifiedNameProblems),
      ...(keys.indexOf(key) < index ? [duplicate(`${at}.key`, key)] : []),
    ];
  });
}
