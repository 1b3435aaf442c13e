import type {
  CallExpression,
  CelExpression,
  ComprehensionExpression,
  ListExpression,
  MapExpression,
  SelectExpression,
} from '../syntax/ast.ts';
import { accumulatorName } from '../syntax/macro.ts';
import { type CelType, optionalPart } from '../types/type.ts';
import { CelUint, lengthOf } from '../values/value.ts';
import { type CallEstimate, estimateCall } from './call-estimate.ts';
import {
  anything,
  exactly,
  nothing,
  one,
  product,
  type Range,
  sum,
  unbounded,
  union,
} from './range.ts';

/**
 * How long what a path leads to may be; undefined when nothing is known. A path begins with a
 * variable, and goes on with fields, `@items`, `@keys` and `@values`.
 */
export type SizeOfPath = (path: readonly string[]) => Range | undefined;

/** The sizes of the keys and values of a list or map. */
interface EntrySizes {
  readonly container: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

interface LocalVariable {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entrySizes: EntrySizes | undefined;
}

/** An argument, as far as its cost is concerned. */
export interface EstimatedArgument {
  readonly expression: CelExpression | undefined;
  readonly type: CelType;
  readonly path: readonly string[];
  /** What the expression itself says of its size. */
  readonly computed: Range | undefined;
}

/** Between how much and how much it may cost to evaluate a checked expression. */
export function estimateCost(
  expression: CelExpression,
  sizeOfPath: SizeOfPath = () => undefined,
): Range {
  return new Estimator(sizeOfPath).cost(expression);
}

class Estimator {
  readonly #sizeOfPath: SizeOfPath;
  readonly #paths = new Map<CelExpression, readonly string[]>();
  readonly #sizes = new Map<CelExpression, Range>();
  readonly #entrySizes = new Map<CelExpression, EntrySizes>();
  readonly #locals = new Map<string, LocalVariable[]>();

  constructor(sizeOfPath: SizeOfPath) {
    this.#sizeOfPath = (path) => (path.length === 0 ? undefined : sizeOfPath(path));
  }

  cost(expression: CelExpression): Range {
    switch (expression.kind) {
      case 'literal':
        return nothing;
      case 'identifier':
        this.#paths.set(expression, this.#local(expression.name)?.path ?? [expression.name]);
        return one;
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'struct':
        return sum(...expression.fields.map(({ value }) => this.cost(value)), exactly(40));
      case 'comprehension':
        return isBinding(expression) ? this.#binding(expression) : this.#loop(expression);
    }
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: LocalVariable): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #pathOf(expression: CelExpression): readonly string[] {
    const local = expression.kind === 'identifier' ? this.#local(expression.name) : undefined;
    return local?.path ?? this.#paths.get(expression) ?? [];
  }

