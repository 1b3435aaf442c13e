import type { DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import { formatTime } from '../decode/time-text.ts';

import { FieldSet } from '../managed/field-set.ts';
import type { Strategy, StrategyContext } from '../resources/resource.ts';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { checkCertificates, checkSigningRequest, PemProblem } from '../tls/signing-request.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { signerNameProblems } from './signer-name.ts';

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

const decisions = ['Approved', 'Denied'];
const finalConditions = [...decisions, 'Failed'];

/** What may be asked of a signer, who may be said to ask, and who may answer where. */
export const signingRequestRules: Partial<Strategy> = {
  nameProblems: () => [],
  resetFields: {
    '': FieldSet.of([['f:spec'], ['f:status']]),
    status: FieldSet.of([['f:spec'], ['f:status', 'f:conditions']]),
    approval: FieldSet.of([['f:spec'], ['f:status', 'f:certificate']]),
  },
  selectableFields: {
    'spec.signerName': (object) => textAt(objectAt(object, 'spec'), 'signerName'),
  },
  prepareForCreate(object, { user }) {
    const { username: _n, uid: _u, groups: _g, extra: _e, ...asked } = objectAt(object, 'spec');
    object.spec = {
      ...asked,
      username: user.username,
      ...(user.uid === '' ? {} : { uid: user.uid }),
      groups: [...user.groups],
      ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
    };
    object.status = {};
  },
  prepareForUpdate(object, old) {
    object.spec = old.spec;
    object.status = old.status;
  },
  validate: (object) => [...specProblems(object), ...statusProblems(object)],
  validateUpdate: (object, old) => changeProblems(object, old, []),
  prepareStatusUpdate(object, old, context) {
    keepDecisions(object, old);
    stampConditions(object, old, context);
  },
  validateStatusUpdate: (object, old) => changeProblems(object, old, ['certificate']),
  subresources: {
    approval: {
      prepare(object, old, context) {
        stampConditions(object, old, context);
        const conditions = conditionsOf(object);
        object.spec = old.spec;
        object.status = { ...objectAt(old, 'status'), conditions };
      },
      validate: (object, old) => changeProblems(object, old, ['decisions']),
    },
  },
};

function specProblems(object: DynamicObject): FieldProblem[] {
  const spec = objectAt(object, 'spec');
  const problems: FieldProblem[] = [];
  const request = textAt(spec, 'request');
  problems.push(...pemProblems('spec.request', request, request, checkSigningRequest));
  const wanted = (spec.usages ?? []) as string[];
  if (wanted.length === 0) problems.push(required('spec.usages'));
  for (const [index, usage] of wanted.entries()) {
    const field = `spec.usages[${index}]`;
    if (!usages.includes(usage)) problems.push(notSupported(field, usage, usages));
  }
  for (const [index, usage] of wanted.entries()) {
    if (wanted.indexOf(usage) < index) problems.push(duplicate(`spec.usages[${index}]`, usage));
  }
  const signer = textAt(spec, 'signerName');
  if (signer === 'kubernetes.io/legacy-unknown') {
    const why = 'the legacy signerName is not allowed via this API version';
    problems.push(invalid('spec.signerName', signer, why));
  } else problems.push(...signerNameProblems('spec.signerName', signer));
  const seconds = numberAt(spec, 'expirationSeconds');
  if (seconds !== undefined && seconds < 600) {
    const why = 'may not specify a duration less than 600 seconds (10 minutes)';
    problems.push(invalid('spec.expirationSeconds', seconds, why));
  }
  return problems;
}

function statusProblems(object: DynamicObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const seen: string[] = [];
  for (const [index, condition] of conditionsOf(object).entries()) {
    const field = `status.conditions[${index}]`;
    const type = textAt(condition, 'type');
    if (type === '') problems.push(required(`${field}.type`));
    const allowed = finalConditions.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    const status = textAt(condition, 'status');
    if (status === '') problems.push(required(`${field}.status`));
    else if (!allowed.includes(status))
      problems.push(notSupported(`${field}.status`, status, allowed));
    const other = decisions.find((each) => each !== type);
    if (decisions.includes(type) && other !== undefined && seen.includes(other)) {
      const why = 'Approved and Denied conditions are mutually exclusive';
      problems.push(invalid('status.conditions', type, why));
    }
    if (seen.includes(type)) problems.push(duplicate(`${field}.type`, type));
    seen.push(type);
  }
  const certificate = textAt(objectAt(object, 'status'), 'certificate');
  if (certificate !== '') {
    const shown = '<certificate data>';
    problems.push(...pemProblems('status.certificate', certificate, shown, checkCertificates));
  }
  return problems;
}

function pemProblems(
  field: string,
  base64: string,
  shown: string,
  check: (pem: string) => void,
): FieldProblem[] {
  try {
    check(Buffer.from(base64, 'base64').toString('latin1'));
    return [];
  } catch (error) {
    if (!(error instanceof PemProblem)) throw error;
    return [invalid(field, shown, error.message)];
  }
}

/** Each endpoint writes its own part, and nothing takes back what was decided. */
function changeProblems(
  object: DynamicObject,
  old: Readonly<DynamicObject>,
  allowed: readonly ('decisions' | 'certificate')[],
): FieldProblem[] {
  const problems = [...specProblems(object), ...statusProblems(object)];
  const field = 'status.conditions';
  for (const type of finalConditions) {
    if (ofType(object, type).length < ofType(old, type).length)
      problems.push(forbidden(field, `updates may not remove a condition of type "${type}"`));
  }
  for (const type of allowed.includes('decisions') ? [] : decisions) {
    const before = ofType(old, type);
    const after = ofType(object, type);
    if (after.length > before.length)
      problems.push(forbidden(field, `updates may not add a condition of type "${type}"`));
    else if (after.length === before.length && !equalJson(after, before))
      problems.push(forbidden(field, `updates may not modify a condition of type "${type}"`));
  }
  const before = textAt(objectAt(old, 'status'), 'certificate');
  const after = textAt(objectAt(object, 'status'), 'certificate');
  if (before !== after) {
    if (!allowed.includes('certificate'))
      problems.push(forbidden('status.certificate', 'updates may not set certificate content'));
    else if (before !== '') {
      const why = 'updates may not modify existing certificate content';
      problems.push(forbidden('status.certificate', why));
    }
  }
  return problems;
}

function conditionsOf(object: Readonly<DynamicObject>): Fields[] {
  return listAt(objectAt(object, 'status'), 'conditions');
}

function ofType(object: Readonly<DynamicObject>, type: string): Fields[] {
  return conditionsOf(object).filter((each) => each.type === type);
}

/** A signer that writes its status back leaves what others decided as it was. */
function keepDecisions(object: DynamicObject, old: Readonly<DynamicObject>): void {
  for (const type of decisions) {
    const before = ofType(old, type);
    const after = ofType(object, type);
    if (before.length !== after.length) continue;
    let index = 0;
    const status = objectAt(object, 'status');
    status.conditions = conditionsOf(object).map((each) =>
      each.type === type ? before[index++] : each,
    );
    if (conditionsOf(object).length === 0) delete status.conditions;
    object.status = status;
  }
}

function stampConditions(
  object: DynamicObject,
  old: Readonly<DynamicObject>,
  { now }: StrategyContext,
): void {
  for (const condition of conditionsOf(object)) {
    condition.lastUpdateTime ??= formatTime(now);
    const same = ofType(old, textAt(condition, 'type')).find(
      (each) => each.status === condition.status,
    );
    condition.lastTransitionTime ??= same?.lastTransitionTime ?? formatTime(now);
  }
}
