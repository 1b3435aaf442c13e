import {
  CelFailure,
  CelMap,
  type CelResult,
  type CelValue,
  type CelVariables,
  celOfJson,
  jsonOfCel,
} from '@waygate/text';
import { type Fields, listAt, textAt } from '../builtins/fields.ts';
import type { AdmissionScope } from '../cel/admission-declarations.ts';
import {
  compileAdmission,
  type Variable,
  type VariableTypes,
  variableTypes,
} from '../cel/admission-expression.ts';

/** What all expressions of one policy may cost for a request, as in Kubernetes. */
const policyLimit = 10_000_000;
/** What the conditions of one policy or webhook may. */
const conditionsLimit = 2_500_000;

const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/** An expression of a policy or webhook could not be evaluated. */
export class ExpressionFailure extends Error {
  override readonly name = 'ExpressionFailure';
  /**
   * An expression of an admission policy or webhook could not be evaluated, or went on for too
   * long. The failurePolicy decides what becomes of the request; the message names the expression.
   */
  readonly code = 'WG_APISERVER_EXPRESSION';
}

/** All that was granted is spent. */
export class OutOfBudget extends ExpressionFailure {
  constructor() {
    super(outOfBudget);
  }
}

/** Runs the expressions of one policy on one request, within one budget. */
export class ExpressionRun {
  readonly #scope: AdmissionScope;
  readonly #values: Readonly<Record<string, CelValue>>;
  readonly #variables: PolicyVariables;
  #left: number;

  constructor(
    scope: AdmissionScope,
    context: Readonly<Record<string, unknown>>,
    variables: readonly Fields[] = [],
    limit = policyLimit,
  ) {
    this.#scope = scope;
    this.#values = Object.fromEntries(
      Object.entries(context).map(([name, value]) => [name, celOfJson(value)]),
    );
    this.#left = limit;
    const named = variables.map((variable) => ({
      name: textAt(variable, 'name'),
      expression: textAt(variable, 'expression'),
    }));
    this.#variables = new PolicyVariables(named, (variable) => this.#variable(variable));
  }

  /**
   * What an expression comes to.
   *
   * @throws ExpressionFailure when it cannot be evaluated, or when the budget is spent
   */
  evaluate(text: string, wanted: readonly string[] = []): CelValue {
    const value = this.#run(text, wanted, this.#variables.types(this.#scope));
    if (!(value instanceof CelFailure)) return value;
    throw new ExpressionFailure(`expression '${text}' resulted in error: ${value.message}`);
  }

  /** What an expression comes to, as JSON. */
  evaluateJson(text: string): unknown {
    return jsonOfCel(this.evaluate(text));
  }

  #run(text: string, wanted: readonly string[], types: VariableTypes): CelResult {
    const compiled = compileAdmission(text, this.#scope, wanted, types);
    if (compiled instanceof CelFailure) {
      throw new ExpressionFailure(`compilation error: ${compiled.message}`);
    }
    const { value, cost } = compiled.program.evaluate(this.#lookUp);
    if (cost > this.#left) throw new OutOfBudget();
    this.#left -= cost;
    return value;
  }

  readonly #lookUp: CelVariables = (name) =>
    name === 'variables' ? this.#variables : this.#values[name];

  #variable({ name, expression }: Variable): CelResult {
    const value = this.#run(expression, [], this.#variables.types(this.#scope, name));
    return value instanceof CelFailure
      ? new CelFailure(
          `composited variable ${JSON.stringify(name)} fails to evaluate: ${value.message}`,
        )
      : value;
  }
}

/** The variables of a policy: each is evaluated when it is first asked for, once. */
class PolicyVariables extends CelMap {
  readonly #all: readonly Variable[];
  readonly #evaluate: (variable: Variable) => CelResult;
  readonly #values = new Map<string, CelResult>();

  constructor(all: readonly Variable[], evaluate: (variable: Variable) => CelResult) {
    super();
    this.#all = all;
    this.#evaluate = evaluate;
  }

  types(scope: AdmissionScope, before?: string): VariableTypes {
    return variableTypes(this.#all, scope, before);
  }

  get size(): number {
    return this.#all.length;
  }

  find(key: CelValue): CelResult | undefined {
    const variable = this.#all.find(({ name }) => name === key);
    if (variable === undefined) return undefined;
    let value = this.#values.get(variable.name);
    if (value === undefined) {
      value = this.#evaluate(variable);
      this.#values.set(variable.name, value);
    }
    return value;
  }

  keys(): Iterable<CelValue> {
    return this.#all.map(({ name }) => name);
  }

  equals(other: CelValue): boolean {
    return this === other;
  }
}

/**
 * Whether all conditions of a policy or webhook hold. One that does not counts for more than one that
 * cannot be evaluated.
 *
 * @throws ExpressionFailure
 */
export function conditionsHold(
  hook: Fields,
  scope: AdmissionScope,
  context: Readonly<Record<string, unknown>>,
): boolean {
  const conditions = listAt(hook, 'matchConditions');
  if (conditions.length === 0) return true;
  const run = new ExpressionRun(scope, context, [], conditionsLimit);
  const failures: string[] = [];
  for (const condition of conditions) {
    try {
      if (run.evaluate(textAt(condition, 'expression'), ['bool']) !== true) return false;
    } catch (error) {
      if (!(error instanceof ExpressionFailure) || error instanceof OutOfBudget) throw error;
      failures.push(error.message);
    }
  }
  if (failures.length === 0) return true;
  throw new ExpressionFailure(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`);
}