  #select(expression: SelectExpression): Range {
    if (expression.resolved !== undefined) {
      this.#paths.set(expression, [expression.resolved]);
      return one;
    }
    const { operand, field, isTest } = expression;
    const cost = this.cost(operand);
    if (isTest) return cost;
    this.#paths.set(expression, [...this.#pathOf(operand), field]);
    const isPaid = ['map', 'struct', 'param'].includes(operand.type?.kind ?? '');
    return isPaid ? sum(cost, one) : cost;
  }

  #argument(expression: CelExpression): EstimatedArgument {
    const path = this.#pathOf(expression);
    const isInternal = path[0] === accumulatorName;
    return {
      expression,
      type: expression.type as CelType,
      path: isInternal ? [] : path,
      computed: this.#sizeOf(expression),
    };
  }

  #call(expression: CallExpression): Range {
    const { args, target, overloads = [] } = expression;
    if (expression.function === 'dyn' && target === undefined) {
      const [argument] = args as [CelExpression];
      const cost = this.cost(argument);
      this.#copySizes(expression, argument);
      return sum(one, cost);
    }
    const costs = args.map((argument) => this.cost(argument));
    if (overloads.length === 0) return nothing;
    const estimated = args.map((argument) => this.#argument(argument));
    const targetCost = target === undefined ? nothing : this.cost(target);
    const context = {
      function: expression.function,
      target: target === undefined ? undefined : this.#argument(target),
      args: estimated,
      sizeOfPath: this.#sizeOfPath,
    };
    let callCost: Range = { min: unbounded, max: 0n };
    let size: Range | undefined;
    for (const overload of overloads) {
      const { cost, resultSize } = this.#overload(expression, overload, context, costs);
      callCost = union(callCost, cost);
      if (resultSize !== undefined)
        size = size === undefined ? resultSize : union(size, resultSize);
      const step = { index_list: '@items', index_map: '@values' }[overload];
      if (step !== undefined) {
        size = this.#entrySizesOf(args[0] as CelExpression)?.value;
        this.#paths.set(expression, [...this.#pathOf(args[0] as CelExpression), step]);
      }
      size ??= this.#sizeOf(expression);
    }
    if (size !== undefined) this.#sizes.set(expression, size);
    return sum(targetCost, callCost);
  }

  #overload(
    expression: CallExpression,
    overload: string,
    context: Parameters<typeof estimateCall>[1],
    costs: readonly Range[],
  ): CallEstimate {
    const [first, second, third] = costs as [Range, Range, Range];
    const { args } = expression;
    if (overload === 'logical_and' || overload === 'logical_or') {
      return { cost: { min: first.min, max: sum(first, second).max } };
    }
    if (overload === 'conditional') {
      const [, truthy, falsy] = args as [CelExpression, CelExpression, CelExpression];
      this.#setEntrySizes(
        expression,
        unionEntries(this.#entrySizesOf(truthy), this.#entrySizesOf(falsy)),
      );
      return {
        cost: sum(first, union(second, third)),
        resultSize: union(this.#sizeOrAny(truthy), this.#sizeOrAny(falsy)),
      };
    }
    if (['add_string', 'add_bytes', 'add_list'].includes(overload)) {
      const [left, right] = args as [CelExpression, CelExpression];
      this.#setEntrySizes(
        expression,
        unionEntries(this.#entrySizesOf(left), this.#entrySizesOf(right)),
      );
    }
    const { cost, resultSize } = estimateCall(overload, context);
    return { cost: sum(cost, ...costs), resultSize };
  }

  #list(expression: ListExpression): Range {
    const { elements } = expression;
    let value: Range = { min: elements.length === 0 ? 0n : unbounded, max: 0n };
    const costs = elements.map((element) => {
      const cost = this.cost(element);
      value = union(value, this.#sizeOrAny(element));
      return cost;
    });
    this.#entrySizes.set(expression, { container: 'list', key: one, value });
    return sum(...costs, exactly(10));
  }

  #map(expression: MapExpression): Range {
    const { entries } = expression;
    const start: Range = { min: entries.length === 0 ? 0n : unbounded, max: 0n };
    let [keySize, valueSize] = [start, start];
    const costs = entries.map(({ key, value }) => {
      const cost = sum(this.cost(key), this.cost(value));
      keySize = union(keySize, this.#sizeOrAny(key));
      valueSize = union(valueSize, this.#sizeOrAny(value));
      return cost;
    });
    this.#entrySizes.set(expression, { container: 'map', key: keySize, value: valueSize });
    return sum(...costs, exactly(30));
  }

  #binding(expression: ComprehensionExpression): Range {
    const { range, initial, result, accumulator } = expression;
    const cost = sum(this.cost(range), this.cost(initial));
    this.#pushBound(accumulator, initial);
    const resultCost = this.cost(result);
    this.#pop(accumulator);
    this.#copySizes(expression, result);
    return sum(cost, resultCost);
  }

  #pushBound(name: string, value: CelExpression): void {
    this.#push(name, {
      path: this.#pathOf(value),
      size: this.#sizeOf(value),
      entrySizes: this.#entrySizesOf(value),
    });
  }

  #loop(expression: ComprehensionExpression): Range {
    const { range, initial, condition, step, result, accumulator, variable, variable2 } =
      expression;
    const before = sum(this.cost(range), this.cost(initial));
    this.#pushBound(accumulator, initial);
    this.#pushVariables(range, variable, variable2);
    const roundCost = sum(this.cost(condition), this.cost(step));
    this.#pop(variable);
    if (variable2 !== undefined) this.#pop(variable2);
    const resultCost = this.cost(result);
    this.#pop(accumulator);
    const rounds = this.#sizeOrAny(range);
    if (initial.kind === 'literal') this.#setSize(expression, this.#sizeOf(initial));
    else if (initial.kind === 'list' || initial.kind === 'map') {
      this.#setSize(expression, rounds);
      this.#setEntrySizes(expression, this.#entrySizesOf(step));
    }
    return sum(before, resultCost, product(rounds, roundCost));
  }

  #pushVariables(range: CelExpression, variable: string, variable2: string | undefined): void {
    const entries = this.#entrySizesOf(range);
    const path = this.#pathOf(range);
    const isList = (entries?.container ?? range.type?.kind) === 'list';
    const push = (name: string, step: string, size: Range | undefined) =>
      this.#push(name, { path: [...path, step], size, entrySizes: undefined });
    if (variable2 === undefined) {
      push(variable, isList ? '@items' : '@keys', isList ? entries?.value : entries?.key);
      return;
    }
    push(variable, isList ? '@indices' : '@keys', entries?.key);
    push(variable2, isList ? '@items' : '@values', entries?.value);
  }

  #setSize(expression: CelExpression, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(expression, size);
  }

  #setEntrySizes(expression: CelExpression, sizes: EntrySizes | undefined): void {
    if (sizes !== undefined) this.#entrySizes.set(expression, sizes);
  }

  #copySizes(to: CelExpression, from: CelExpression): void {
    this.#setSize(to, this.#sizeOf(from));
    this.#setEntrySizes(to, this.#entrySizesOf(from));
  }

  #sizeOrAny(expression: CelExpression): Range {
    return this.#sizeOf(expression) ?? anything;
  }

  #sizeOf(expression: CelExpression): Range | undefined {
    const known = this.#sizes.get(expression) ?? writtenSize(expression);
    if (known !== undefined) return known;
    const declared = this.#sizeOfPath(this.#pathOf(expression));
    if (declared !== undefined) {
      this.#sizes.set(expression, declared);
      return declared;
    }
    if (isScalar(expression.type as CelType)) return one;
    return expression.kind === 'identifier' ? this.#local(expression.name)?.size : undefined;
  }

  #entrySizesOf(expression: CelExpression): EntrySizes | undefined {
    const known = this.#entrySizes.get(expression);
    if (known !== undefined || expression.kind !== 'identifier') return known;
    return this.#local(expression.name)?.entrySizes;
  }
}

