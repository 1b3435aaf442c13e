import {
  CelFailure,
  CelOptional,
  type CelOutcome,
  type CelResult,
  type CelVariables,
  celOfSchema,
  isObject,
  withObjectMeta,
} from '@waygate/text';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  invalid,
  type ProblemType,
  required,
} from '../status/field-problem.ts';
import { Correlation } from './correlation.ts';
import { normalizeFieldPath } from './field-path.ts';
import type { CelRule, JsonSchema } from './json-schema.ts';
import type { CompiledRule } from './rule-compilation.ts';
import { type RuleNode, ruleNodeOf } from './rule-node.ts';

/** What all rules together may cost for one object, as in Kubernetes. */
const objectLimit = 10_000_000;
/** A message that an expression makes may have this many bytes. */
const maxMessageSize = 5 * 1024;

const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/** What is left of an object's budget; nothing more is run once a rule went too far. */
class Allowance {
  left: number;
  isOver = false;

  constructor(limit: number) {
    this.left = limit;
  }

  /** False when there is not so much left. */
  take(cost: number): boolean {
    if (cost > this.left) return false;
    this.left -= cost;
    return true;
  }
}

/** Runs the rules of a schema over an object, and over its old state for transition rules. */
export function celProblems(
  value: unknown,
  old: unknown,
  schema: JsonSchema,
  field: string,
  limit = objectLimit,
): FieldProblem[] {
  const node = ruleNodeOf(schema);
  if (node === undefined) return [];
  const check = new RuleCheck(new Allowance(limit));
  check.visit(node, value, new Correlation(value, old ?? undefined), field);
  return check.problems;
}

class RuleCheck {
  readonly problems: FieldProblem[] = [];
  readonly #allowance: Allowance;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  visit(node: RuleNode, value: unknown, correlation: Correlation, field: string): void {
    if (value === undefined || value === null || this.#allowance.isOver) return;
    if (node.rules.length > 0) this.#run(node, value, correlation, field);
    if (Array.isArray(value)) {
      if (node.items === undefined) return;
      const items = correlation.items(node.schema);
      for (const [index, item] of value.entries()) {
        this.visit(node.items, item, items[index] as Correlation, `${field}[${index}]`);
      }
      return;
    }
    if (!isObject(value)) return;
    for (const key of Object.keys(value)) {
      const property = node.properties?.get(key);
      const child = property ?? node.values;
      if (child === undefined) continue;
      const path =
        property === undefined ? `${field}[${key}]` : field === '' ? key : `${field}.${key}`;
      this.visit(child, value[key], correlation.field(key), path);
    }
  }

  #run(node: RuleNode, value: unknown, correlation: Correlation, field: string): void {
    const { schema } = node;
    if (this.#allowance.left <= 0) {
      this.#stop(invalid(field, schema.type ?? '', outOfBudget));
      return;
    }
    const whole = node.isResource ? withObjectMeta(schema) : schema;
    const self = celOfSchema(value, whole);
    const before = correlation.old;
    const oldSelf =
      before === undefined || before === null ? undefined : celOfSchema(before, whole);
    for (const compiled of node.rules) {
      if (this.#allowance.isOver) return;
      this.#runRule(compiled, { schema, self, oldSelf, value, correlation, field });
    }
  }

