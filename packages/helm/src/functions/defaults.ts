import { any, bool, type FunctionTable, fn, variadic } from '../go/define.ts';
import { isEmpty } from './emptiness.ts';

/** `default`, `coalesce`, `ternary` and their relatives. */
export const defaultFunctions: FunctionTable = {
  default: variadic([any], any, (_, given, fallback) => {
    const first = given[0];
    return first === undefined || isEmpty(first) ? fallback : first;
  }),
  empty: fn([any], (_, value) => isEmpty(value)),
  coalesce: variadic([], any, (_, values) => values.find((value) => !isEmpty(value)) ?? null),
  all: variadic([], any, (_, values) => values.every((value) => !isEmpty(value))),
  any: variadic([], any, (_, values) => values.some((value) => !isEmpty(value))),
  ternary: fn([any, any, bool], (_, yes, no, condition) => (condition ? yes : no)),
};