function unionEntries(
  left: EntrySizes | undefined,
  right: EntrySizes | undefined,
): EntrySizes | undefined {
  if (left === undefined || right === undefined) return undefined;
  return {
    container: left.container,
    key: union(left.key, right.key),
    value: union(left.value, right.value),
  };
}

/** A loop without rounds, which only gives a value a name. */
function isBinding({ range, condition, accumulator }: ComprehensionExpression): boolean {
  return (
    range.kind === 'list' &&
    range.elements.length === 0 &&
    condition.kind === 'literal' &&
    condition.value === false &&
    accumulator !== accumulatorName
  );
}

/** The size of what is written out in the expression. */
function writtenSize(expression: CelExpression): Range | undefined {
  if (expression.kind === 'list') return exactly(expression.elements.length);
  if (expression.kind === 'map') return exactly(expression.entries.length);
  if (expression.kind !== 'literal') return undefined;
  const { value } = expression;
  if (typeof value === 'string') return exactly(lengthOf(value));
  if (value instanceof Uint8Array) return exactly(value.length);
  return value === null || typeof value !== 'object' || value instanceof CelUint ? one : undefined;
}

const scalars = ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'];

function isScalar(type: CelType): boolean {
  const inner = optionalPart(type);
  return inner === undefined ? scalars.includes(type.kind) : isScalar(inner);
}
