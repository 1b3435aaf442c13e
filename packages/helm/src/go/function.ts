import type { Budget } from './budget.ts';
import type { GoType } from './type.ts';
import type { GoValue } from './value.ts';

/** What a function may use of the rendering that it is called in. */
export interface CallContext {
  readonly budget: Budget;
  /** Executes a template of the set by its name: `include`. */
  include(name: string, data: GoValue): string;
  /** Parses and executes a text beside the templates of the set: `tpl`. */
  evaluate(text: string, data: GoValue): string;
}

/**
 * What flows through a pipeline: Go's `reflect.Value`. `undefined` is the invalid one (an untyped nil);
 * a `Boxed` is one of the type `interface {}`, as maps and lists of values hold them.
 */
export type Reflected = Exclude<GoValue, null> | Boxed | undefined;

/** A value whose static type is `interface {}`, perhaps a nil one. Error texts depend on it. */
export class Boxed {
  readonly value: GoValue;

  constructor(value: GoValue) {
    this.value = value;
  }
}

/** A nil of the type `interface {}`: what a map has for a key that it does not have. */
export const boxedNil = new Boxed(null);

/** A function or a method that templates can call. */
export interface GoFunction {
  /** The types of the parameters; a variadic function's last one is the type of each further argument. */
  readonly params: readonly GoType[];
  readonly isVariadic: boolean;
  /** Steps for each letter or item of what it is given, where it takes longer than most functions do. */
  readonly effort?: number;
  /** The arguments have been checked against `params`; those of `reflectType` come as they are. */
  call(args: readonly never[], context: CallContext): Reflected | null;
}

/**
 * An error that a function gave, or a panic that it ended in: the text follows `error calling NAME: `.
 * Its `cause`, where it has one, is what Go's `errors.Unwrap` gives.
 */
export class GoError extends Error {
  constructor(message: string, options?: { readonly cause?: GoError | undefined }) {
    super(message, options);
    this.name = 'GoError';
  }
}

/** A panic of Go's runtime inside of a function: one that gives errors as text does not give this. */
export class GoPanic extends GoError {
  constructor(message: string) {
    super(message);
    this.name = 'GoPanic';
  }
}
