import type { GoFunction } from '../go/function.ts';
import { builtins } from '../template/builtins.ts';
import type { FunctionOptions } from './function-options.ts';
import { helmOwnFunctions } from './helm.ts';

/** All functions that Helm's templates know: Go's own, Sprig's and Helm's. */
export function helmFunctions(options: FunctionOptions): ReadonlyMap<string, GoFunction> {
  return new Map(Object.entries({ ...builtins, ...helmOwnFunctions(options) }));
}
