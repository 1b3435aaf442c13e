import type { DynamicObject } from '@waygate/schema';
import { type Fields, listAt, objectAt, textAt } from '../builtins/fields.ts';
import { type FieldProblem, invalid, required } from '../status/field-problem.ts';

/** What is wrong with a question of who may do what. */
export function accessQuestionProblems(object: DynamicObject, namespace: string): FieldProblem[] {
  const spec = objectAt(object, 'spec');
  const isLocal = object.kind === 'LocalSubjectAccessReview';
  const { nonResourceAttributes: path } = spec;
  const hasBoth = spec.resourceAttributes !== undefined && path !== undefined;
  const problems = [...aboutProblems(spec, hasBoth), ...selectorsProblems(spec)];
  const hasSubject = textAt(spec, 'user') !== '' || ((spec.groups ?? []) as []).length > 0;
  if (object.kind !== 'SelfSubjectAccessReview' && !hasSubject)
    problems.push(invalid('spec.user', '', 'at least one of user or group must be specified'));
  const { managedFields: _managedFields, ...given } = object.metadata;
  if (isLocal) delete given.namespace;
  if (Object.keys(given).length > 0) {
    const why = isLocal ? 'must be empty except for namespace' : 'must be empty';
    problems.push(invalid('metadata', object.metadata, why));
  }
  if (!isLocal) return problems;
  const asked = textAt(objectAt(spec, 'resourceAttributes'), 'namespace');
  const at = 'spec.resourceAttributes.namespace';
  if (spec.resourceAttributes !== undefined && asked !== namespace)
    problems.push(invalid(at, asked, 'must match metadata.namespace'));
  if (path !== undefined) {
    const why = 'disallowed on this kind of request';
    problems.push(invalid('spec.nonResourceAttributes', shown(path as Fields), why));
  }
  return problems;
}

function aboutProblems(spec: Fields, hasBoth: boolean): FieldProblem[] {
  if (hasBoth) {
    const path = shown(objectAt(spec, 'nonResourceAttributes'));
    const why = 'cannot be specified in combination with resourceAttributes';
    return [invalid('spec.nonResourceAttributes', path, why)];
  }
  if (spec.resourceAttributes !== undefined || spec.nonResourceAttributes !== undefined) return [];
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalid('spec.resourceAttributes', null, why)];
}

/** A path as the server has it inside. */
function shown(path: Fields): Fields {
  return { Path: textAt(path, 'path'), Verb: textAt(path, 'verb') };
}

const selectorFields = ['fieldSelector', 'labelSelector'] as const;

function selectorsProblems(spec: Fields): FieldProblem[] {
  const asked = objectAt(spec, 'resourceAttributes');
  return selectorFields.flatMap((name) => {
    if (asked[name] === undefined) return [];
    const at = `spec.resourceAttributes.${name}`;
    const selector = objectAt(asked, name);
    const raw = textAt(selector, 'rawSelector');
    const count = listAt(selector, 'requirements').length;
    if (raw !== '' && count > 0)
      return [
        invalid(`${at}.rawSelector`, raw, 'may not specified at the same time as requirements'),
      ];
    if (raw !== '' || count > 0) return [];
    const why = `when ${at} is specified, requirements or rawSelector is required`;
    return [required(`${at}.requirements`, why)];
  });
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

/** What of the selectors of a question is passed over, as nobody understands it. */
export function passedOver(spec: Fields): string {
  const asked = objectAt(spec, 'resourceAttributes');
  return selectorFields
    .flatMap((name) => {
      const list = listAt(objectAt(asked, name), 'requirements');
      const known = list.filter((each) => operators.includes(textAt(each, 'operator')));
      if (known.length === list.length) return [];
      const extent = known.length > 0 ? 'partially ignored' : 'ignored';
      return [`spec.resourceAttributes.${name} ${extent} due to parse error`];
    })
    .join('; ');
}
