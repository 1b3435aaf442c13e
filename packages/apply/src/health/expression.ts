import { Environment } from '@marcbachmann/cel-js';
import { equalJson } from '@waygate/schema';
import { ApplyError } from '../apply-error.ts';
import { base64, registerEncoderFunctions } from './functions/encoder-functions.ts';
import {
  inOwnWords,
  registerStringFunctions,
  strings,
  withLinearMatches,
} from './functions/string-functions.ts';

/** A condition on objects, written in the Common Expression Language. */
export interface BooleanExpression {
  readonly text: string;
  /** @throws ApplyError when it cannot be evaluated, or is not a truth value */
  evaluate(variables: Readonly<Record<string, unknown>>): boolean;
}

type List = readonly unknown[];

/** The name that functions on sets are called by. */
class Sets {}
const sets = new Sets();

const contains = (list: List, one: unknown) => list.some((other) => equalJson(other, one));
const containsAll = (list: List, wanted: List) => wanted.every((one) => contains(list, one));

/** CEL with optional values and functions on sets. */
function newEnvironment(): Environment {
  return new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 5000, maxDepth: 100 },
  })
    .registerType('Sets', Sets)
    .registerVariable('sets', 'Sets')
    .registerFunction('Sets.contains(list, list): bool', (_sets: Sets, list: List, wanted: List) =>
      containsAll(list, wanted),
    )
    .registerFunction('Sets.intersects(list, list): bool', (_sets: Sets, left: List, right: List) =>
      left.some((one) => contains(right, one)),
    )
    .registerFunction(
      'Sets.equivalent(list, list): bool',
      (_sets: Sets, left: List, right: List) =>
        containsAll(left, right) && containsAll(right, left),
    );
}

const environment = registerEncoderFunctions(registerStringFunctions(newEnvironment()));

/**
 * Compiles an expression once for many evaluations.
 *
 * @throws ApplyError `WG_APPLY_EXPRESSION`
 */
export function compileExpression(text: string): BooleanExpression {
  let run: ReturnType<typeof environment.parse>;
  try {
    run = environment.parse(withLinearMatches(text));
  } catch (cause) {
    throw failure(`failed to parse the CEL expression '${text}': ${firstLine(cause)}`, cause);
  }
  return {
    text,
    evaluate(variables) {
      let value: unknown;
      try {
        value = run({ ...variables, sets, strings, base64 });
      } catch (cause) {
        throw failure(
          `failed to evaluate the CEL expression '${text}': ${firstLine(cause)}`,
          cause,
        );
      }
      if (typeof value !== 'boolean') {
        throw failure(`failed to evaluate CEL expression as boolean: '${text}'`);
      }
      return value;
    },
  };
}

function failure(message: string, cause?: unknown): ApplyError {
  return new ApplyError('WG_APPLY_EXPRESSION', message, { cause });
}

/** The first line of what went wrong, as the original begins it: in lower case. */
function firstLine(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
  return inOwnWords(/^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text);
}
