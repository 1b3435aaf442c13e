import type { Budget } from '../go/budget.ts';
import { sprint } from '../go/format.ts';
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
  GoInt,
  GoMap,
  GoObject,
  type GoValue,
  goInt,
  itemsOf,
  plain,
  reflectedType,
  typeOf,
  unboxed,
} from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import { boundMethod } from './bound-method.ts';
import { constantOf, idealConstant } from './constant.ts';
import { execError } from './exec-error.ts';
import {
  type BranchNode,
  type CommandNode,
  type ListNode,
  type Node,
  type OperandNode,
  type PipeNode,
  printNode,
  type TemplateNode,
} from './node.ts';
import type { TemplateSet } from './template-set.ts';
import { isTrue } from './truth.ts';

/** What all executions of a rendering share. */
export interface ExecutorOptions {
  readonly functions: ReadonlyMap<string, GoFunction>;
  readonly budget: Budget;
  /** A key that a map does not have is an error. */
  readonly isStrict: boolean;
}

interface Variable {
  readonly name: string;
  value: Reflected;
}

const goesOn = 0;
const breaks = 1;
const continues = 2;
type Flow = typeof goesOn | typeof breaks | typeof continues;

/** No argument was piped in. Distinct from `undefined`, which is a value that is nil. */
const nothing: unique symbol = Symbol('nothing');
type Piped = Reflected | typeof nothing;

/**
 * Executes one template, and those that it calls by `template`, into one output. It follows Go's
 * text/template step by step, for the places and texts of its errors depend on the order of its steps.
 */
export class Executor {
  readonly #options: ExecutorOptions;
  readonly #set: TemplateSet;
  readonly #context: CallContext;
  #name: string;
  /** Where an error would be. */
  #node: Node;
  #variables: Variable[];
  #depth: number;
  #out = '';

  constructor(
    options: ExecutorOptions,
    set: TemplateSet,
    context: CallContext,
    name: string,
    root: ListNode,
    depth: number,
  ) {
    this.#options = options;
    this.#set = set;
    this.#context = context;
    this.#name = name;
    this.#node = root;
    this.#variables = [];
    this.#depth = depth;
  }

  run(root: ListNode, data: GoValue): string {
    const dot = data === null ? undefined : data;
    this.#variables.push({ name: '$', value: dot });
    this.#walkList(dot, root);
    return this.#out;
  }

  #fail(message: string, cause?: GoError): never {
    throw execError(this.#name, this.#node, message, cause);
  }

