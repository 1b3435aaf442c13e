import type { Budget } from '../go/budget.ts';
import {
  Boxed,
  boxedNil,
  type CallContext,
  GoError,
  type GoFunction,
  type Reflected,
} from '../go/function.ts';
import { quoteString } from '../go/quote.ts';
import { anyType, canBeNil, type GoType, isAssignable, reflectType } from '../go/type.ts';
import {
  GoMap,
  GoObject,
  GoSlice,
  type GoValue,
  plain,
  reflectedType,
  typeOf,
  unboxed,
} from '../go/value.ts';
import { boundMethod } from './bound-method.ts';
import { constantOf, idealConstant } from './constant.ts';
import { execError } from './exec-error.ts';
import { held, zeroOf } from './held.ts';
import { type CommandNode, type Node, type OperandNode, type PipeNode, printNode } from './node.ts';
import { isTrue } from './truth.ts';

/** What all executions of a rendering share. */
export interface ExecutorOptions {
  readonly functions: { get(name: string): GoFunction | undefined };
  readonly budget: Budget;
  /** A key that a map does not have is an error. */
  readonly isStrict: boolean;
}

/** A variable of a template, with its `$`. */
interface Variable {
  readonly name: string;
  value: Reflected;
}

/** No argument was piped in. Distinct from `undefined`, which is a value that is nil. */
const nothing: unique symbol = Symbol('nothing');
type Piped = Reflected | typeof nothing;

/** A pipeline in brackets, the function that it is given to, and what looks at its arguments. */
const framesOfPipeline = 5;

/**
 * Evaluates what stands inside of actions. It follows Go's text/template step by step, for the places and
 * texts of its errors depend on the order of its steps.
 */
export class Evaluator {
  /** The template that is being executed, for errors. */
  name: string;
  /** Where an error would be. */
  node!: Node;
  variables: Variable[] = [];
  readonly #options: ExecutorOptions;
  readonly #context: CallContext;

  constructor(options: ExecutorOptions, context: CallContext, name: string) {
    this.#options = options;
    this.#context = context;
    this.name = name;
  }

  fail(message: string, cause?: GoError): never {
    throw execError(this.name, this.node, message, cause);
  }

  pipeline(dot: Reflected, pipe: PipeNode): Reflected {
    this.node = pipe;
    let value: Piped = nothing;
    const { commands, declared } = pipe;
    this.#options.budget.goInto(framesOfPipeline);
    for (let at = 0; at < commands.length; at++) {
      const result: Reflected = this.#command(dot, commands[at]!, value);
      value = result instanceof Boxed ? unboxed(result) : result;
    }
    this.#options.budget.leave(framesOfPipeline);
    const result = value as Reflected;
    if (declared.length === 0) return result;
    for (const { names } of declared) {
      if (pipe.isAssign) this.assign(names[0]!, result);
      else this.variables.push({ name: names[0]!, value: result });
    }
    return result;
  }

  /** Leaves so many variables: those of a block end with it. */
  forget(length: number): void {
    while (this.variables.length > length) this.variables.pop();
  }

  assign(name: string, value: Reflected): void {
    for (let at = this.variables.length - 1; at >= 0; at--) {
      const variable = this.variables[at]!;
      if (variable.name !== name) continue;
      variable.value = value;
      return;
    }
    this.fail(`undefined variable: ${name}`);
  }

