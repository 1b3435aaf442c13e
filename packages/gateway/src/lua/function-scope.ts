import type { CapturedVariable, LocalVariable } from './program-syntax.ts';

/** How a name is found from inside a function. */
type FoundName =
  | { readonly kind: 'local'; readonly variable: LocalVariable }
  | { readonly kind: 'upvalue'; readonly index: number; readonly variable: LocalVariable }
  | undefined;

/** The names that a function being read can see: its own blocks, and through it those around it. */
export class FunctionScope {
  readonly outer: FunctionScope | undefined;
  readonly isVariadic: boolean;
  readonly captured: CapturedVariable[] = [];
  /** How many loops the statement being read is inside of. */
  loops = 0;
  readonly #blocks: Map<string, LocalVariable>[] = [];
  readonly #capturedByVariable = new Map<LocalVariable, number>();
  #slots = 0;

  constructor(outer: FunctionScope | undefined, isVariadic: boolean) {
    this.outer = outer;
    this.isVariadic = isVariadic;
  }

  get slots(): number {
    return this.#slots;
  }

  open(): void {
    this.#blocks.push(new Map());
  }

  close(): void {
    this.#blocks.pop();
  }

  /** Each declaration has a place of its own, also one that hides another of its name. */
  declare(name: string): LocalVariable {
    const variable = { name, slot: this.#slots, isCaptured: false };
    this.#slots += 1;
    this.#blocks.at(-1)?.set(name, variable);
    return variable;
  }

  find(name: string): FoundName {
    const own = this.#own(name);
    if (own !== undefined) return { kind: 'local', variable: own };
    const around = this.outer?.find(name);
    if (around === undefined) return undefined;
    return { kind: 'upvalue', index: this.#capture(around), variable: around.variable };
  }

  #own(name: string): LocalVariable | undefined {
    for (let at = this.#blocks.length - 1; at >= 0; at -= 1) {
      const variable = this.#blocks[at]?.get(name);
      if (variable !== undefined) return variable;
    }
    return undefined;
  }

  #capture(found: Exclude<FoundName, undefined>): number {
    if (found.kind === 'local') {
      found.variable.isCaptured = true;
      const known = this.#capturedByVariable.get(found.variable);
      if (known !== undefined) return known;
      this.#capturedByVariable.set(found.variable, this.captured.length);
    } else {
      const known = this.captured.findIndex(
        (each) => each.kind === 'upvalue' && each.index === found.index,
      );
      if (known !== -1) return known;
    }
    return this.captured.push(found) - 1;
  }
}
