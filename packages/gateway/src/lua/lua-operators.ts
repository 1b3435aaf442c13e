import { stringFunctions } from './lua-strings.ts';
import { LuaTableValue } from './lua-table.ts';
import {
  type LuaBudget,
  LuaFailure,
  type LuaFunction,
  type LuaTable,
  type LuaValue,
  toNumber,
  toText,
  typeOf,
} from './lua-value.ts';
import type { ProgramOperator } from './program-syntax.ts';

/** How far a chain of `__index` tables is followed. */
const chainLimit = 100;

/** The function or value that a metatable has for an event. */
export function metaOf(value: LuaValue, event: string): LuaValue {
  return value instanceof LuaTableValue ? value.metatable?.get(event) : undefined;
}

/** `from[key]`, with metatables. `what` names where the value came from, for the error. */
export function indexValue(from: LuaValue, key: LuaValue, budget: LuaBudget, what = ''): LuaValue {
  let at = from;
  for (let round = 0; round < chainLimit; round += 1) {
    if (typeof at === 'object') {
      const found = at.get(key, budget);
      const next = found === undefined ? metaOf(at, '__index') : undefined;
      if (next === undefined) return found;
      if (typeof next === 'function') return callValue(next, [at, key], budget)[0];
      at = next;
    } else if (typeof at === 'string') {
      return typeof key === 'string' ? stringFunctions.get(key)?.run : undefined;
    } else {
      throw new LuaFailure(`attempt to index ${subject(what, at)}`);
    }
  }
  throw new LuaFailure('loop in gettable');
}

/** `local 'x' (a nil value)`. */
function subject(what: string, value: LuaValue): string {
  return what === '' ? `a ${typeOf(value)} value` : `${what} (a ${typeOf(value)} value)`;
}

/** `into[key] = value`, with metatables. */
export function setValue(
  into: LuaValue,
  key: LuaValue,
  value: LuaValue,
  budget: LuaBudget,
  what = '',
): void {
  let at = into;
  for (let round = 0; round < chainLimit; round += 1) {
    if (typeof at !== 'object') throw new LuaFailure(`attempt to index ${subject(what, at)}`);
    const table: LuaTable = at;
    if (table.set === undefined) throw new LuaFailure(`this table cannot be changed`);
    const event = table.get(key, budget) === undefined ? metaOf(table, '__newindex') : undefined;
    if (event === undefined) {
      table.set(key, value, budget);
      return;
    }
    if (typeof event === 'function') {
      callValue(event, [table, key, value], budget);
      return;
    }
    at = event;
  }
  throw new LuaFailure('loop in settable');
}

/** Calls a function, or what has `__call`. */
export function callValue(
  callee: LuaValue,
  args: readonly LuaValue[],
  budget: LuaBudget,
  what = '',
): readonly LuaValue[] {
  if (typeof callee === 'function') return budget.nest(() => callee(args, budget));
  const event = typeof callee === 'object' ? (callee.call ?? metaOf(callee, '__call')) : undefined;
  if (typeof event === 'function') {
    return budget.nest(() => (event as LuaFunction)([callee, ...args], budget));
  }
  throw new LuaFailure(`attempt to call ${subject(what, callee)}`);
}

const arithmeticEvents: Readonly<Record<string, string>> = {
  '+': '__add',
  '-': '__sub',
  '*': '__mul',
  '/': '__div',
  '%': '__mod',
  '^': '__pow',
};

/** All operators of two values but `and` and `or`. */
export function binaryValue(
  operator: ProgramOperator,
  left: LuaValue,
  right: LuaValue,
  budget: LuaBudget,
): LuaValue {
  switch (operator) {
    case '==':
      return isEqual(left, right, budget);
    case '~=':
      return !isEqual(left, right, budget);
    case '<':
      return isBefore(left, right, '__lt', budget);
    case '>':
      return isBefore(right, left, '__lt', budget);
    case '<=':
      return isBefore(left, right, '__le', budget);
    case '>=':
      return isBefore(right, left, '__le', budget);
    case '..':
      return concatenated(left, right, budget);
    default:
      return arithmetic(operator, left, right, budget);
  }
}