  #variable(name: string): Reflected {
    for (let at = this.variables.length - 1; at >= 0; at--) {
      const variable = this.variables[at]!;
      if (variable.name === name) return variable.value;
    }
    return this.fail(`undefined variable: ${name}`);
  }

  #command(dot: Reflected, command: CommandNode, piped: Piped): Reflected {
    const { args } = command;
    const first = args[0]!;
    switch (first.kind) {
      case 'field':
      case 'chain':
      case 'variable':
        return this.#fieldOperand(dot, first, args, piped);
      case 'identifier':
        return this.#function(dot, first.name, first, command, args, piped);
      case 'pipe':
        this.#refuseArguments(args, piped);
        return this.pipeline(dot, first);
    }
    this.node = first;
    this.#refuseArguments(args, piped);
    switch (first.kind) {
      case 'dot':
        return dot;
      case 'nil':
        return this.fail('nil is not a command');
      case 'number':
        return this.#ideal(first);
      default:
        return first.value;
    }
  }

  #ideal(node: Node & { kind: 'number' }): Reflected {
    this.node = node;
    return idealConstant(node) ?? this.fail(`${node.text} overflows int`);
  }

  #refuseArguments(args: readonly OperandNode[], piped: Piped): void {
    if (args.length > 1 || piped !== nothing) {
      this.fail(`can't give argument to non-function ${printNode(args[0]!)}`);
    }
  }

  /** A field, a chain or a variable, with what is given to it where it is the first word of a command. */
  #fieldOperand(
    dot: Reflected,
    node: OperandNode & { kind: 'field' | 'chain' | 'variable' },
    args: readonly OperandNode[],
    piped: Piped,
  ): Reflected {
    this.node = node;
    if (node.kind === 'field') return this.#fields(dot, dot, node, node.names, 0, args, piped);
    if (node.kind === 'variable') {
      const value = this.#variable(node.names[0]!);
      if (node.names.length > 1) return this.#fields(dot, value, node, node.names, 1, args, piped);
      this.#refuseArguments(args.length === 0 ? [node] : args, piped);
      return value;
    }
    if (node.of.kind === 'nil') this.fail(`indirection through explicit nil in ${printNode(node)}`);
    const receiver = this.#argument(dot, undefined, node.of);
    return this.#fields(dot, receiver, node, node.names, 0, args, piped);
  }

  #fields(
    dot: Reflected,
    start: Reflected,
    node: OperandNode,
    names: readonly string[],
    from: number,
    args: readonly OperandNode[],
    piped: Piped,
  ): Reflected {
    let receiver = start;
    const last = names.length - 1;
    for (let at = from; at < last; at++) {
      const name = names[at]!;
      receiver = entryOf(receiver, name) ?? this.#field(dot, name, node, [], nothing, receiver);
    }
    return this.#field(dot, names[last]!, node, args, piped, receiver);
  }

  #field(
    dot: Reflected,
    name: string,
    node: OperandNode,
    args: readonly OperandNode[],
    piped: Piped,
    receiver: Reflected,
  ): Reflected {
    if (receiver === undefined) {
      if (this.#options.isStrict) this.fail(`nil data; no entry for key ${quoteString(name)}`);
      return undefined;
    }
    const value = unboxed(receiver);
    if (value === undefined) return this.fail(`nil pointer evaluating interface {}.${name}`);
    const type = typeOf(value);
    const method = boundMethod(value, type, name);
    if (method !== undefined) return this.#call(dot, method, node, name, args, piped);
    const hasArguments = args.length > 1 || piped !== nothing;
    if (value instanceof GoMap) {
      if (hasArguments) this.fail(`${name} is not a method but has arguments`);
      const found = value.entries.get(name);
      if (found !== undefined) return held(found, value.type.elem);
      if (this.#options.isStrict) this.fail(`map has no entry for key ${quoteString(name)}`);
      return zeroOf(value.type.elem!);
    }
    if (value instanceof GoObject) {
      const field = value.field(name);
      if (field !== undefined) {
        if (hasArguments) this.fail(`${name} has arguments but cannot be invoked as function`);
        return held(field.value, field.type);
      }
    }
    return this.fail(`can't evaluate field ${name} in type ${reflectedType(receiver).name}`);
  }

  #function(
    dot: Reflected,
    name: string,
    identifier: OperandNode,
    command: Node,
    args: readonly OperandNode[],
    piped: Piped,
  ): Reflected {
    this.node = identifier;
    const found = this.#options.functions.get(name);
    if (found === undefined) this.fail(`${quoteString(name)} is not a defined function`);
    return this.#call(dot, found, command, name, args, piped);
  }

  /** Calls a function or method; `words` are its name and its arguments, or none. */
  #call(
    dot: Reflected,
    callee: GoFunction,
    node: Node,
    name: string,
    words: readonly OperandNode[],
    piped: Piped,
  ): Reflected {
    const { params, isVariadic } = callee;
    const given = words.length === 0 ? 0 : words.length - 1;
    const count = given + (piped === nothing ? 0 : 1);
    const fixed = isVariadic ? params.length - 1 : given;
    if (isVariadic ? count < fixed : count !== params.length) {
      const wanted = isVariadic
        ? `at least ${fixed} got ${given}`
        : `${params.length} got ${count}`;
      this.fail(`wrong number of args for ${name}: want ${wanted}`);
    }
    if (name === 'and' || name === 'or') return this.#andOr(dot, name, words, piped);
    const values: unknown[] = [];
    const last = params.length - 1;
    for (let at = 0; at < given; at++) {
      const type = params[at < last ? at : last]!;
      values.push(passed(this.#argument(dot, type, words[at + 1]!), type));
    }
    if (piped !== nothing) {
      const type = params[count - 1 < last ? count - 1 : last]!;
      values.push(passed(this.#fit(piped, type), type));
    }
    if (name === 'call') values.unshift(printNode(words[1] ?? node));
    this.#options.budget.step(stepsFor(values, callee.effort));
    let result: Reflected | null;
    try {
      result = callee.call(values as never[], this.#context);
    } catch (error) {
      this.node = node;
      if (error instanceof GoError) this.fail(`error calling ${name}: ${error.message}`, error);
      throw error;
    }
    if (typeof result === 'string') this.#options.budget.make(result.length);
    return result === null ? boxedNil : result;
  }

  #andOr(
    dot: Reflected,
    name: 'and' | 'or',
    words: readonly OperandNode[],
    piped: Piped,
  ): Reflected {
    let value: Reflected;
    for (const word of words.slice(1)) {
      value = this.#argument(dot, reflectType, word);
      if (isTrue(value) === (name === 'or')) return value;
    }
    return piped === nothing ? value : piped;
  }

  /** Checks a value against the type of a parameter; without a type everything fits. */
  #fit(value: Reflected, type: GoType | undefined): Reflected {
    if (value === undefined) {
      if (type === undefined || type === reflectType || canBeNil(type)) return undefined;
      return this.fail(`invalid value; expected ${type.name}`);
    }
    if (type === undefined || type === reflectType || type === anyType) return value;
    if (value instanceof Boxed && value.value === null) {
      return this.fail(`wrong type for value; expected ${type.name}; got interface {}`);
    }
    const inner = unboxed(value) as Exclude<GoValue, null>;
    const given = typeOf(inner);
    if (isAssignable(given, type)) return inner;
    if (given.kind === 'ptr' && given.elem === type)
      return new GoObject(type, (inner as GoObject).fields);
    return this.fail(`wrong type for value; expected ${type.name}; got ${given.name}`);
  }

  #argument(dot: Reflected, type: GoType | undefined, node: OperandNode): Reflected {
    this.node = node;
    switch (node.kind) {
      case 'dot':
        return this.#fit(dot, type);
      case 'nil':
        if (type !== undefined && (type === reflectType || canBeNil(type))) return undefined;
        return this.fail(`cannot assign nil to ${type?.name ?? '%!s(<nil>)'}`);
      case 'field':
      case 'variable':
      case 'chain':
        return this.#fit(this.#fieldOperand(dot, node, [], nothing), type);
      case 'pipe':
        return this.#fit(this.pipeline(dot, node), type);
      case 'identifier':
        return this.#fit(this.#function(dot, node.name, node, node, [], nothing), type);
    }
    if (type === undefined || type === anyType || type === reflectType) {
      return node.kind === 'number' ? this.#ideal(node) : node.value;
    }
    const constant = constantOf(node, type);
    return typeof constant === 'object' && constant !== null && 'problem' in constant
      ? this.fail(constant.problem)
      : constant;
  }
}

/**
 * The map that a map has under a name: where most paths lead on. It needs no box, for nothing that can go wrong with a
 * field of a map tells of its type.
 */
function entryOf(receiver: Reflected, name: string): GoMap | undefined {
  const value = receiver instanceof Boxed ? receiver.value : receiver;
  if (!(value instanceof GoMap) || value.type.methods?.has(name) === true) return undefined;
  const found = value.entries.get(name);
  return found instanceof GoMap ? found : undefined;
}

/** As the function gets it: plain, unless it wants what flows through pipelines. */
function passed(value: Reflected, type: GoType): unknown {
  return type === reflectType ? value : plain(value);
}

/** What it takes to call a function that has little to do. */
const stepsOfCall = 3;

/** A call costs by what it is given: a large text or list that is only looked at takes its time, too. */
function stepsFor(values: readonly unknown[], effort = 1 / 8): number {
  let size = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (typeof value === 'string' || Array.isArray(value)) size += value.length;
    else if (value instanceof GoSlice) size += value.items.length;
    else if (value instanceof GoMap) size += value.size;
  }
  return stepsOfCall + Math.floor(size * effort);
}
