import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '@waygate/text';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, textAt, textsAt } from './fields.ts';
import { textProblems } from './rule.ts';
import { requirementProblems, selectorProblems } from './selector-rules.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function tolerationProblems(tolerations: readonly Fields[], field: string): FieldProblem[] {
  return tolerations.flatMap((toleration, index) => {
    const at = `${field}[${index}]`;
    const key = textAt(toleration, 'key');
    const operator = textAt(toleration, 'operator');
    const value = textAt(toleration, 'value');
    const effect = textAt(toleration, 'effect');
    const problems: FieldProblem[] = [];
    if (key !== '') problems.push(...textProblems(`${at}.key`, key, qualifiedNameProblems));
    else if (operator !== 'Exists') {
      const why =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      problems.push(invalid(`${at}.operator`, operator, why));
    }
    if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
      const why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      problems.push(invalid(`${at}.effect`, effect, why));
    }
    if (operator === 'Equal' || operator === '') {
      const wrong = labelValueProblems(value);
      if (wrong.length > 0) problems.push(invalid(`${at}.operator`, value, wrong.join(';')));
    } else if (operator === 'Exists') {
      const why = "value must be empty when `operator` is 'Exists'";
      if (value !== '') problems.push(invalid(`${at}.operator`, value, why));
    } else if (operator === 'Lt' || operator === 'Gt') {
      const known = ['Equal', 'Exists', 'Lt', 'Gt'];
      problems.push(notSupported(`${at}.operator`, operator, known));
    } else problems.push(notSupported(`${at}.operator`, operator, ['Equal', 'Exists']));
    if (effect !== '' && !effects.includes(effect))
      problems.push(notSupported(`${at}.effect`, effect, effects));
    return problems;
  });
}

const mandatory = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

export function affinityProblems(affinity: Fields, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (affinity.nodeAffinity !== undefined)
    problems.push(
      ...nodeAffinityProblems(objectAt(affinity, 'nodeAffinity'), `${field}.nodeAffinity`),
    );
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    if (affinity[kind] === undefined) continue;
    const terms = objectAt(affinity, kind);
    const at = `${field}.${kind}`;
    for (const [index, term] of listAt(terms, mandatory).entries())
      problems.push(...podTermProblems(term, `${at}.${mandatory}[${index}]`));
    for (const [index, term] of listAt(terms, preferred).entries()) {
      const place = `${at}.${preferred}[${index}]`;
      problems.push(...weightProblems(term, place));
      problems.push(
        ...podTermProblems(objectAt(term, 'podAffinityTerm'), `${place}.podAffinityTerm`),
      );
    }
  }
  return problems;
}

function weightProblems(term: Fields, field: string): FieldProblem[] {
  const weight = numberAt(term, 'weight') ?? 0;
  return weight > 0 && weight <= 100
    ? []
    : [invalid(`${field}.weight`, weight, 'must be in the range 1-100')];
}

function nodeAffinityProblems(affinity: Fields, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (affinity[mandatory] !== undefined)
    problems.push(...nodeSelectorProblems(objectAt(affinity, mandatory), `${field}.${mandatory}`));
  for (const [index, term] of listAt(affinity, preferred).entries()) {
    const at = `${field}.${preferred}[${index}]`;
    problems.push(...weightProblems(term, at));
    problems.push(...nodeTermProblems(objectAt(term, 'preference'), `${at}.preference`, false));
  }
  return problems;
}

/** Terms of which one must hold for a node. */
export function nodeSelectorProblems(selector: Fields, field: string): FieldProblem[] {
  const at = `${field}.nodeSelectorTerms`;
  const terms = listAt(selector, 'nodeSelectorTerms');
  return terms.length === 0
    ? [required(at, 'must have at least one node selector term')]
    : terms.flatMap((term, index) => nodeTermProblems(term, `${at}[${index}]`, true));
}

function nodeTermProblems(term: Fields, field: string, checksValues: boolean): FieldProblem[] {
  const rules = { allowsComparison: true, checksValues };
  return [
    ...listAt(term, 'matchExpressions').flatMap((expression, index) =>
      requirementProblems(expression, `${field}.matchExpressions[${index}]`, rules),
    ),
    ...listAt(term, 'matchFields').flatMap((each, index) =>
      nodeFieldProblems(each, `${field}.matchFields[${index}]`),
    ),
  ];
}

