import type { DynamicObject } from '@waygate/schema';
import type { Authorizer } from '../auth/authorizer.ts';
import { type Fields, listAt, objectAt, textAt } from '../builtins/fields.ts';
import { evaluateCel } from '../cel/environment.ts';
import type { Core } from '../server/core.ts';
import { ApiError, forbiddenError } from '../status/api-error.ts';
import type { Admission, AdmissionAttributes } from './admission.ts';
import { boundPolicies, policyVariables } from './policy-binding.ts';
import { celContext, conditionsHold } from './webhook-match.ts';

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
  readonly #authorizer: Authorizer;

  constructor(core: Core, authorizer: Authorizer) {
    this.#core = core;
    this.#authorizer = authorizer;
  }

  async mutate(): Promise<void> {}

  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const { policy, binding, params } of boundPolicies(this.#core, 'validating', attributes)) {
      for (const param of params) {
        const problem = this.#firstProblem(objectAt(policy, 'spec'), param, attributes);
        if (problem !== undefined) react(policy, binding, problem, attributes);
      }
    }
  }

  #firstProblem(
    spec: Fields,
    params: Readonly<DynamicObject> | null,
    attributes: AdmissionAttributes,
  ): { message: string; reason: string } | undefined {
    const context = {
      ...celContext(this.#core, attributes, this.#authorizer),
      params,
    };
    const isStrict = textAt(spec, 'failurePolicy') !== 'Ignore';
    try {
      if (!conditionsHold(spec, context)) return undefined;
      const variables = policyVariables(spec, context);
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
