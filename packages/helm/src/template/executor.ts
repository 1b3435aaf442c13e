import type { Budget } from '../go/budget.ts';
import { sprint } from '../go/format.ts';
import type { CallContext, Reflected } from '../go/function.ts';
import { quoteString } from '../go/quote.ts';
import {
  GoInt,
  GoMap,
  GoObject,
  type GoValue,
  goInt,
  itemsOf,
  plain,
  typeOf,
  unboxed,
} from '../go/value.ts';
import { Evaluator, type ExecutorOptions } from './evaluator.ts';
import { held } from './held.ts';
import type { BranchNode, ListNode, Node, PipeNode, TemplateNode } from './node.ts';
import type { TemplateSet } from './template-set.ts';
import { isTrue } from './truth.ts';

const goesOn = 0;
const breaks = 1;
const continues = 2;
const framesOfBlock = 2;
/** What a round of `range` takes, beside what is in it. */
const stepsOfRound = 2;
type Flow = typeof goesOn | typeof breaks | typeof continues;

/** Executes one template, and those that it calls by `template`, into one output. */
export class Executor {
  readonly #budget: Budget;
  readonly #set: TemplateSet;
  readonly #evaluator: Evaluator;
  /** How many templates are being executed by `template`. */
  #depth = 0;
  #out = '';
  /** Told what wrote the output from a place on, where somebody wants to know. */
  readonly #onWrite: ((at: number, node: Node) => void) | undefined;

  constructor(
    options: ExecutorOptions,
    set: TemplateSet,
    context: CallContext,
    name: string,
    onWrite?: (at: number, node: Node) => void,
  ) {
    this.#onWrite = onWrite;
    this.#budget = options.budget;
    this.#set = set;
    this.#evaluator = new Evaluator(options, context, name);
  }

  run(root: ListNode, data: GoValue): string {
    const dot = data === null ? undefined : data;
    this.#evaluator.variables.push({ name: '$', value: dot });
    this.#walkList(dot, root);
    return this.#out;
  }

  #write(text: string): void {
    this.#budget.make(text.length);
    this.#out += text;
  }

  /** One frame for each block: templates nest as deep as the stack of the process lets them. */
  #walkList(dot: Reflected, { nodes }: ListNode): Flow {
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]!;
      this.#evaluator.node = node;
      this.#budget.step();
      let flow: Flow = goesOn;
      switch (node.kind) {
        case 'text':
          this.#onWrite?.(this.#out.length, node);
          this.#write(node.text);
          break;
        case 'action': {
          const value = this.#evaluator.pipeline(dot, node.pipe);
          if (node.pipe.declared.length > 0) break;
          this.#evaluator.node = node;
          this.#onWrite?.(this.#out.length, node);
          this.#write(typeof value === 'string' ? value : this.#printed(value));
          break;
        }
        case 'if':
        case 'with':
          flow = this.#ifOrWith(dot, node);
          break;
        case 'range':
          flow = this.#range(dot, node);
          break;
        case 'template':
          this.#template(dot, node);
          break;
        case 'break':
          return breaks;
        case 'continue':
          return continues;
      }
      if (flow !== goesOn) return flow;
    }
    return goesOn;
  }

  #printed(value: Reflected): string {
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
      return sprint([new GoObject(plainValue.type.elem!, plainValue.fields)], this.#budget);
    }
    return sprint([plainValue], this.#budget);
  }

  #ifOrWith(dot: Reflected, node: BranchNode): Flow {
    const mark = this.#evaluator.variables.length;
    const value = this.#evaluator.pipeline(dot, node.pipe);
    let flow: Flow = goesOn;
    this.#budget.goInto(framesOfBlock);
    if (isTrue(value)) flow = this.#walkList(node.kind === 'with' ? value : dot, node.list);
    else if (node.elseList !== undefined) flow = this.#walkList(dot, node.elseList);
    this.#budget.leave(framesOfBlock);
    this.#evaluator.forget(mark);
    return flow;
  }

  #range(dot: Reflected, node: BranchNode): Flow {
    const mark = this.#evaluator.variables.length;
    const value = unboxed(this.#evaluator.pipeline(dot, node.pipe));
    const inner = this.#evaluator.variables.length;
    let ran = false;
    let flow: Flow = goesOn;
    const each = (index: Reflected, item: Reflected): boolean => {
      ran = true;
      this.#budget.step(stepsOfRound);
      this.#setRangeVariables(node.pipe, index, item);
      flow = this.#walkList(item, node.list);
      this.#evaluator.forget(inner);
      return flow !== breaks;
    };
    this.#budget.goInto(framesOfBlock);
    this.#iterate(node, value, each);
    this.#budget.leave(framesOfBlock);
    if (!ran && node.elseList !== undefined) {
      flow = this.#walkList(dot, node.elseList);
      this.#evaluator.forget(mark);
      return flow;
    }
    this.#evaluator.forget(mark);
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
        this.#evaluator.fail(
          `can't use ${sprint([value], this.#budget)} to iterate over more than one variable`,
        );
      }
      for (let at = 0n; at < value.value; at++)
        if (!each(undefined, new GoInt(value.type, at))) return;
      return;
    }
    this.#evaluator.fail(`range can't iterate over ${sprint([plain(value)], this.#budget)}`);
  }

  #setRangeVariables({ declared, isAssign }: PipeNode, index: Reflected, item: Reflected): void {
    const [first, second] = declared;
    if (first === undefined) return;
    if (isAssign) {
      this.#evaluator.assign(first.names[0]!, second === undefined ? item : index);
      if (second !== undefined) this.#evaluator.assign(second.names[0]!, item);
      return;
    }
    const top = this.#evaluator.variables.length;
    this.#evaluator.variables[top - 1]!.value = item;
    if (second !== undefined) this.#evaluator.variables[top - 2]!.value = index;
  }

  #template(dot: Reflected, node: TemplateNode): void {
    const root = this.#set.find(node.name);
    if (root === undefined) this.#evaluator.fail(`template ${quoteString(node.name)} not defined`);
    this.#budget.enter(++this.#depth);
    this.#budget.goInto(framesOfBlock);
    const value = node.pipe === undefined ? undefined : this.#evaluator.pipeline(dot, node.pipe);
    const outer = { name: this.#evaluator.name, variables: this.#evaluator.variables };
    this.#evaluator.name = node.name;
    this.#evaluator.variables = [{ name: '$', value }];
    this.#walkList(value, root);
    this.#evaluator.name = outer.name;
    this.#evaluator.variables = outer.variables;
    this.#budget.leave(framesOfBlock);
    this.#depth--;
  }
}
