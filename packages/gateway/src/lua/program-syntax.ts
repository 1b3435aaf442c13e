import type { LuaValue } from './lua-value.ts';

/** A local of a function. Its place in the frame is known; whether an inner function uses it only at the end. */
export interface LocalVariable {
  readonly name: string;
  readonly slot: number;
  isCaptured: boolean;
}

/** Where a function finds a local of one around it: in the frame that makes it, or among that one's own. */
export type CapturedVariable =
  | { readonly kind: 'local'; readonly variable: LocalVariable }
  | { readonly kind: 'upvalue'; readonly index: number };

export type ProgramOperator =
  | ('==' | '~=' | '<' | '>' | '<=' | '>=')
  | ('..' | '+' | '-' | '*' | '/' | '%' | '^');

export interface FunctionBody {
  readonly parameters: readonly LocalVariable[];
  readonly isVariadic: boolean;
  readonly body: Block;
  readonly captured: readonly CapturedVariable[];
  readonly slots: () => number;
}

export type ProgramExpression =
  | { readonly kind: 'constant'; readonly value: LuaValue }
  | { readonly kind: 'local'; readonly variable: LocalVariable }
  | { readonly kind: 'upvalue'; readonly index: number; readonly variable: LocalVariable }
  | { readonly kind: 'global'; readonly name: string }
  | { readonly kind: 'rest' }
  | { readonly kind: 'index'; readonly from: ProgramExpression; readonly key: ProgramExpression }
  | ProgramCall
  | {
      readonly kind: 'and' | 'or';
      readonly left: ProgramExpression;
      readonly right: ProgramExpression;
    }
  | {
      readonly kind: 'binary';
      readonly operator: ProgramOperator;
      readonly left: ProgramExpression;
      readonly right: ProgramExpression;
    }
  | { readonly kind: 'unary'; readonly operator: 'not' | '#' | '-'; readonly of: ProgramExpression }
  | { readonly kind: 'single'; readonly of: ProgramExpression }
  | { readonly kind: 'function'; readonly body: FunctionBody }
  | { readonly kind: 'table'; readonly entries: readonly TableEntry[] };

export interface ProgramCall {
  readonly kind: 'call';
  readonly callee: ProgramExpression;
  /** Set for `a:name()`. */
  readonly method: string | undefined;
  readonly args: readonly ProgramExpression[];
  readonly line: number;
}

/** Without a key the next number is one. */
export interface TableEntry {
  readonly key: ProgramExpression | undefined;
  readonly value: ProgramExpression;
}

export interface Block {
  readonly statements: readonly ProgramStatement[];
  /** Where `goto` may lead: the index of the statement behind a label. */
  readonly labels: ReadonlyMap<string, number>;
}

export type ProgramStatement = { readonly line: number } & (
  | {
      readonly kind: 'local';
      readonly variables: readonly LocalVariable[];
      readonly values: readonly ProgramExpression[];
    }
  | {
      readonly kind: 'localFunction';
      readonly variable: LocalVariable;
      readonly value: ProgramExpression;
    }
  | {
      readonly kind: 'assign';
      readonly targets: readonly ProgramExpression[];
      readonly values: readonly ProgramExpression[];
    }
  | {
      readonly kind: 'if';
      readonly branches: readonly { readonly condition: ProgramExpression; readonly body: Block }[];
      readonly otherwise: Block | undefined;
    }
  | { readonly kind: 'while'; readonly condition: ProgramExpression; readonly body: Block }
  | { readonly kind: 'repeat'; readonly condition: ProgramExpression; readonly body: Block }
  | {
      readonly kind: 'count';
      readonly variable: LocalVariable;
      readonly from: ProgramExpression;
      readonly to: ProgramExpression;
      readonly step: ProgramExpression | undefined;
      readonly body: Block;
    }
  | {
      readonly kind: 'each';
      readonly variables: readonly LocalVariable[];
      readonly values: readonly ProgramExpression[];
      readonly body: Block;
    }
  | { readonly kind: 'do'; readonly body: Block }
  | { readonly kind: 'call'; readonly call: ProgramExpression }
  | { readonly kind: 'break' }
  | { readonly kind: 'goto'; readonly label: string }
  | { readonly kind: 'return'; readonly values: readonly ProgramExpression[] }
);

/** A program, and what is in it that a reader may want to refuse before it runs. */
export interface ParsedProgram {
  readonly body: FunctionBody;
  /** Names that are none of its locals, each with the line of its first use. */
  readonly globals: ReadonlyMap<string, number>;
  readonly calls: readonly ProgramCall[];
  /** All that is given a value, but for locals where they are declared. */
  readonly assigned: readonly ProgramExpression[];
}

/** Whether something can be given a value. */
export function isAssignable({ kind }: ProgramExpression): boolean {
  return kind === 'local' || kind === 'upvalue' || kind === 'global' || kind === 'index';
}
