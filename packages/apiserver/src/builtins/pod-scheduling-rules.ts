import { dnsLabelProblems, labelValueProblems, qualifiedNameProblems } from '@waygate/text';
import {
  duplicate,
  type FieldProblem,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
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
  if (affinity[mandatory] !== undefined) {
    const at = `${field}.${mandatory}.nodeSelectorTerms`;
    const terms = listAt(objectAt(affinity, mandatory), 'nodeSelectorTerms');
    if (terms.length === 0)
      problems.push(required(at, 'must have at least one node selector term'));
    for (const [index, term] of terms.entries())
      problems.push(...nodeTermProblems(term, `${at}[${index}]`, true));
  }
  for (const [index, term] of listAt(affinity, preferred).entries()) {
    const at = `${field}.${preferred}[${index}]`;
    problems.push(...weightProblems(term, at));
    problems.push(...nodeTermProblems(objectAt(term, 'preference'), `${at}.preference`, false));
  }
  return problems;
}

function nodeTermProblems(term: Fields, field: string, checksValues: boolean): FieldProblem[] {
  const rules = { allowsComparison: true, checksValues };
  return listAt(term, 'matchExpressions').flatMap((expression, index) =>
    requirementProblems(expression, `${field}.matchExpressions[${index}]`, rules),
  );
}

function podTermProblems(term: Fields, field: string): FieldProblem[] {
  const key = textAt(term, 'topologyKey');
  return [
    ...selectorProblems(term.labelSelector, `${field}.labelSelector`),
    ...selectorProblems(term.namespaceSelector, `${field}.namespaceSelector`),
    ...((term.namespaces ?? []) as string[]).flatMap((name) =>
      textProblems(`${field}.namespace`, name, dnsLabelProblems),
    ),
    ...(key === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...textProblems(`${field}.topologyKey`, key, qualifiedNameProblems),
  ];
}

const actions = ['DoNotSchedule', 'ScheduleAnyway'];

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
    return [...problems, ...selectorProblems(constraint.labelSelector, `${at}.labelSelector`)];
  });
}
