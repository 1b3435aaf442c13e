import {
  CelFailure,
  dns1035LabelProblems,
  dnsSubdomainProblems,
  pathSegmentProblems,
  qualifiedNameProblems,
} from '@waygate/text';
import type { AdmissionScope } from '../cel/admission-declarations.ts';
import {
  compileAdmission,
  type VariableTypes,
  variableTypes,
} from '../cel/admission-expression.ts';
import type { Strategy } from '../resources/resource.ts';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../status/field-problem.ts';
import { admissionRuleProblems } from './admission-rule.ts';
import { type Fields, listAt, objectAt, setDefaults, textAt } from './fields.ts';
import {
  mutatingPolicyColumns,
  policyBindingColumns,
  validatingPolicyColumns,
} from './rare-kinds.ts';
import { listed, oneOf, textProblems } from './rule.ts';
import { selectorProblems } from './selector-rules.ts';
import { allMetadata, statusConditionProblems } from './status-rules.ts';
import { specOf } from './workload.ts';

const failurePolicies = ['Fail', 'Ignore'];
const maxConditions = 64;

/** The part that validating and mutating policies share. */
function policyStrategy(isMutating: boolean): Partial<Strategy> {
  return {
    hasGeneration: true,
    allowsUnconditionalUpdate: false,
    takesAnyFinalizer: true,
    keptByStatus: allMetadata,
    validateStatusUpdate: statusConditionProblems,
    applyDefaults(object) {
      object.spec ??= {};
      const spec = specOf(object);
      spec.failurePolicy ??= 'Fail';
      defaultMatch(spec.matchConstraints);
    },
    validate: (object) => policyProblems(specOf(object), isMutating),
    columns: isMutating ? mutatingPolicyColumns : validatingPolicyColumns,
  };
}

function bindingStrategy(isMutating: boolean): Partial<Strategy> {
  return {
    hasGeneration: true,
    allowsUnconditionalUpdate: false,
    takesAnyFinalizer: true,
    applyDefaults: (object) => defaultMatch(specOf(object).matchResources),
    validate: (object) => bindingProblems(specOf(object), isMutating),
    columns: policyBindingColumns,
  };
}

export const validatingPolicyStrategy = policyStrategy(false);
export const mutatingPolicyStrategy = policyStrategy(true);
export const validatingBindingStrategy = bindingStrategy(false);
export const mutatingBindingStrategy = bindingStrategy(true);

function defaultMatch(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const match = value as Fields;
  setDefaults(match, { namespaceSelector: {}, objectSelector: {}, matchPolicy: 'Equivalent' });
  for (const rule of [...listAt(match, 'resourceRules'), ...listAt(match, 'excludeResourceRules')])
    setDefaults(rule, { scope: '*' });
}

function policyProblems(spec: Fields, isMutating: boolean): FieldProblem[] {
  const match = spec.matchConstraints as Fields | undefined;
  const hasParams = spec.paramKind !== undefined;
  const scope = { hasParams, hasAuthorizer: true, isMutation: false };
  const variables = listAt(spec, 'variables').map((variable) => ({
    name: textAt(variable, 'name'),
    expression: textAt(variable, 'expression'),
  }));
  const whole = { ...scope, isMutation: isMutating };
  const types = variables.length === 0 ? undefined : variableTypes(variables, whole);
  return [
    ...listed('spec.failurePolicy', spec.failurePolicy, failurePolicies),
    ...(spec.paramKind === undefined ? [] : paramKindProblems(objectAt(spec, 'paramKind'))),
    ...(match === undefined
      ? [required('spec.matchConstraints')]
      : [
          ...matchProblems(match, 'spec.matchConstraints'),
          ...(listAt(match, 'resourceRules').length === 0
            ? [required('spec.matchConstraints.resourceRules')]
            : []),
        ]),
    ...conditionProblems(listAt(spec, 'matchConditions'), 'spec.matchConditions', scope),
    ...variables.flatMap((variable, index) => {
      const before = variableTypes(variables.slice(0, index), whole);
      return variableProblems(variable, `spec.variables[${index}]`, whole, before);
    }),
    ...(isMutating
      ? mutationsProblems(spec, whole, types)
      : validationsProblems(spec, scope, types)),
  ];
}

function paramKindProblems(kind: Fields): FieldProblem[] {
  const field = 'spec.paramKind';
  const apiVersion = textAt(kind, 'apiVersion');
  const parts = apiVersion.split('/');
  const [version = '', group = ''] = parts.toReversed();
  const problems: FieldProblem[] = [];
  if (apiVersion === '') problems.push(required(`${field}.apiVersion`));
  else if (parts.length > 2) {
    const why = `unexpected GroupVersion string: ${apiVersion}`;
    problems.push(invalid(`${field}.apiVersion`, apiVersion, why));
  } else {
    const wrongGroup = group === '' ? [] : dnsSubdomainProblems(group);
    if (wrongGroup.length > 0)
      problems.push(invalid(`${field}.apiVersion`, group, wrongGroup.join(',')));
    const wrongVersion = version === '' ? [] : dns1035LabelProblems(version);
    if (version === '')
      problems.push(invalid(`${field}.apiVersion`, apiVersion, 'version must be specified'));
    else if (wrongVersion.length > 0)
      problems.push(invalid(`${field}.apiVersion`, version, wrongVersion.join(',')));
  }
  const name = textAt(kind, 'kind');
  const wrong = dns1035LabelProblems(name.toLowerCase());
  if (name === '') problems.push(required(`${field}.kind`));
  else if (wrong.length > 0) {
    const why = `may have mixed case, but should otherwise match: ${wrong.join(',')}`;
    problems.push(invalid(`${field}.kind`, name, why));
  }
  return problems;
}

