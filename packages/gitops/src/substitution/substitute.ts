import { type Expression, type FunctionCall, SubstitutionError } from './expression.ts';
import { functionOf } from './functions.ts';
import { parseExpressions } from './parser.ts';

export interface SubstituteOptions {
  /** A variable that is not set, and has no default, is an error. */
  readonly isStrict?: boolean | undefined;
  /** The longest result, against values that grow by being put together. 64 MiB. */
  readonly maxLength?: number | undefined;
}

/**
 * Puts variables into a text: `${name}`, `${name:-default}`, `${name/a/b}`, … `$$` is a dollar.
 *
 * ```ts
 * substitute('${cluster:=dev}-${#name}', new Map([['name', 'web']])); // 'dev-3'
 * ```
 *
 * @throws SubstitutionError
 */
export function substitute(
  text: string,
  variables: ReadonlyMap<string, string>,
  options: SubstituteOptions = {},
): string {
  const limit = options.maxLength ?? 64 * 1024 * 1024;
  let length = 0;
  const parts = parseExpressions(text).map((expression) => {
    const part = evaluate(expression, variables, options);
    length += part.length;
    if (length > limit) throw new SubstitutionError('the result is too long');
    return part;
  });
  return parts.join('');
}

function evaluate(
  expression: Expression,
  variables: ReadonlyMap<string, string>,
  options: SubstituteOptions,
): string {
  if (expression.kind === 'text') return expression.text;
  const call = expression.function;
  const args = call.arguments.map((one) => evaluate(one, variables, options));
  const value = variables.get(call.variable);
  if (value === undefined && options.isStrict && !hasDefault(call)) {
    throw new SubstitutionError(`variable not set (strict mode): "${call.variable}"`);
  }
  return functionOf(call.name, args.length)(value ?? '', args);
}

function hasDefault({ name }: FunctionCall): boolean {
  return ['=', ':=', ':-', ':?', ':+'].includes(name);
}
