import { type FieldProblem, invalid, notSupported, required } from '../status/field-problem.ts';
import type { Fields } from './fields.ts';
import { oneOf } from './rule.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

/** What a webhook or a policy says that it takes in. */
export function admissionRuleProblems(rule: Fields, field: string): FieldProblem[] {
  const textsAt = (name: string) => (rule[name] ?? []) as string[];
  const wildcard = (name: string, why: string) =>
    textsAt(name).length > 1 && textsAt(name).includes('*')
      ? [
          invalid(
            `${field}.${name}`,
            textsAt(name),
            `if '*' is present, must not specify other ${why}`,
          ),
        ]
      : [];
  const missing = (name: string) =>
    textsAt(name).length === 0 ? [required(`${field}.${name}`)] : [];
  const empty = (name: string) =>
    textsAt(name).flatMap((text, index) =>
      text === '' ? [required(`${field}.${name}[${index}]`)] : [],
    );
  return [
    ...missing('operations'),
    ...wildcard('operations', 'operations'),
    ...textsAt('operations').flatMap((operation, index) =>
      operations.includes(operation)
        ? []
        : [notSupported(`${field}.operations[${index}]`, operation, operations)],
    ),
    ...missing('apiGroups'),
    ...wildcard('apiGroups', 'API groups'),
    ...missing('apiVersions'),
    ...wildcard('apiVersions', 'API versions'),
    ...empty('apiVersions'),
    ...resourceProblems(textsAt('resources'), `${field}.resources`),
    ...(rule.scope === undefined ? [] : oneOf(`${field}.scope`, rule.scope, scopes)),
  ];
}

/** A wildcard makes what it takes in needless to name. */
function resourceProblems(resources: readonly string[], field: string): FieldProblem[] {
  if (resources.length === 0) return [required(field)];
  const problems: FieldProblem[] = [];
  /** Resources of which all subresources are named, and subresources that are named of all. */
  const ofResource = new Set<string>();
  const ofAll = new Set<string>();
  let hasPlain = false;
  for (const [index, text] of resources.entries()) {
    const at = `${field}[${index}]`;
    if (text === '') problems.push(required(at));
    if (text === '*/*') {
      ofResource.add('*');
      ofAll.add('*');
    }
    if (text === '*/*' || text === '*' || text === '') continue;
    const [resource = '', subresource] = text.split('/');
    if (subresource === undefined) {
      hasPlain = true;
      continue;
    }
    if (ofResource.has(resource)) {
      problems.push(invalid(at, text, `if '${resource}/*' is present, must not specify ${text}`));
    }
    if (ofAll.has(subresource)) {
      problems.push(
        invalid(at, text, `if '*/${subresource}' is present, must not specify ${text}`),
      );
    }
    if (subresource === '*') ofResource.add(resource);
    if (resource === '*') ofAll.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    const why = "if '*/*' is present, must not specify other resources";
    problems.push(invalid(field, resources, why));
  }
  if (resources.includes('*') && hasPlain) {
    const why = "if '*' is present, must not specify other resources without subresources";
    problems.push(invalid(field, resources, why));
  }
  return problems;
}