function matchProblems(match: Fields, field: string): FieldProblem[] {
  const rules = (name: string) =>
    listAt(match, name).flatMap((rule, index) => {
      const at = `${field}.${name}[${index}]`;
      const names = (rule.resourceNames ?? []) as string[];
      return [
        ...names.flatMap((each, place) => [
          ...textProblems(`${at}.resourceNames[${place}]`, each, pathSegmentProblems),
          ...(names.indexOf(each) < place
            ? [duplicate(`${at}.resourceNames[${place}]`, each)]
            : []),
        ]),
        ...admissionRuleProblems(rule, at),
      ];
    });
  return [
    ...oneOf(`${field}.matchPolicy`, match.matchPolicy, ['Equivalent', 'Exact']),
    ...selectorProblems(match.namespaceSelector, `${field}.namespaceSelector`),
    ...selectorProblems(match.objectSelector, `${field}.objectSelector`),
    ...rules('resourceRules'),
    ...rules('excludeResourceRules'),
  ];
}

/** What the conditions of a webhook may use. */
export const webhookScope: AdmissionScope = {
  hasParams: false,
  hasAuthorizer: true,
  isMutation: false,
};

/** Conditions of policies and webhooks. */
export function conditionProblems(
  conditions: readonly Fields[],
  field: string,
  scope = webhookScope,
): FieldProblem[] {
  const names = conditions.map((condition) => textAt(condition, 'name'));
  return [
    ...(conditions.length > maxConditions
      ? [tooMany(field, conditions.length, maxConditions)]
      : []),
    ...conditions.flatMap((condition, index) => {
      const at = `${field}[${index}]`;
      const name = names[index] as string;
      return [
        ...expressionProblems(textAt(condition, 'expression'), `${at}.expression`, {
          scope,
          wanted: ['bool'],
        }),
        ...(name === ''
          ? [required(`${at}.name`)]
          : textProblems(`${at}.name`, name, qualifiedNameProblems)),
        ...(name !== '' && names.indexOf(name) < index ? [duplicate(`${at}.name`, name)] : []),
      ];
    }),
  ];
}

interface ExpressionRules {
  readonly scope: AdmissionScope;
  /** The types that it may come to; any when unset. */
  readonly wanted?: readonly string[];
  readonly variables?: VariableTypes | undefined;
  /** What is said when there is none. */
  readonly missing?: string;
}

