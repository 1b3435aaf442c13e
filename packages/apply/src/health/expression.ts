import { Environment } from '@marcbachmann/cel-js';
import {
  celLibraries,
  inOwnWords,
  registerCommonFunctions,
  withLinearMatches,
} from '@waygate/schema';
import { ApplyError } from '../apply-error.ts';

/** A condition on objects, written in the Common Expression Language. */
export interface BooleanExpression {
  readonly text: string;
  /** @throws ApplyError when it cannot be evaluated, or is not a truth value */
  evaluate(variables: Readonly<Record<string, unknown>>): boolean;
}

/** CEL with optional values, and the functions that Flux' expressions have. */
function newEnvironment(): Environment {
  const environment = new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 5000, maxDepth: 100 },
  });
  registerCommonFunctions(environment);
  return environment;
}

const environment = newEnvironment();

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
        value = run({ ...variables, ...celLibraries });
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
