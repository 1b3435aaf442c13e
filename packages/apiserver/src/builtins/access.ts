import type { DynamicObject } from '@waygate/schema';
import { dnsSubdomainProblems, equalJson, pathSegmentProblems } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy, TableColumn } from '../resources/resource.ts';
import { type FieldProblem, invalid, notSupported, required } from '../status/field-problem.ts';
import { type Fields, listAt, objectAt, setDefaults, textAt } from './fields.ts';
import { textProblems } from './rule.ts';
import { selectorProblems } from './selector-rules.ts';

const group = 'rbac.authorization.k8s.io';

function ruleProblems(rules: readonly Fields[], isNamespaced: boolean): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [index, rule] of rules.entries()) {
    const field = `rules[${index}]`;
    const list = (name: string) => (rule[name] ?? []) as string[];
    if (list('verbs').length === 0)
      problems.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
    if (list('nonResourceURLs').length > 0) {
      if (isNamespaced) {
        problems.push(
          invalid(
            `${field}.nonResourceURLs`,
            list('nonResourceURLs'),
            'namespaced rules cannot apply to non-resource URLs',
          ),
        );
      }
      if (list('apiGroups').length + list('resources').length + list('resourceNames').length > 0) {
        problems.push(
          invalid(
            `${field}.nonResourceURLs`,
            list('nonResourceURLs'),
            'rules cannot apply to both regular resources and non-resource URLs',
          ),
        );
      }
      continue;
    }
    if (list('apiGroups').length === 0)
      problems.push(
        required(`${field}.apiGroups`, 'resource rules must supply at least one api group'),
      );
    if (list('resources').length === 0)
      problems.push(
        required(`${field}.resources`, 'resource rules must supply at least one resource'),
      );
  }
  return problems;
}

/** The server's own writers leave out what they do not set. */
function fillRules(object: DynamicObject): void {
  object.rules ??= null;
}

function aggregationProblems(object: DynamicObject): FieldProblem[] {
  if (object.aggregationRule === undefined) return [];
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = listAt(objectAt(object, 'aggregationRule'), 'clusterRoleSelectors');
  const why = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
  if (selectors.length === 0) return [required(field, why)];
  return selectors.flatMap((selector, index) => {
    const at = `${field}[${index}]`;
    const problems = selectorProblems(selector, at);
    return problems.length === 0 ? [] : [...problems, invalid(at, null, 'invalid label selector.')];
  });
}

function roleStrategy(isNamespaced: boolean): Partial<Strategy> {
  return {
    allowsCreateOnUpdate: true,
    nameProblems: pathSegmentProblems,
    prepareForCreate: fillRules,
    prepareForUpdate: fillRules,
    validate: (object) => [
      ...ruleProblems(listAt(object, 'rules'), isNamespaced),
      ...aggregationProblems(object),
    ],
  };
}

export const namespacedRoleStrategy = roleStrategy(true);
export const clusterRoleStrategy = roleStrategy(false);

function bindingProblems(object: DynamicObject, isNamespaced: boolean): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const ref = objectAt(object, 'roleRef');
  if (textAt(ref, 'apiGroup') !== group)
    problems.push(notSupported('roleRef.apiGroup', ref.apiGroup, [group]));
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (!kinds.includes(textAt(ref, 'kind')))
    problems.push(notSupported('roleRef.kind', ref.kind ?? '', kinds));
  if (textAt(ref, 'name') === '') problems.push(required('roleRef.name'));
  else problems.push(...textProblems('roleRef.name', textAt(ref, 'name'), pathSegmentProblems));
  for (const [index, subject] of listAt(object, 'subjects').entries()) {
    const field = `subjects[${index}]`;
    if (textAt(subject, 'name') === '') problems.push(required(`${field}.name`));
    const kind = textAt(subject, 'kind');
    if (kind === 'ServiceAccount') {
      const name = textAt(subject, 'name');
      if (name !== '') problems.push(...textProblems(`${field}.name`, name, dnsSubdomainProblems));
      if (textAt(subject, 'apiGroup') !== '')
        problems.push(notSupported(`${field}.apiGroup`, subject.apiGroup, ['']));
      if (!isNamespaced && textAt(subject, 'namespace') === '')
        problems.push(required(`${field}.namespace`));
    } else if (kind === 'User' || kind === 'Group') {
      if (textAt(subject, 'apiGroup') !== group)
        problems.push(notSupported(`${field}.apiGroup`, subject.apiGroup ?? '', [group]));
    } else problems.push(notSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
  }
  return problems;
}

function bindingStrategy(isNamespaced: boolean): Partial<Strategy> {
  return {
    allowsCreateOnUpdate: true,
    nameProblems: pathSegmentProblems,
    applyDefaults(object) {
      const ref = objectAt(object, 'roleRef');
      if (Object.keys(ref).length > 0) setDefaults(ref, { apiGroup: group });
      for (const subject of listAt(object, 'subjects')) {
        if (subject.kind === 'User' || subject.kind === 'Group')
          setDefaults(subject, { apiGroup: group });
        if (
          subject.kind === 'ServiceAccount' &&
          isNamespaced &&
          object.metadata.namespace !== undefined
        ) {
          setDefaults(subject, { namespace: object.metadata.namespace });
        }
      }
    },
    validate: (object) => bindingProblems(object, isNamespaced),
    validateUpdate(object, old) {
      const problems = bindingProblems(object, isNamespaced);
      if (!equalJson(object.roleRef, old.roleRef)) {
        const ref = objectAt(object, 'roleRef');
        const shown = { APIGroup: ref.apiGroup, Kind: ref.kind, Name: ref.name };
        problems.push(invalid('roleRef', shown, 'cannot change roleRef'));
      }
      return problems;
    },
    columns: [
      column('Role', (object) => {
        const ref = objectAt(object, 'roleRef');
        return `${textAt(ref, 'kind')}/${textAt(ref, 'name')}`;
      }),
      ageColumn,
      subjectColumn('Users', (subject) => (subject.kind === 'User' ? textAt(subject, 'name') : '')),
      subjectColumn('Groups', (subject) =>
        subject.kind === 'Group' ? textAt(subject, 'name') : '',
      ),
      subjectColumn('ServiceAccounts', (subject) =>
        subject.kind === 'ServiceAccount'
          ? `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}`
          : '',
      ),
    ],
  };
}

function subjectColumn(name: string, pick: (subject: Fields) => string): TableColumn {
  return {
    name,
    type: 'string',
    priority: 1,
    cell: (object) =>
      listAt(object, 'subjects')
        .map(pick)
        .filter((text) => text !== '')
        .join(', '),
  };
}

export const roleBindingStrategy = bindingStrategy(true);
export const clusterRoleBindingStrategy = bindingStrategy(false);
