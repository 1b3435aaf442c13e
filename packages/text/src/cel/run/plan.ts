import { compileRegex } from '../../regex/compile-regex.ts';
import type { CelDeclarations } from '../declaration.ts';
import type {
  CallExpression,
  CelExpression,
  ComprehensionExpression,
  ListExpression,
  MapExpression,
  StructExpression,
} from '../syntax/ast.ts';
import { nameOfType } from '../types/type.ts';
import { ValueList, ValueMap } from '../values/collections.ts';
import {
  CelFailure,
  CelOptional,
  type CelResult,
  CelTypeValue,
  type CelValue,
  noSuchOverload,
} from '../values/value.ts';
import { type Attribute, type Qualifier, resolve } from './attribute.ts';
import { runFold } from './fold.ts';
import { Run, type Step } from './run.ts';
import { setMembership } from './set-membership.ts';
import {
  callOf,
  callStep,
  localBase,
  logical,
  notOptional,
  optionalOr,
  variable,
} from './steps.ts';

/** Makes a value of a type with fields, where an environment has such types. */
export type StructMaker = (typeName: string, fields: ReadonlyMap<string, CelValue>) => CelResult;

/** A part of an expression, ready to run. */
interface Planned {
  readonly step: Step;
  /** Set when it is the same each time. */
  readonly constant?: CelValue;
  /** Set for names and paths, which another step may lengthen. */
  readonly attribute?: Attribute;
  /** The variable at the root of a path of fields, where any name may be a variable. */
  readonly root?: { readonly name: string; readonly path: string };
}

/** Thrown when a part that is the same each time cannot be evaluated. */
export class PlanProblem extends Error {
  override readonly name = 'PlanProblem';
}

const conversions = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
);

const regexFunctions = new Set(['matches', 'find', 'findAll']);

/** A regular expression that is written out must be one. */
function assertRegex(pattern: CelValue | undefined): void {
  if (typeof pattern !== 'string') return;
  try {
    compileRegex(pattern);
  } catch (error) {
    throw new PlanProblem((error as Error).message);
  }
}

