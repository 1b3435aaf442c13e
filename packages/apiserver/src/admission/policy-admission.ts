import type { DynamicObject } from '@waygate/schema';
import { type Fields, listAt, objectAt, textAt } from '../builtins/fields.ts';
import { evaluateCel } from '../cel/environment.ts';
import { matcherOfObject } from '../selectors/label-selector.ts';
import type { Core } from '../server/core.ts';
import { ApiError, forbiddenError } from '../status/api-error.ts';
import type { Admission, AdmissionAttributes } from './admission.ts';
import { celContext, conditionsHold, matchesRequest, matchesRule } from './webhook-match.ts';

const group = 'admissionregistration.k8s.io';

/** What refuses a request, by the reason that a validation gives. */
const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  Invalid: 422,
  RequestEntityTooLarge: 413,
};

/** Evaluates ValidatingAdmissionPolicies for the bindings that take in a request. */
export class PolicyAdmission implements Admission {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  async mutate(): Promise<void> {}

  async validate(attributes: AdmissionAttributes): Promise<void> {
    // Policies do not judge their own kinds, so that a wrong one can always be taken away.
    if (attributes.resource.group === group) return;
    const bindings = this.#core.store.collection(`${group}/validatingadmissionpolicybindings`);
    for (const entry of bindings.entries()) this.#judge(entry.object, attributes);
  }

  #judge(binding: Readonly<DynamicObject>, attributes: AdmissionAttributes): void {
    const bindingSpec = objectAt(binding, 'spec');
    const policy = this.#core.store.get(
      `${group}/validatingadmissionpolicies`,
      textAt(bindingSpec, 'policyName'),
    )?.object;
    if (policy === undefined) return;
    const spec = objectAt(policy, 'spec');
    if (!this.#isTaken(objectAt(spec, 'matchConstraints'), attributes)) return;
    const narrowed = objectAt(bindingSpec, 'matchResources');
    if (Object.keys(narrowed).length > 0 && !this.#isTaken(narrowed, attributes)) return;
    for (const params of this.#paramsOf(spec, bindingSpec, attributes)) {
      const problem = this.#firstProblem(spec, params, attributes);
      if (problem !== undefined) react(policy, binding, problem, attributes);
    }
  }

  #isTaken(match: Fields, attributes: AdmissionAttributes): boolean {
    if (listAt(match, 'excludeResourceRules').some((rule) => matchesRule(rule, attributes)))
      return false;
    const rules = listAt(match, 'resourceRules');
    const everything = [
      { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*', '*/*'] },
    ];
    return matchesRequest(this.#core, match, rules.length === 0 ? everything : rules, attributes);
  }

  /** The objects that the binding names as parameters; null when the policy takes none. */
  #paramsOf(
    spec: Fields,
    binding: Fields,
    attributes: AdmissionAttributes,
  ): (Readonly<DynamicObject> | null)[] {
    const kind = objectAt(spec, 'paramKind');
    const reference = objectAt(binding, 'paramRef');
    if (textAt(kind, 'kind') === '') return [null];
    const [version = '', paramGroup = ''] = textAt(kind, 'apiVersion').split('/').reverse();
    const resource = this.#core.registry.findKind(paramGroup, version, textAt(kind, 'kind'));
    const namespace = textAt(reference, 'namespace') || attributes.namespace;
    const matcher =
      reference.selector === undefined
        ? undefined
        : matcherOfObject(objectAt(reference, 'selector'));
    const found =
      resource === undefined
        ? []
        : this.#core.store
            .collection(resource.collection)
            .entries(resource.isNamespaced ? namespace : '')
            .map((entry) => entry.object)
            .filter((object) =>
              matcher === undefined
                ? object.metadata.name === textAt(reference, 'name')
                : matcher.matches(object.metadata.labels),
            );
    if (found.length > 0) return found;
    if (reference.parameterNotFoundAction !== 'Deny') return [];
    throw new ApiError(
      403,
      'Forbidden',
      'no params found for policy binding with `Deny` parameterNotFoundAction',
    );
  }

  #firstProblem(
    spec: Fields,
    params: Readonly<DynamicObject> | null,
    attributes: AdmissionAttributes,
  ): { message: string; reason: string } | undefined {
    const context: Record<string, unknown> = { ...celContext(this.#core, attributes), params };
    const isStrict = textAt(spec, 'failurePolicy') !== 'Ignore';
    try {
      if (!conditionsHold(spec, context)) return undefined;
      const variables: Record<string, unknown> = {};
      for (const variable of listAt(spec, 'variables')) {
        variables[textAt(variable, 'name')] = evaluateCel(textAt(variable, 'expression'), {
          ...context,
          variables,
        });
      }
      for (const validation of listAt(spec, 'validations')) {
        const expression = textAt(validation, 'expression');
        if (evaluateCel(expression, { ...context, variables }) === true) continue;
        return {
          message: messageOf(validation, { ...context, variables }),
          reason: textAt(validation, 'reason') || 'Invalid',
        };
      }
      return undefined;
    } catch (error) {
      if (!isStrict) return undefined;
      const why = (error as Error).message.split('\n')[0] ?? '';
      return { message: `expression resulted in error: ${why}`, reason: 'Invalid' };
    }
  }
}

function messageOf(validation: Fields, context: Record<string, unknown>): string {
  const expression = textAt(validation, 'messageExpression');
  if (expression !== '') {
    try {
      const text = evaluateCel(expression, context);
      if (typeof text === 'string' && text.trim() !== '') return text;
    } catch {
      // A message that cannot be made falls back to the fixed one.
    }
  }
  const fixed = textAt(validation, 'message').trim();
  return fixed !== '' ? fixed : `failed expression: ${textAt(validation, 'expression').trim()}`;
}

/** Warns or refuses, as the binding says. */
function react(
  policy: Readonly<DynamicObject>,
  binding: Readonly<DynamicObject>,
  problem: { message: string; reason: string },
  attributes: AdmissionAttributes,
): void {
  const actions = (objectAt(binding, 'spec').validationActions ?? ['Deny']) as string[];
  const who = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`;
  if (actions.includes('Warn')) attributes.warn(`Validation failed for ${who}: ${problem.message}`);
  if (!actions.includes('Deny')) return;
  const { resource } = attributes;
  const error = forbiddenError(
    { group: resource.group, resource: resource.plural },
    attributes.object?.metadata.name ?? attributes.name,
    `${who} denied request: ${problem.message}`,
  );
  throw new ApiError(codes[problem.reason] ?? 422, problem.reason, error.message, {
    ...error.status.details,
    causes: [{ message: `${who} denied request: ${problem.message}` }],
  } as never);
}