/** A field of the node instead of a label: its name, and one value. */
function nodeFieldProblems(requirement: Fields, field: string): FieldProblem[] {
  const operator = textAt(requirement, 'operator');
  const key = textAt(requirement, 'key');
  const values = textsAt(requirement, 'values');
  const problems: FieldProblem[] = [];
  if (operator !== 'In' && operator !== 'NotIn')
    problems.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    problems.push(required(`${field}.values`, why));
  }
  if (key !== 'metadata.name')
    return [...problems, invalid(`${field}.key`, key, 'not a valid field selector key')];
  return [
    ...problems,
    ...values.flatMap((value, index) =>
      textProblems(`${field}.values[${index}]`, value, dnsSubdomainProblems),
    ),
  ];
}

function podTermProblems(term: Fields, field: string): FieldProblem[] {
  const key = textAt(term, 'topologyKey');
  return [
    ...selectorProblems(term.labelSelector, `${field}.labelSelector`),
    ...selectorProblems(term.namespaceSelector, `${field}.namespaceSelector`),
    ...textsAt(term, 'namespaces').flatMap((name) =>
      textProblems(`${field}.namespace`, name, dnsLabelProblems),
    ),
    ...(key === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...textProblems(`${field}.topologyKey`, key, qualifiedNameProblems),
    ...labelKeyProblems(term, 'matchLabelKeys', field),
    ...labelKeyProblems(term, 'mismatchLabelKeys', field),
    ...bothWaysProblems(term, field),
  ];
}

/** Labels whose values are taken from the pod itself, beside those of the selector. */
function labelKeyProblems(term: Fields, name: string, field: string): FieldProblem[] {
  const keys = textsAt(term, name);
  if (keys.length === 0) return [];
  if (term.labelSelector === undefined)
    return [forbidden(`${field}.${name}`, 'must not be specified when labelSelector is not set')];
  return keys.flatMap((key, index) =>
    textProblems(`${field}.${name}[${index}]`, key, qualifiedNameProblems),
  );
}

function bothWaysProblems(term: Fields, field: string): FieldProblem[] {
  const other = new Set(textsAt(term, 'mismatchLabelKeys'));
  return textsAt(term, 'matchLabelKeys').flatMap((key, index) => {
    const at = `${field}.matchLabelKeys[${index}]`;
    return other.has(key)
      ? [invalid(at, key, 'exists in both matchLabelKeys and mismatchLabelKeys')]
      : [];
  });
}

const actions = ['DoNotSchedule', 'ScheduleAnyway'];
const policies = ['Honor', 'Ignore'];

export function spreadProblems(constraints: readonly Fields[], field: string): FieldProblem[] {
  return constraints.flatMap((constraint, index) => {
    const at = `${field}[${index}]`;
    const skew = numberAt(constraint, 'maxSkew') ?? 0;
    const key = textAt(constraint, 'topologyKey');
    const action = textAt(constraint, 'whenUnsatisfiable');
    const problems: FieldProblem[] = [];
    if (skew <= 0) problems.push(invalid(`${at}.maxSkew`, skew, 'must be greater than zero'));
    if (key === '') problems.push(required(`${at}.topologyKey`, 'can not be empty'));
    if (!actions.includes(action))
      problems.push(notSupported(`${at}.whenUnsatisfiable`, action, actions));
    const isRepeated = constraints
      .slice(index + 1)
      .some((each) => each.topologyKey === key && each.whenUnsatisfiable === action);
    if (isRepeated) {
      problems.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`));
    }
    const domains = numberAt(constraint, 'minDomains');
    if (domains !== undefined) {
      if (domains <= 0)
        problems.push(invalid(`${at}.minDomains`, domains, 'must be greater than zero'));
      if (action !== 'DoNotSchedule') {
        const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
        problems.push(invalid(`${at}.minDomains`, domains, why));
      }
    }
    return [
      ...problems,
      ...['nodeAffinityPolicy', 'nodeTaintsPolicy'].flatMap((name) => {
        const policy = constraint[name];
        return policy === undefined || policies.includes(String(policy))
          ? []
          : [notSupported(`${at}.${name}`, policy, policies)];
      }),
      ...labelKeyProblems(constraint, 'matchLabelKeys', at),
      ...selectorProblems(constraint.labelSelector, `${at}.labelSelector`),
    ];
  });
}