/** Turns a checked expression into a function. */
export class Planner {
  readonly #declarations: CelDeclarations;
  readonly #makeStruct: StructMaker | undefined;
  /** The slots of the variables of the loops around; a name may stand for several, the last counts. */
  readonly #scopes: {
    readonly name: string;
    readonly slot: number;
    readonly initial: Step | undefined;
  }[] = [];
  slotCount = 0;

  constructor(declarations: CelDeclarations, makeStruct?: StructMaker) {
    this.#declarations = declarations;
    this.#makeStruct = makeStruct;
  }

  /** @throws PlanProblem */
  plan(expression: CelExpression): Step {
    return this.#plan(expression).step;
  }

  #plan(expression: CelExpression): Planned {
    switch (expression.kind) {
      case 'literal':
        return constant(expression.value);
      case 'identifier':
        return this.#name(expression.name, expression);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'struct':
        return this.#struct(expression);
      case 'comprehension':
        return { step: this.#comprehension(expression) };
    }
  }

  #name(name: string, expression: CelExpression): Planned {
    const isRooted = name.startsWith('.');
    const plain = isRooted ? name.slice(1) : name;
    const local = isRooted ? undefined : this.#scopes.findLast((scope) => scope.name === plain);
    if (local !== undefined) return attribute(localBase(local), []);
    const { type } = expression;
    if (type?.kind === 'type' && !this.#declarations.variables.has(plain)) {
      return constant(new CelTypeValue(type.of === undefined ? 'type' : nameOfType(type.of)));
    }
    if (!this.#declarations.isOpen) return attribute(variable(plain, plain), []);
    const named = this.#declarations.findType(plain);
    const otherwise = named && new CelTypeValue(nameOfType(named));
    const planned = attribute(variable(plain, plain, otherwise), []);
    return { ...planned, root: { name: plain, path: plain } };
  }

  #select(expression: CelExpression & { kind: 'select' }): Planned {
    if (expression.resolved !== undefined) return this.#name(expression.resolved, expression);
    const { field, isTest } = expression;
    const qualifier: Qualifier = { key: () => field, isOptional: false, isTest };
    const operand = this.#plan(expression.operand);
    const { root } = operand;
    if (root === undefined || isTest) return this.#qualified(operand, qualifier);
    // A variable that does not exist is called by all that was asked of it.
    const path = `${root.path}.${field}`;
    const qualifiers = [...(operand.attribute?.qualifiers ?? []), qualifier];
    return { ...attribute(variable(root.name, path), qualifiers), root: { name: root.name, path } };
  }

  #qualified(operand: Planned, qualifier: Qualifier): Planned {
    const { base, qualifiers } = operand.attribute ?? { base: operand.step, qualifiers: [] };
    return attribute(base, [...qualifiers, qualifier], qualifier.isTest);
  }

  #call(expression: CallExpression): Planned {
    const { args, target } = expression;
    const all = (target === undefined ? args : [target, ...args]).map((each) => this.#plan(each));
    const [first, second, third] = all as [Planned, Planned, Planned];
    switch (expression.function) {
      case '_&&_':
        return { step: logical(first.step, second.step, false) };
      case '_||_':
        return { step: logical(first.step, second.step, true) };
      case '_?_:_':
        return conditional(first.step, second, third);
      case '_[_]':
        return this.#qualified(first, { key: keyOf(second), isOptional: false, isTest: false });
      case '_[?_]':
      case '_?._':
        return this.#qualified(first, { key: keyOf(second), isOptional: true, isTest: false });
      case 'or':
        return { step: optionalOr(first.step, second.step, false) };
      case 'orValue':
        return { step: optionalOr(first.step, second.step, true) };
    }
    return this.#ordinary(expression, all);
  }

  #ordinary(expression: CallExpression, all: readonly Planned[]): Planned {
    const name = expression.function;
    const ids = expression.overloads ?? [];
    const candidates = (this.#declarations.functions.get(name) ?? []).filter(
      ({ id, isMember, args }) =>
        (ids.length === 1 ? id === ids[0] : isMember === (expression.target !== undefined)) &&
        args.length === all.length,
    );
    const overload = ids.length === 1 ? (ids[0] as string) : '';
    const [first, second] = all;
    if (name === '@in' && overload === 'in_list' && second?.constant !== undefined) {
      const member = setMembership((first as Planned).step, second.constant);
      if (member !== undefined)
        return typeof member === 'function' ? { step: member } : constant(member);
    }
    if (regexFunctions.has(name)) assertRegex(second?.constant);
    const call = callOf(name, candidates);
    if (conversions.has(name) && first?.constant !== undefined && all.length === 1) {
      const value = call([first.constant]);
      if (value instanceof CelFailure) throw new PlanProblem(value.message);
      return constant(value);
    }
    // Where a regular expression is known beforehand, a call ends with the first argument that fails.
    const isHasty =
      all.length > 2 ||
      name === 'findAll' ||
      (regexFunctions.has(name) && second?.constant !== undefined);
    return {
      step: callStep(
        name,
        overload,
        call,
        all.map(({ step }) => step),
        isHasty,
      ),
    };
  }

  #list({ elements, optionals }: ListExpression): Planned {
    const planned = elements.map((element) => this.#plan(element));
    const steps = planned.map(({ step }) => step);
    const build = (run: Run): CelResult => {
      const items: CelValue[] = [];
      for (const [index, step] of steps.entries()) {
        const item = step(run);
        if (item instanceof CelFailure) return item;
        if (!optionals.has(index)) items.push(item);
        else if (!(item instanceof CelOptional)) return notOptional(item);
        else if (item.value !== undefined) items.push(item.value);
      }
      return new ValueList(items);
    };
    if (planned.every((each) => each.constant !== undefined)) return folded(build);
    return { step: paid(build, 10) };
  }

  #map({ entries }: MapExpression): Planned {
    const planned = entries.map(({ key, value, isOptional }) => ({
      key: this.#plan(key),
      value: this.#plan(value),
      isOptional,
    }));
    const build = (run: Run): CelResult => {
      const pairs = new Map<string, readonly [CelValue, CelValue]>();
      for (const { key, value, isOptional } of planned) {
        const [name, item] = [key.step(run), value.step(run)];
        if (name instanceof CelFailure) return name;
        if (item instanceof CelFailure) return item;
        const plain = `${typeof name}:${String(typeof name === 'object' ? JSON.stringify(name, replaceBig) : name)}`;
        if (!isOptional) pairs.set(plain, [name, item]);
        else if (!(item instanceof CelOptional)) return notOptional(item);
        else if (item.value !== undefined) pairs.set(plain, [name, item.value]);
        else pairs.delete(plain);
      }
      let map: ValueMap | CelFailure = new ValueMap();
      for (const [key, value] of pairs.values()) {
        map = map.insert(key, value);
        if (map instanceof CelFailure) return map;
      }
      return map;
    };
    const isConstant = planned.every(
      ({ key, value }) => key.constant !== undefined && value.constant !== undefined,
    );
    return isConstant ? folded(build) : { step: paid(build, 30) };
  }

  #struct({ typeName, fields }: StructExpression): Planned {
    const planned = fields.map((field) => ({ ...field, step: this.#plan(field.value).step }));
    const make = this.#makeStruct;
    const name = typeName.replace(/^\./, '');
    const build = (run: Run): CelResult => {
      const values = new Map<string, CelValue>();
      for (const { name: field, isOptional, step } of planned) {
        const value = step(run);
        if (value instanceof CelFailure) return value;
        if (!isOptional) values.set(field, value);
        else if (!(value instanceof CelOptional)) return notOptional(value);
        else if (value.value !== undefined) values.set(field, value.value);
      }
      return make?.(name, values) ?? new CelFailure(`unknown type '${name}'`);
    };
    return { step: paid(build, 40) };
  }

  #comprehension(expression: ComprehensionExpression): Step {
    const { variable, variable2, accumulator } = expression;
    const initial = this.plan(expression.initial);
    const range = this.plan(expression.range);
    const accumulatorSlot = this.#declare(accumulator, initial);
    const variableSlot = this.#declare(variable);
    const variable2Slot = variable2 === undefined ? undefined : this.#declare(variable2);
    const condition = this.plan(expression.condition);
    const step = this.plan(expression.step);
    if (variable2 !== undefined) this.#scopes.pop();
    this.#scopes.pop();
    const result = this.plan(expression.result);
    this.#scopes.pop();
    const fold = { range, condition, step, result, accumulatorSlot, variableSlot, variable2Slot };
    return (run) => runFold(fold, run);
  }

  #declare(name: string, initial?: Step): number {
    const slot = this.slotCount;
    this.slotCount += 1;
    this.#scopes.push({ name, slot, initial });
    return slot;
  }
}

