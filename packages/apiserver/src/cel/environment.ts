import { Environment } from '@marcbachmann/cel-js';
import {
  celLibraries,
  inOwnWords,
  registerCommonFunctions,
  registerListFunctions,
  registerQuantityFunctions,
  registerUrlFunctions,
  withLinearMatches,
} from '@waygate/schema';
import { isPlainObject } from '../typed-schema/type-node.ts';
import { ip, registerAddressFunctions } from './address-functions.ts';
import { CelAuthorizer, registerAuthorizerFunctions } from './authorizer-functions.ts';
import { Budget, callLimit } from './budget.ts';
import { registerComprehensions } from './comprehensions.ts';
import { format, registerFormatFunctions } from './format-functions.ts';
import { jsonpatch, registerJsonPatchFunctions } from './json-patch-functions.ts';
import { registerRegexFunctions } from './regex-functions.ts';
import { registerSemverFunctions } from './semver-functions.ts';

const budget = new Budget();

/** What a round of a comprehension with two variables costs. */
const roundCost = 8;

interface HasQuantity {
  readonly quantity: { equals(other: unknown): boolean };
}

/** CEL with the functions that Kubernetes adds; `matches` takes time linear in the text. */
function newEnvironment(): Environment {
  const environment = new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    // `format` takes values of all kinds in one list.
    homogeneousAggregateLiterals: false,
  });
  registerCommonFunctions(environment);
  registerListFunctions(environment);
  registerQuantityFunctions(environment);
  environment.registerOperator('Quantity == Quantity', (one: HasQuantity, other: HasQuantity) =>
    one.quantity.equals(other.quantity),
  );
  registerUrlFunctions(environment);
  registerRegexFunctions(environment);
  registerAddressFunctions(environment);
  registerSemverFunctions(environment);
  registerFormatFunctions(environment);
  registerAuthorizerFunctions(environment);
  registerJsonPatchFunctions(environment);
  registerComprehensions(environment, () => budget.spend(roundCost));
  return environment;
}

const environment = newEnvironment();
const libraries = { ...celLibraries, ip, format, jsonpatch };

type Program = (context: Record<string, unknown>) => unknown;
const programs = new Map<string, Program | Error>();

/** Compiles an expression, or says what is wrong with it. */
export function compileCel(expression: string): Program | Error {
  let program = programs.get(expression);
  if (program === undefined) {
    try {
      const parsed = environment.parse(withLinearMatches(expression));
      budget.watch(parsed.ast);
      program = parsed as unknown as Program;
    } catch (error) {
      const { message } = error as Error;
      program = new Error(inOwnWords(message), { cause: error });
    }
    // Definitions come and go: what was compiled once must not stay for ever.
    if (programs.size >= 10_000) programs.clear();
    programs.set(expression, program);
  }
  return program;
}

/**
 * Evaluates an expression; numbers that are whole are CEL integers. Throws a BudgetExceeded when it
 * goes on for too long.
 */
export function evaluateCel(expression: string, context: Record<string, unknown>): unknown {
  const program = compileCel(expression);
  if (program instanceof Error) throw program;
  budget.begin();
  return program({ ...(toCel(context) as Record<string, unknown>), ...libraries });
}

/** What the expression that was evaluated last took of its budget. */
export function lastCost(): number {
  return callLimit - budget.left;
}

function toCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCel);
  if (!isPlainObject(value) || value instanceof CelAuthorizer) return value;
  const map: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) map[key] = toCel(item);
  return map;
}

/** The outcome of an expression as JSON. */
export function fromCel(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(fromCel);
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, item]) => [String(key), fromCel(item)]));
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromCel(item)]));
}
