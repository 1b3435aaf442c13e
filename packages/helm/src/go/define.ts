import type { CallContext, GoFunction, Reflected } from './function.ts';
import {
  anyMap,
  anySlice,
  anyType,
  boolType,
  float64Type,
  type GoType,
  intType,
  reflectType,
  stringType,
} from './type.ts';
import type { GoInt, GoMap, GoValue } from './value.ts';

/** A parameter: its Go type, and how the argument comes to the function. */
interface Param<T> {
  readonly type: GoType;
  read(value: never): T;
}

const asItIs = <T>(value: never): T => value as T;

function param<T>(type: GoType): Param<T> {
  return { type, read: asItIs };
}

export const str: Param<string> = param(stringType);
export const bool: Param<boolean> = param(boolType);
export const float: Param<number> = param(float64Type);
export const int: Param<number> = {
  type: intType,
  read: (value: GoInt) => Number(value.value),
} as Param<number>;
export const any: Param<GoValue> = param(anyType);
/** A nil map comes as null. */
export const map: Param<GoMap | null> = param(anyMap);
export const list: Param<GoValue> = param(anySlice);
export const reflected: Param<Reflected> = param(reflectType);

/** A parameter of another type. */
export function of<T extends GoValue>(type: GoType): Param<T> {
  return param<T>(type);
}

type Values<P extends readonly Param<unknown>[]> = {
  -readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never;
};

/** A function of a fixed number of parameters. */
export function fn<const P extends readonly Param<unknown>[]>(
  params: P,
  body: (context: CallContext, ...args: Values<P>) => Reflected | null,
): GoFunction {
  const isPlain = params.every(({ read }) => read === asItIs);
  return {
    params: params.map(({ type }) => type),
    isVariadic: false,
    call: isPlain
      ? plainCall(params.length, body as Body)
      : (args, context) =>
          body(context, ...(args.map((arg, at) => params[at]!.read(arg)) as Values<P>)),
  };
}

type Body = (context: CallContext, ...args: unknown[]) => Reflected | null;

/** Most functions have few parameters, and handing these over one by one is the quickest way. */
function plainCall(count: number, body: Body): GoFunction['call'] {
  if (count === 1) return (args, context) => body(context, args[0]);
  if (count === 2) return (args, context) => body(context, args[0], args[1]);
  if (count === 3) return (args, context) => body(context, args[0], args[1], args[2]);
  return (args, context) => body(context, ...args);
}

/** A function of some parameters and any number of further ones. */
export function variadic<const P extends readonly Param<unknown>[], T>(
  params: P,
  more: Param<T>,
  body: (context: CallContext, rest: T[], ...args: Values<P>) => Reflected | null,
): GoFunction {
  const count = params.length;
  const isPlain = [...params, more].every(({ read }) => read === asItIs);
  const plainBody = body as (context: CallContext, rest: unknown, first?: unknown) => Reflected;
  return {
    params: [...params, more].map(({ type }) => type),
    isVariadic: true,
    call(args, context) {
      // The list of arguments is made for this call, and so it may be the function's own.
      if (isPlain && count === 0) return plainBody(context, args);
      if (isPlain && count === 1) return plainBody(context, args.slice(1), args[0]);
      const fixed = params.map((each, at) => each.read(args[at]!)) as Values<P>;
      const rest = args.slice(params.length).map((arg) => more.read(arg));
      return body(context, rest, ...fixed);
    },
  };
}

/** Functions by the names that templates know them by. */
export type FunctionTable = Readonly<Record<string, GoFunction>>;