const replaceBig = (_key: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value;

function constant(value: CelValue): Planned {
  return { constant: value, step: () => value };
}

/** A list or map whose parts are the same each time is made once. */
function folded(build: Step): Planned {
  const value = build(new Run(() => undefined, Number.POSITIVE_INFINITY, 0));
  return value instanceof CelFailure ? { step: () => value } : constant(value);
}

function paid(build: Step, cost: number): Step {
  return (run) => {
    const value = build(run);
    run.spend(cost);
    return value;
  };
}

function attribute(base: Step, qualifiers: readonly Qualifier[], isTest = false): Planned {
  const whole = { base, qualifiers };
  if (isTest) {
    const step: Step = (run) => {
      const value = resolve(whole, run);
      return value instanceof CelOptional ? value.value !== undefined : value;
    };
    return { step };
  }
  return { attribute: whole, step: paid((run) => resolve(whole, run), 1) };
}

/** Only the branch that is taken is evaluated; a name in it costs nothing by itself. */
function conditional(condition: Step, truthy: Planned, falsy: Planned): Planned {
  const [whenTrue, whenFalse] = [unpaid(truthy), unpaid(falsy)];
  const base: Step = (run) => {
    const value = condition(run);
    if (value === true) return whenTrue(run);
    if (value === false) return whenFalse(run);
    return value instanceof CelFailure ? value : noSuchOverload;
  };
  return { step: base, attribute: { base, qualifiers: [] } };
}

function unpaid({ attribute: path, step }: Planned): Step {
  return path === undefined ? step : (run) => resolve(path, run);
}

const keyOf = unpaid;
