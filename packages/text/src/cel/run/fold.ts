import {
  CelFailure,
  CelList,
  CelMap,
  type CelResult,
  type CelValue,
  typeNameOf,
} from '../values/value.ts';
import type { Run, Step } from './run.ts';

/** The parts of a loop, planned. */
interface Fold {
  readonly range: Step;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
  readonly accumulatorSlot: number;
  readonly variableSlot: number;
  /** Set in loops with two variables. */
  readonly variable2Slot: number | undefined;
}

/** Runs a loop. What it keeps is made when it is first asked for. */
export function runFold(fold: Fold, run: Run): CelResult {
  const { slots } = run;
  // A loop within a loop begins anew each time.
  slots[fold.accumulatorSlot] = undefined;
  const range = fold.range(run);
  if (range instanceof CelFailure) return range;
  if (range instanceof CelList) foldList(fold, range, run);
  else if (range instanceof CelMap) foldMap(fold, range, run);
  else return new CelFailure(`got '${goName(range)}', expected iterable type`);
  return fold.result(run);
}

/** What the original calls the types of values that are no list or map. */
function goName(value: CelValue): string {
  const name = typeNameOf(value).replace(/^.*\.|_type$/g, '');
  return `types.${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function foldList(fold: Fold, list: CelList, run: Run): void {
  const { variableSlot, variable2Slot } = fold;
  const { size } = list;
  for (let index = 0; index < size; index += 1) {
    if (variable2Slot === undefined) run.slots[variableSlot] = list.at(index);
    else {
      run.slots[variableSlot] = BigInt(index);
      run.slots[variable2Slot] = list.at(index);
    }
    if (!oneRound(fold, run)) return;
  }
}

function foldMap(fold: Fold, map: CelMap, run: Run): void {
  for (const key of map.keys()) {
    run.slots[fold.variableSlot] = key;
    if (fold.variable2Slot !== undefined)
      run.slots[fold.variable2Slot] = map.find(key) as CelResult;
    if (!oneRound(fold, run)) return;
  }
}

function oneRound({ condition, step, accumulatorSlot }: Fold, run: Run): boolean {
  if (condition(run) === false) return false;
  run.slots[accumulatorSlot] = step(run);
  return true;
}
