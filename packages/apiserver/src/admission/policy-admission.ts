import type { DynamicObject } from '@waygate/schema';
import type { Authorizer } from '../access/authorizer.ts';
import { type Fields, listAt, objectAt, textAt } from '../builtins/fields.ts';
import type { AdmissionScope } from '../cel/admission-declarations.ts';
import type { Admission, AdmissionAttributes } from '../core/admission.ts';
import type { Core } from '../core/core.ts';
import { ApiError, forbiddenError } from '../status/api-error.ts';
import { conditionsHold, ExpressionFailure, ExpressionRun, OutOfBudget } from './expression-run.ts';
import { boundPolicies } from './policy-binding.ts';
import { celContext } from './webhook-match.ts';

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
    const variables = listAt(spec, 'variables');
    const scope = scopeOf(spec);
    try {
      if (!conditionsHold(spec, scope, context)) return undefined;
      const run = new ExpressionRun(scope, context, variables);
      for (const validation of listAt(spec, 'validations')) {
        if (run.evaluate(textAt(validation, 'expression'), ['bool']) === true) continue;
        return {
          message: messageOf(validation, run),
          reason: textAt(validation, 'reason') || 'Invalid',
        };
      }
      // Nobody keeps an audit log here; an annotation that cannot be made refuses all the same.
      const audit = new ExpressionRun(scope, context, variables);
      for (const annotation of listAt(spec, 'auditAnnotations')) {
        audit.evaluate(textAt(annotation, 'valueExpression'), ['string', 'null_type']);
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof ExpressionFailure)) throw error;
      return isStrict ? { message: error.message, reason: 'Invalid' } : undefined;
    }
  }
}

function scopeOf(spec: Fields): AdmissionScope {
  return { hasParams: spec.paramKind !== undefined, hasAuthorizer: true, isMutation: false };
}

/** A message that an expression makes may have this many bytes. */
const maxMessageSize = 5 * 1024;

function messageOf(validation: Fields, run: ExpressionRun): string {
  const expression = textAt(validation, 'messageExpression');
  if (expression !== '') {
    try {
      const value = run.evaluate(expression, ['string']);
      const text = typeof value === 'string' ? value.trim() : '';
      const isFit = !text.includes('\n') && Buffer.byteLength(text) <= maxMessageSize;
      if (text !== '' && isFit) return text;
    } catch (error) {
      if (error instanceof OutOfBudget) {
        throw new ExpressionFailure(`failed messageExpression: ${error.message}`);
      }
      // A message that cannot be made falls back to the fixed one.
      if (!(error instanceof ExpressionFailure)) throw error;
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
