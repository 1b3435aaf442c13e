import { callCostOf } from '../cost/call-cost.ts';
import type { CelOverload } from '../declaration.ts';
import { equalValues } from '../values/equality.ts';
import { fits } from '../values/fit.ts';
import {
  CelFailure,
  CelOptional,
  type CelResult,
  type CelValue,
  noSuchOverload,
  typeNameOf,
} from '../values/value.ts';
import type { Step } from './run.ts';

export function variable(name: string, path: string, otherwise?: CelValue): Step {
  const missing = otherwise ?? new CelFailure(`no such attribute(s): ${path}`);
  return (run) => {
    const value = run.variables(name);
    return value === undefined ? missing : value;
  };
}

export function localBase({ slot, initial }: { slot: number; initial: Step | undefined }): Step {
  if (initial === undefined) return (run) => run.slots[slot] as CelResult;
  return (run) => {
    let value = run.slots[slot];
    if (value === undefined) {
      value = initial(run);
      run.slots[slot] = value;
    }
    return value;
  };
}

/** `&&` and `||`: the absorbing value wins over a failure on either side. */
export function logical(left: Step, right: Step, absorbing: boolean): Step {
  return (run) => {
    const one = left(run);
    if (one === absorbing) return absorbing;
    const other = right(run);
    if (other === absorbing) return absorbing;
    if (one instanceof CelFailure) return one;
    if (typeof one !== 'boolean') return noSuchOverload;
    if (other instanceof CelFailure) return other;
    return typeof other === 'boolean' ? !absorbing : noSuchOverload;
  };
}

export function optionalOr(left: Step, right: Step, isValue: boolean): Step {
  return (run) => {
    const one = left(run);
    if (one instanceof CelFailure) return one;
    if (!(one instanceof CelOptional)) return noSuchOverload;
    if (one.value === undefined) return right(run);
    return isValue ? one.value : one;
  };
}

export const notOptional = (value: CelValue) =>
  new CelFailure(`cannot initialize optional entry from non-optional value ${String(value)}`);

/** Calls the overload that takes the arguments. */
export function callOf(
  name: string,
  candidates: readonly CelOverload[],
): (args: readonly CelResult[]) => CelResult {
  if (name === '_==_') return ([one, other]) => equalValues(one as CelValue, other as CelValue);
  if (name === '_!=_') {
    return ([one, other]) => {
      const isEqual = equalValues(one as CelValue, other as CelValue);
      return typeof isEqual === 'boolean' ? !isEqual : isEqual;
    };
  }
  const [only] = candidates;
  if (only?.isUnguarded) {
    const { call } = only;
    return (args) =>
      args.length === 2
        ? call(args[0] as CelValue, args[1] as CelValue)
        : call(...(args as CelValue[]));
  }
  return (args) => {
    for (const { args: types, call } of candidates) {
      if (types.every((type, index) => fits(args[index] as CelValue, type))) {
        return call(...(args as CelValue[]));
      }
    }
    const types = args.map((argument) => typeNameOf(argument as CelValue));
    return new CelFailure(`no such overload: ${name}(${types.join(', ')})`);
  };
}

export function callStep(
  name: string,
  overload: string,
  call: (args: readonly CelResult[]) => CelResult,
  steps: readonly Step[],
  isHasty: boolean,
): Step {
  const costOf = callCostOf(name, overload);
  const isTolerant = name === '@not_strictly_false';
  return (run) => {
    const args: CelResult[] = [];
    let failure: CelFailure | undefined;
    for (const step of steps) {
      const value = step(run);
      args.push(value);
      if (!(value instanceof CelFailure) || isTolerant) continue;
      // Other calls evaluate, and pay for, all of their arguments.
      if (isHasty) return value;
      failure ??= value;
    }
    const result = failure ?? call(args);
    run.spend(costOf(args, result));
    return result;
  };
}