  #write(text: string): void {
    this.#options.budget.make(text.length);
    this.#out += text;
  }

  #walkList(dot: Reflected, { nodes }: ListNode): Flow {
    for (const node of nodes) {
      const flow = this.#walk(dot, node);
      if (flow !== goesOn) return flow;
    }
    return goesOn;
  }

  #walk(dot: Reflected, node: Node): Flow {
    this.#node = node;
    this.#options.budget.step();
    switch (node.kind) {
      case 'text':
        this.#write(node.text);
        return goesOn;
      case 'action': {
        const value = this.#pipeline(dot, node.pipe);
        if (node.pipe.declared.length === 0) {
          this.#node = node;
          this.#write(this.#printed(value));
        }
        return goesOn;
      }
      case 'if':
      case 'with':
        return this.#ifOrWith(dot, node);
      case 'range':
        return this.#range(dot, node);
      case 'template':
        this.#template(dot, node);
        return goesOn;
      case 'break':
        return breaks;
      case 'continue':
        return continues;
      default:
        return goesOn;
    }
  }

  #printed(value: Reflected): string {
    if (typeof value === 'string') return value;
    const plainValue = plain(value);
    if (value === undefined) return '<no value>';
    if (plainValue instanceof GoObject && plainValue.type.addressText !== undefined) {
      return plainValue.type.addressText(plainValue);
    }
    if (
      plainValue instanceof GoObject &&
      plainValue.type.kind === 'ptr' &&
      plainValue.type.elem!.text === undefined
    ) {
      return sprint([new GoObject(plainValue.type.elem!, plainValue.fields)], this.#options.budget);
    }
    return sprint([plainValue], this.#options.budget);
  }

  #ifOrWith(dot: Reflected, node: BranchNode): Flow {
    const mark = this.#variables.length;
    const value = this.#pipeline(dot, node.pipe);
    let flow: Flow = goesOn;
    if (isTrue(value)) flow = this.#walkList(node.kind === 'with' ? value : dot, node.list);
    else if (node.elseList !== undefined) flow = this.#walkList(dot, node.elseList);
    this.#variables.length = mark;
    return flow;
  }

  #range(dot: Reflected, node: BranchNode): Flow {
    const mark = this.#variables.length;
    const value = unboxed(this.#pipeline(dot, node.pipe));
    const inner = this.#variables.length;
    let ran = false;
    let flow: Flow = goesOn;
    const each = (index: Reflected, item: Reflected): boolean => {
      ran = true;
      this.#options.budget.step();
      this.#setRangeVariables(node.pipe, index, item);
      flow = this.#walkList(item, node.list);
      this.#variables.length = inner;
      return flow !== breaks;
    };
    this.#iterate(node, value, each);
    if (!ran && node.elseList !== undefined) {
      flow = this.#walkList(dot, node.elseList);
      this.#variables.length = mark;
      return flow;
    }
    this.#variables.length = mark;
    return goesOn;
  }

  #iterate(
    node: BranchNode,
    value: Reflected,
    each: (index: Reflected, item: Reflected) => boolean,
  ): void {
    if (value === undefined) return;
    const items = itemsOf(plain(value));
    if (items !== undefined) {
      const holds = typeOf(value as Exclude<GoValue, null>).elem;
      for (let at = 0; at < items.length; at++)
        if (!each(goInt(at), held(items[at]!, holds))) return;
      return;
    }
    if (value instanceof GoMap) {
      const holds = value.type.elem;
      // Sorted and taken before the first round, as Go does: what the rounds change is not seen.
      for (const [key, item] of value
        .sortedKeys()
        .map((name) => [name, value.get(name)!] as const)) {
        if (!each(key, held(item, holds))) return;
      }
      return;
    }
    if (value instanceof GoInt) {
      if (node.pipe.declared.length > 1) {
        this.#fail(
          `can't use ${sprint([value], this.#options.budget)} to iterate over more than one variable`,
        );
      }
      for (let at = 0n; at < value.value; at++)
        if (!each(undefined, new GoInt(value.type, at))) return;
      return;
    }
    this.#fail(`range can't iterate over ${sprint([plain(value)], this.#options.budget)}`);
  }

  #setRangeVariables({ declared, isAssign }: PipeNode, index: Reflected, item: Reflected): void {
    const [first, second] = declared;
    if (first === undefined) return;
    if (isAssign) {
      this.#assign(first.names[0]!, second === undefined ? item : index);
      if (second !== undefined) this.#assign(second.names[0]!, item);
      return;
    }
    const top = this.#variables.length;
    this.#variables[top - 1]!.value = item;
    if (second !== undefined) this.#variables[top - 2]!.value = index;
  }

  #template(dot: Reflected, node: TemplateNode): void {
    const root = this.#set.find(node.name);
    if (root === undefined) this.#fail(`template ${quoteString(node.name)} not defined`);
    this.#options.budget.enter(++this.#depth);
    const value = node.pipe === undefined ? undefined : this.#pipeline(dot, node.pipe);
    const outer = { name: this.#name, variables: this.#variables };
    this.#name = node.name;
    this.#variables = [{ name: '$', value }];
    this.#walkList(value, root);
    this.#name = outer.name;
    this.#variables = outer.variables;
    this.#depth--;
  }

  #pipeline(dot: Reflected, pipe: PipeNode): Reflected {
    this.#node = pipe;
    let value: Piped = nothing;
    for (const command of pipe.commands) {
      const result: Reflected = this.#command(dot, command, value);
      value = result instanceof Boxed ? unboxed(result) : result;
    }
    const result = value as Reflected;
    for (const { names } of pipe.declared) {
      if (pipe.isAssign) this.#assign(names[0]!, result);
      else this.#variables.push({ name: names[0]!, value: result });
    }
    return result;
  }

  #assign(name: string, value: Reflected): void {
    for (let at = this.#variables.length - 1; at >= 0; at--) {
      const variable = this.#variables[at]!;
      if (variable.name !== name) continue;
      variable.value = value;
      return;
    }
    this.#fail(`undefined variable: ${name}`);
  }

  #variable(name: string): Reflected {
    for (let at = this.#variables.length - 1; at >= 0; at--) {
      const variable = this.#variables[at]!;
      if (variable.name === name) return variable.value;
    }
    return this.#fail(`undefined variable: ${name}`);
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
        return this.#pipeline(dot, first);
    }
    this.#node = first;
    this.#refuseArguments(args, piped);
    switch (first.kind) {
      case 'dot':
        return dot;
      case 'nil':
        return this.#fail('nil is not a command');
      case 'number':
        return this.#ideal(first);
      default:
        return first.value;
    }
  }

  #ideal(node: Node & { kind: 'number' }): Reflected {
    this.#node = node;
    return idealConstant(node) ?? this.#fail(`${node.text} overflows int`);
  }

  #refuseArguments(args: readonly OperandNode[], piped: Piped): void {
    if (args.length > 1 || piped !== nothing) {
      this.#fail(`can't give argument to non-function ${printNode(args[0]!)}`);
    }
  }

  /** A field, a chain or a variable, with what is given to it where it is the first word of a command. */
  #fieldOperand(
    dot: Reflected,
    node: OperandNode & { kind: 'field' | 'chain' | 'variable' },
    args: readonly OperandNode[],
    piped: Piped,
  ): Reflected {
    this.#node = node;
    if (node.kind === 'field') return this.#fields(dot, dot, node, node.names, 0, args, piped);
    if (node.kind === 'variable') {
      const value = this.#variable(node.names[0]!);
      if (node.names.length > 1) return this.#fields(dot, value, node, node.names, 1, args, piped);
      this.#refuseArguments(args.length === 0 ? [node] : args, piped);
      return value;
    }
    if (node.of.kind === 'nil')
      this.#fail(`indirection through explicit nil in ${printNode(node)}`);
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
      receiver = this.#field(dot, names[at]!, node, [], nothing, receiver);
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
      if (this.#options.isStrict) this.#fail(`nil data; no entry for key ${quoteString(name)}`);
      return undefined;
    }
    const value = unboxed(receiver);
    if (value === undefined) return this.#fail(`nil pointer evaluating interface {}.${name}`);
    const type = typeOf(value);
    const method = boundMethod(value, type, name);
    if (method !== undefined) return this.#call(dot, method, node, name, args, piped);
    const hasArguments = args.length > 1 || piped !== nothing;
    if (value instanceof GoMap) {
      if (hasArguments) this.#fail(`${name} is not a method but has arguments`);
      const found = value.entries.get(name);
      if (found !== undefined) return held(found, value.type.elem);
      if (this.#options.isStrict) this.#fail(`map has no entry for key ${quoteString(name)}`);
      return zeroOf(value.type.elem!);
    }
    if (value instanceof GoObject) {
      const field = value.field(name);
      if (field !== undefined) {
        if (hasArguments) this.#fail(`${name} has arguments but cannot be invoked as function`);
        return held(field.value, field.type);
      }
    }
    return this.#fail(`can't evaluate field ${name} in type ${reflectedType(receiver).name}`);
  }

  #function(
    dot: Reflected,
    name: string,
    identifier: OperandNode,
    command: Node,
    args: readonly OperandNode[],
    piped: Piped,
  ): Reflected {
    this.#node = identifier;
    const found = this.#options.functions.get(name);
    if (found === undefined) this.#fail(`${quoteString(name)} is not a defined function`);
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
    const given = Math.max(words.length - 1, 0);
    const count = given + (piped === nothing ? 0 : 1);
    const fixed = isVariadic ? params.length - 1 : given;
    if (isVariadic ? count < fixed : count !== params.length) {
      const wanted = isVariadic
        ? `at least ${fixed} got ${given}`
        : `${params.length} got ${count}`;
      this.#fail(`wrong number of args for ${name}: want ${wanted}`);
    }
    if (name === 'and' || name === 'or') return this.#andOr(dot, name, words, piped);
    const values: unknown[] = [];
    for (let at = 0; at < given; at++) {
      const type = params[Math.min(at, params.length - 1)]!;
      values.push(passed(this.#argument(dot, type, words[at + 1]!), type));
    }
    if (piped !== nothing) {
      const type = params[isVariadic ? Math.min(count - 1, fixed) : params.length - 1]!;
      values.push(passed(this.#fit(piped, type), type));
    }
    if (name === 'call') values.unshift(printNode(words[1] ?? node));
    return this.#invoke(callee, values, node, name);
  }

  #invoke(callee: GoFunction, values: readonly unknown[], node: Node, name: string): Reflected {
    const { budget } = this.#options;
    budget.step();
    let result: Reflected | null;
    try {
      result = callee.call(values as never[], this.#context);
    } catch (error) {
      if (error instanceof HelmError) throw error;
      this.#node = node;
      if (error instanceof GoError) this.#fail(`error calling ${name}: ${error.message}`, error);
      throw error;
    }
    if (typeof result === 'string') budget.make(result.length);
    else if (result === null) return boxedNil;
    return result;
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
      return this.#fail(`invalid value; expected ${type.name}`);
    }
    if (type === undefined || type === reflectType || type === anyType) return value;
    if (value instanceof Boxed && value.value === null) {
      return this.#fail(`wrong type for value; expected ${type.name}; got interface {}`);
    }
    const inner = unboxed(value) as Exclude<GoValue, null>;
    const given = typeOf(inner);
    if (isAssignable(given, type)) return inner;
    if (given.kind === 'ptr' && given.elem === type)
      return new GoObject(type, (inner as GoObject).fields);
    return this.#fail(`wrong type for value; expected ${type.name}; got ${given.name}`);
  }

  #argument(dot: Reflected, type: GoType | undefined, node: OperandNode): Reflected {
    this.#node = node;
    switch (node.kind) {
      case 'dot':
        return this.#fit(dot, type);
      case 'nil':
        if (type !== undefined && (type === reflectType || canBeNil(type))) return undefined;
        return this.#fail(`cannot assign nil to ${type?.name ?? '%!s(<nil>)'}`);
      case 'field':
      case 'variable':
      case 'chain':
        return this.#fit(this.#fieldOperand(dot, node, [], nothing), type);
      case 'pipe':
        return this.#fit(this.#pipeline(dot, node), type);
      case 'identifier':
        return this.#fit(this.#function(dot, node.name, node, node, [], nothing), type);
    }
    if (type === undefined || type === anyType || type === reflectType) {
      return node.kind === 'number' ? this.#ideal(node) : node.value;
    }
    const constant = constantOf(node, type);
    return typeof constant === 'object' && constant !== null && 'problem' in constant
      ? this.#fail(constant.problem)
      : constant;
  }
}

/** What a container holds: in one of `interface {}` everything is boxed. */
function held(value: GoValue, type: GoType | undefined): Reflected {
  if (value === null) return boxedNil;
  return type === anyType ? new Boxed(value) : value;
}

function zeroOf(type: GoType): Reflected {
  return type.kind === 'string' ? '' : boxedNil;
}

/** As the function gets it: plain, unless it wants what flows through pipelines. */
function passed(value: Reflected, type: GoType): unknown {
  return type === reflectType ? value : plain(value);
}
