import { declareType, maxCardinality } from '@waygate/text';
import { type FieldProblem, forbidden, invalid } from '../status/field-problem.ts';
import { type CelRule, type JsonSchema, valuesSchema } from './json-schema.ts';
import { type CompiledRule, compileRule } from './rule-compilation.ts';

/** What one rule may cost at most over all values of an object, by estimate. */
const ruleLimit = 10_000_000n;
/** What all rules of a definition's version may. */
const totalLimit = 100_000_000n;
const largest = 2n ** 64n - 1n;

function capped(cost: bigint): bigint {
  if (cost > largest) return largest;
  return cost;
}

/** Where a schema stands in a definition. */
interface Place {
  readonly field: string;
  readonly isRoot: boolean;
  /** How many values there may be; undefined when no list or map around says so. */
  readonly cardinality: bigint | undefined;
  /** The list around whose items cannot be told from each other between two states of an object. */
  readonly uncorrelatable: string | undefined;
}

/** The rules that cost most, for whoever has to make them cheaper. */
class TotalCost {
  total = 0n;
  readonly mostExpensive: { readonly field: string; readonly cost: bigint }[] = [];

  add(field: string, cost: bigint): void {
    this.total = capped(this.total + cost);
    if (cost < totalLimit / 100n) return;
    this.mostExpensive.push({ field, cost });
    this.mostExpensive.sort((one, other) =>
      one.cost > other.cost ? -1 : one.cost < other.cost ? 1 : 0,
    );
    this.mostExpensive.length = Math.min(this.mostExpensive.length, 4);
  }
}

/** Rules that cannot be compiled, cost too much, or look back where there is nothing to look at. */
export function ruleProblems(schema: JsonSchema, field: string): FieldProblem[] {
  const cost = new TotalCost();
  const root = { field, isRoot: true, cardinality: 1n, uncorrelatable: undefined };
  const problems = [...walk(schema, root, cost)];
  if (cost.total <= totalLimit) return problems;
  const why =
    'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  const total = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  return [
    ...problems,
    ...cost.mostExpensive.map((rule) => forbidden(rule.field, why)),
    forbidden(field, costText(total, cost.total, totalLimit)),
  ];
}

function* walk(schema: JsonSchema, place: Place, cost: TotalCost): Generator<FieldProblem> {
  yield* ownProblems(schema, schema['x-kubernetes-validations'] ?? [], place, cost);
  for (const [index, branch] of (schema.allOf ?? []).entries()) {
    const rules = branch['x-kubernetes-validations'] ?? [];
    yield* ownProblems(schema, rules, { ...place, field: `${place.field}.allOf[${index}]` }, cost);
  }
  const child = (name: string, isUncorrelatable = false): Place => ({
    field: `${place.field}.${name}`,
    isRoot: false,
    cardinality: multiplied(place.cardinality, elementsOf(schema)),
    uncorrelatable: place.uncorrelatable ?? (isUncorrelatable ? place.field : undefined),
  });
  const properties = Object.entries(schema.properties ?? {});
  for (const [name, property] of properties.sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield* walk(property, child(`properties[${name}]`), cost);
  }
  const values = valuesSchema(schema);
  if (values !== undefined) yield* walk(values, child('additionalProperties'), cost);
  if (schema.items === undefined) return;
  const isKeyed = schema['x-kubernetes-list-type'] === 'map';
  yield* walk(schema.items, child('items', !isKeyed), cost);
}

/** By how much a schema multiplies the number of values below it. */
function elementsOf(schema: JsonSchema): bigint | undefined {
  const limit = (count: number | undefined) =>
    count === undefined ? undefined : BigInt(Math.max(0, count));
  if (schema.type === 'array') return limit(schema.maxItems);
  return schema.type === 'object' && schema.additionalProperties !== undefined
    ? limit(schema.maxProperties)
    : 1n;
}

function multiplied(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  if (one === undefined || other === undefined) return undefined;
  return capped(one * other);
}

function* ownProblems(
  schema: JsonSchema,
  rules: readonly CelRule[],
  place: Place,
  cost: TotalCost,
): Generator<FieldProblem> {
  if (rules.length === 0) return;
  const isResource = place.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const declared = declareType(schema, isResource);
  if (declared === undefined) {
    const detail =
      'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
    yield { type: 'internal', field: `${place.field}.x-kubernetes-validations`, detail };
    return;
  }
  const cardinality = place.cardinality ?? maxCardinality(declared);
  for (const [index, rule] of rules.entries()) {
    const at = `${place.field}.x-kubernetes-validations[${index}]`;
    const compiled = compileRule(rule, declared);
    yield* compiledProblems(compiled, at, place, cardinality, cost);
  }
}

function* compiledProblems(
  compiled: CompiledRule,
  at: string,
  place: Place,
  cardinality: bigint,
  cost: TotalCost,
): Generator<FieldProblem> {
  const { rule } = compiled;
  const ruleCost = multiplied(compiled.maxCost, cardinality) as bigint;
  if (ruleCost > ruleLimit) {
    yield forbidden(`${at}.rule`, costText('estimated rule cost', ruleCost, ruleLimit));
  }
  cost.add(`${at}.rule`, ruleCost);
  if (compiled.problem !== undefined) yield invalid(`${at}.rule`, shown(rule), compiled.problem);
  if (compiled.messageProblem !== undefined) {
    yield invalid(`${at}.messageExpression`, shown(rule), compiled.messageProblem);
  } else if (compiled.messageProgram !== undefined) {
    if (compiled.messageMaxCost > ruleLimit) {
      const why = costText('estimated messageExpression cost', compiled.messageMaxCost, ruleLimit);
      yield forbidden(`${at}.messageExpression`, why);
    }
    cost.add(`${at}.messageExpression`, compiled.messageMaxCost);
  }
  if (compiled.usesOldSelf && place.uncorrelatable !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
    yield invalid(`${at}.rule`, rule.rule, why);
  }
  if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
    const why = 'may not be set if oldSelf is not used in rule';
    yield invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, why);
  }
}

/** A rule as the API shows one that is wrong. */
function shown(rule: CelRule) {
  return {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

function costText(what: string, cost: bigint, limit: bigint): string {
  const factor = Number(cost) / Number(limit);
  const times =
    factor > 100
      ? 'more than 100x'
      : factor < 1.5
        ? `${factor.toFixed(6)}x`
        : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${times} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