function arithmetic(
  operator: ProgramOperator,
  left: LuaValue,
  right: LuaValue,
  budget: LuaBudget,
): LuaValue {
  const one = toNumber(left);
  const two = toNumber(right);
  if (one !== undefined && two !== undefined) return calculated(operator, one, two);
  const event = arithmeticEvents[operator] ?? '';
  const meta = metaOf(left, event) ?? metaOf(right, event);
  if (meta !== undefined) return callValue(meta, [left, right], budget)[0];
  const wrong = one === undefined ? left : right;
  throw new LuaFailure(`attempt to perform arithmetic on a ${typeOf(wrong)} value`);
}

function calculated(operator: ProgramOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left - Math.floor(left / right) * right;
    default:
      return left ** right;
  }
}

function concatenated(left: LuaValue, right: LuaValue, budget: LuaBudget): LuaValue {
  const isText = (value: LuaValue) => typeof value === 'string' || typeof value === 'number';
  if (isText(left) && isText(right)) {
    const text = toText(left) + toText(right);
    budget.take(text.length);
    return text;
  }
  const meta = metaOf(left, '__concat') ?? metaOf(right, '__concat');
  if (meta !== undefined) return callValue(meta, [left, right], budget)[0];
  throw new LuaFailure(`attempt to concatenate a ${typeOf(isText(left) ? right : left)} value`);
}

function isEqual(left: LuaValue, right: LuaValue, budget: LuaBudget): boolean {
  if (left === right) return true;
  const meta = metaOf(left, '__eq');
  const isShared = meta !== undefined && meta === metaOf(right, '__eq');
  return isShared && isTruthy(callValue(meta, [left, right], budget)[0]);
}

function isTruthy(value: LuaValue): boolean {
  return value !== undefined && value !== false;
}

function isBefore(
  left: LuaValue,
  right: LuaValue,
  event: '__lt' | '__le',
  budget: LuaBudget,
): boolean {
  const areNumbers = typeof left === 'number' && typeof right === 'number';
  if (areNumbers || (typeof left === 'string' && typeof right === 'string')) {
    return event === '__lt' ? left < right : left <= right;
  }
  const meta = metaOf(left, event) ?? metaOf(right, event);
  if (meta !== undefined) return isTruthy(callValue(meta, [left, right], budget)[0]);
  const [one, two] = [typeOf(left), typeOf(right)];
  throw new LuaFailure(
    one === two ? `attempt to compare two ${one} values` : `attempt to compare ${one} with ${two}`,
  );
}

export function unaryValue(
  operator: 'not' | '#' | '-',
  value: LuaValue,
  budget: LuaBudget,
): LuaValue {
  if (operator === 'not') return !isTruthy(value);
  if (operator === '#') {
    const meta = metaOf(value, '__len');
    if (meta !== undefined) return callValue(meta, [value], budget)[0];
    if (typeof value === 'string' || typeof value === 'object') return value.length;
    throw new LuaFailure(`attempt to get length of a ${typeOf(value)} value`);
  }
  const number = toNumber(value);
  if (number !== undefined) return -number;
  const meta = metaOf(value, '__unm');
  if (meta !== undefined) return callValue(meta, [value], budget)[0];
  throw new LuaFailure(`attempt to perform arithmetic on a ${typeOf(value)} value`);
}

/** `tostring`, with `__tostring`. */
export function shownText(value: LuaValue, budget: LuaBudget): string {
  const meta = metaOf(value, '__tostring');
  if (meta === undefined) return toText(value);
  const text = callValue(meta, [value], budget)[0];
  if (typeof text === 'string') return text;
  throw new LuaFailure("'tostring' must return a string to 'print'");
}