  #stop(problem: FieldProblem): void {
    this.problems.push(problem);
    this.#allowance.isOver = true;
  }

  #runRule(compiled: CompiledRule, context: RuleContext): void {
    const { rule, program } = compiled;
    const { schema, field, oldSelf } = context;
    const type = schema.type ?? '';
    if (program === undefined) {
      if (compiled.problem === undefined) return;
      this.problems.push(invalid(field, type, `rule compile error: ${compiled.problem}`));
      return;
    }
    const isOptional = rule.optionalOldSelf === true;
    if (compiled.usesOldSelf && oldSelf === undefined && !isOptional) return;
    const outcome = program.evaluate(variables(context, isOptional));
    if (!this.#allowance.take(outcome.cost)) {
      this.#stop(invalid(field, type, outOfBudget));
      return;
    }
    if (outcome.isOverLimit) {
      const why = `'${textOf(outcome)}': no further validation rules will be run due to call cost exceeds limit for rule: ${nameOf(rule)}`;
      this.#stop(invalid(field, type, why));
      return;
    }
    if (outcome.value === true) return;
    if (outcome.value instanceof CelFailure) {
      this.problems.push(invalid(field, type, failureText(outcome.value.message, rule)));
      return;
    }
    this.#refuse(compiled, context);
  }

  /** The rule does not hold: says so, in the words of its message. */
  #refuse(compiled: CompiledRule, context: RuleContext): void {
    const { rule } = compiled;
    const { schema, field, value, correlation } = context;
    const path = rule.fieldPath && normalizeFieldPath(rule.fieldPath, schema);
    const at = !path
      ? field
      : path.startsWith('[') || field === ''
        ? field + path
        : `${field}.${path}`;
    const detail = this.#message(compiled, context, at);
    if (detail === undefined) return;
    if (!compiled.usesOldSelf && correlation.isUnchanged) return;
    this.problems.push(problemOf(rule, at, value, schema, detail));
  }

  #message(compiled: CompiledRule, context: RuleContext, at: string): string | undefined {
    const { rule, messageProgram } = compiled;
    const fixed = (rule.message ?? '') === '' ? `failed rule: ${nameOf(rule)}` : nameOf(rule);
    if (messageProgram === undefined) return fixed;
    const outcome = messageProgram.evaluate(variables(context, false));
    const type = context.schema.type ?? '';
    if (!this.#allowance.take(outcome.cost)) {
      const why =
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';
      this.#stop(invalid(at, type, why));
      return undefined;
    }
    if (outcome.isOverLimit) {
      const text = JSON.stringify(rule.messageExpression);
      const why = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${text}`;
      this.#stop(invalid(at, type, why));
      return undefined;
    }
    const text = typeof outcome.value === 'string' ? outcome.value.trim() : '';
    const isFit = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxMessageSize;
    // A message that cannot be made falls back to the fixed one.
    return isFit ? text : fixed;
  }
}

interface RuleContext {
  readonly schema: JsonSchema;
  readonly self: CelResult;
  readonly oldSelf: CelResult | undefined;
  readonly value: unknown;
  readonly correlation: Correlation;
  readonly field: string;
}

function variables({ self, oldSelf }: RuleContext, isOptional: boolean): CelVariables {
  return (name) => {
    if (name === 'self') return self;
    if (name !== 'oldSelf') return undefined;
    if (!isOptional || oldSelf instanceof CelFailure) return oldSelf;
    return oldSelf === undefined ? CelOptional.none : new CelOptional(oldSelf);
  };
}

const textOf = ({ value }: CelOutcome) => (value instanceof CelFailure ? value.message : '');

/** What a rule is called: its message, or else itself. */
function nameOf({ rule, message }: CelRule): string {
  return (message ?? '') === '' ? rule.trim() : (message as string).trim();
}

function failureText(why: string, rule: CelRule): string {
  return why.startsWith('no such overload')
    ? `'${why}': call arguments did not match a supported operator, function or macro signature for rule: ${nameOf(rule)}`
    : `${why} evaluating rule: ${nameOf(rule)}`;
}

function problemOf(
  rule: CelRule,
  field: string,
  value: unknown,
  schema: JsonSchema,
  detail: string,
): FieldProblem {
  const isWhole = schema.type === 'object' || schema.type === 'array';
  switch (rule.reason) {
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueForbidden':
      return forbidden(field, detail);
    case 'FieldValueDuplicate':
      return isWhole
        ? { type: 'duplicateWithoutValue', field, detail: '' }
        : duplicate(field, value);
    default: {
      const type: ProblemType = isWhole ? 'invalidWithoutValue' : 'invalid';
      return { type, field, value, detail };
    }
  }
}