function expressionProblems(
  expression: string,
  field: string,
  { scope, wanted, variables, missing = '' }: ExpressionRules,
): FieldProblem[] {
  if (expression.trim() === '') return [required(field, missing)];
  const compiled = compileAdmission(expression, scope, wanted, variables);
  return compiled instanceof CelFailure ? [invalid(field, expression, compiled.message)] : [];
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const missing = 'expression is not specified';

function variableProblems(
  { name, expression }: { readonly name: string; readonly expression: string },
  field: string,
  scope: AdmissionScope,
  variables: VariableTypes | undefined,
): FieldProblem[] {
  return [
    ...(name.trim() === ''
      ? [required(`${field}.name`, 'name is not specified')]
      : identifier.test(name)
        ? []
        : [invalid(`${field}.name`, name, 'must be a valid CEL identifier')]),
    ...expressionProblems(expression, `${field}.expression`, { scope, variables, missing }),
  ];
}

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

function validationsProblems(
  spec: Fields,
  scope: AdmissionScope,
  variables: VariableTypes | undefined,
): FieldProblem[] {
  const validations = listAt(spec, 'validations');
  const annotations = listAt(spec, 'auditAnnotations');
  if (validations.length === 0 && annotations.length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item';
    return [required('spec.validations', why), required('spec.auditAnnotations', why)];
  }
  const rules = { scope, variables };
  const wrongValidations = validations.flatMap((validation, index) => {
    const at = `spec.validations[${index}]`;
    const message = textAt(validation, 'message');
    const messageExpression = textAt(validation, 'messageExpression');
    return [
      ...expressionProblems(textAt(validation, 'expression'), `${at}.expression`, {
        ...rules,
        wanted: ['bool'],
        missing,
      }),
      ...(messageExpression === ''
        ? []
        : messageExpression.trim() === ''
          ? [
              invalid(
                `${at}.messageExpression`,
                messageExpression,
                'must be non-empty if specified',
              ),
            ]
          : expressionProblems(messageExpression, `${at}.messageExpression`, {
              scope: { ...scope, hasAuthorizer: false },
              variables,
              wanted: ['string'],
            })),
      ...messageProblems(message, `${at}.message`),
      ...(validation.reason === undefined ? [] : oneOf(`${at}.reason`, validation.reason, reasons)),
    ];
  });
  const wrongAnnotations = annotations.flatMap((annotation, index) => {
    const expression = textAt(annotation, 'valueExpression');
    return expressionProblems(expression, `spec.auditAnnotations[${index}].valueExpression`, {
      scope: { ...scope, hasAuthorizer: false },
      variables,
      wanted: ['string', 'null_type'],
      missing: 'valueExpression is not specified',
    });
  });
  return [...wrongValidations, ...wrongAnnotations];
}

function messageProblems(message: string, field: string): FieldProblem[] {
  if (message === '') return [];
  if (message.trim() === '') return [invalid(field, message, 'must be non-empty if specified')];
  return message.trim().includes('\n')
    ? [invalid(field, message, 'must not contain line breaks')]
    : [];
}

const patchTypes = ['ApplyConfiguration', 'JSONPatch'];

function mutationsProblems(
  spec: Fields,
  scope: AdmissionScope,
  variables: VariableTypes | undefined,
): FieldProblem[] {
  const mutations = listAt(spec, 'mutations');
  const reinvocation = textAt(spec, 'reinvocationPolicy');
  return [
    ...(mutations.length === 0
      ? [required('spec.mutations', 'mutations must contain at least one item')]
      : mutations.flatMap((mutation, index) =>
          mutationProblems(mutation, `spec.mutations[${index}]`, { scope, variables, missing }),
        )),
    ...(reinvocation === ''
      ? [required('spec.reinvocationPolicy')]
      : oneOf('spec.reinvocationPolicy', reinvocation, ['IfNeeded', 'Never'])),
  ];
}

function mutationProblems(mutation: Fields, field: string, rules: ExpressionRules): FieldProblem[] {
  const type = textAt(mutation, 'patchType');
  if (type === '') return [required(`${field}.patchType`)];
  if (!patchTypes.includes(type)) return [notSupported(`${field}.patchType`, type, patchTypes)];
  const [wanted, other] =
    type === 'JSONPatch'
      ? (['jsonPatch', 'applyConfiguration'] as const)
      : (['applyConfiguration', 'jsonPatch'] as const);
  const part = mutation[wanted] as Fields | undefined;
  return [
    ...(part === undefined
      ? [required(`${field}.${wanted}`, `must be specified when patchType is ${type}`)]
      : expressionProblems(textAt(part, 'expression'), `${field}.${wanted}.expression`, {
          ...rules,
          wanted: type === 'JSONPatch' ? ['list(JSONPatch)'] : ['Object'],
        })),
    ...(mutation[other] === undefined
      ? []
      : [forbidden(`${field}.${other}`, `must not be specified when patchType is ${type}`)]),
  ];
}

const actions = ['Audit', 'Deny', 'Warn'];

function bindingProblems(spec: Fields, isMutating: boolean): FieldProblem[] {
  const name = textAt(spec, 'policyName');
  const match = spec.matchResources as Fields | undefined;
  return [
    ...(name === ''
      ? [required('spec.policyName')]
      : textProblems('spec.policyName', name, dnsSubdomainProblems)),
    ...(spec.paramRef === undefined
      ? []
      : paramRefProblems(objectAt(spec, 'paramRef'), 'spec.paramRef')),
    // The path is spelt this way by the API.
    ...(match === undefined ? [] : matchProblems(match, 'spec.matchResources')),
    ...(isMutating ? [] : actionsProblems((spec.validationActions ?? []) as string[])),
  ];
}

function paramRefProblems(reference: Fields, field: string): FieldProblem[] {
  const name = textAt(reference, 'name');
  const { selector, parameterNotFoundAction: action } = reference;
  const both = 'name and selector are mutually exclusive';
  return [
    ...(name === '' ? [] : textProblems(`${field}.name`, name, pathSegmentProblems)),
    ...(name !== '' && selector !== undefined ? [forbidden(`${field}.name`, both)] : []),
    ...(selector === undefined ? [] : selectorProblems(selector, `${field}.selector`)),
    ...(name !== '' && selector !== undefined ? [forbidden(`${field}.selector`, both)] : []),
    ...(name === '' && selector === undefined
      ? [required(field, 'one of name or selector must be specified')]
      : []),
    ...((action ?? '') === ''
      ? [required(`${field}.parameterNotFoundAction`)]
      : ['Deny', 'Allow'].includes(action as string)
        ? []
        : [notSupported(`${field}.parameterNotFoundAction`, action as string, ['Deny', 'Allow'])]),
  ];
}

function actionsProblems(given: readonly string[]): FieldProblem[] {
  const field = 'spec.validationActions';
  const problems = given.flatMap((action, index) => [
    ...listed(`${field}[${index}]`, action, actions),
    ...(given.indexOf(action) < index ? [duplicate(`${field}[${index}]`, action)] : []),
  ]);
  if (given.includes('Deny') && given.includes('Warn')) {
    const why =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    problems.push(invalid(field, given, why));
  }
  if (given.length === 0)
    problems.push(required(field, 'at least one validation action is required'));
  return problems;
}
