import type { LuaBudget, LuaFunction, LuaValue } from './lua-value.ts';
import type { LocalVariable } from './program-syntax.ts';

/** A local that an inner function uses, too. */
export interface LuaBox {
  value: LuaValue;
}

/** One call of a function: its locals, those of the functions around it, and what it may cost. */
export interface LuaFrame {
  readonly slots: (LuaValue | LuaBox)[];
  readonly captured: readonly LuaBox[];
  readonly rest: readonly LuaValue[];
  readonly budget: LuaBudget;
}

/** The locals that functions made by programs hold on to. */
const heldBoxes = new WeakMap<LuaFunction, readonly LuaBox[]>();

/** What a function keeps alive between its calls. */
export function boxesOf(value: LuaFunction): readonly LuaBox[] {
  return heldBoxes.get(value) ?? [];
}

export function holdBoxes(value: LuaFunction, boxes: readonly LuaBox[]): void {
  heldBoxes.set(value, boxes);
}

/** A new local, also where an earlier round of a loop had one. */
export function declareLocal(frame: LuaFrame, variable: LocalVariable, value: LuaValue): void {
  frame.slots[variable.slot] = variable.isCaptured ? { value } : value;
}

export function assignLocal(frame: LuaFrame, variable: LocalVariable, value: LuaValue): void {
  if (variable.isCaptured) (frame.slots[variable.slot] as LuaBox).value = value;
  else frame.slots[variable.slot] = value;
}
