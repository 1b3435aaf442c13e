import type { LuaValue } from '../lua/lua-value.ts';

export type BinaryOperator =
  | ('==' | '~=' | '<' | '>' | '<=' | '>=')
  | ('..' | '+' | '-' | '*' | '/' | '%' | '^');

/** An expression. Every name is known: what is none was refused by the parser. */
export type LuaExpression =
  | { readonly kind: 'constant'; readonly value: LuaValue }
  | { readonly kind: 'local' | 'global'; readonly name: string }
  | { readonly kind: 'index'; readonly from: LuaExpression; readonly key: LuaExpression }
  | { readonly kind: 'call'; readonly callee: LuaExpression; readonly args: LuaExpression[] }
  | {
      readonly kind: 'method';
      readonly from: LuaExpression;
      readonly name: string;
      readonly args: LuaExpression[];
    }
  | { readonly kind: 'and' | 'or'; readonly left: LuaExpression; readonly right: LuaExpression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: LuaExpression;
      readonly right: LuaExpression;
    }
  | { readonly kind: 'unary'; readonly operator: 'not' | '#' | '-'; readonly of: LuaExpression }
  /** In parentheses, which cut a list of values to its first. */
  | { readonly kind: 'single'; readonly of: LuaExpression }
  | { readonly kind: 'function'; readonly parameters: string[]; readonly body: LuaStatement[] };

export type LuaStatement =
  | { readonly kind: 'local'; readonly names: string[]; readonly values: LuaExpression[] }
  | { readonly kind: 'assign'; readonly names: string[]; readonly values: LuaExpression[] }
  | {
      readonly kind: 'if';
      readonly branches: { readonly condition: LuaExpression; readonly body: LuaStatement[] }[];
      readonly otherwise: LuaStatement[];
    }
  | { readonly kind: 'while'; readonly condition: LuaExpression; readonly body: LuaStatement[] }
  | {
      readonly kind: 'for';
      readonly name: string;
      readonly from: LuaExpression;
      readonly to: LuaExpression;
      readonly step: LuaExpression | undefined;
      readonly body: LuaStatement[];
    }
  | { readonly kind: 'do'; readonly body: LuaStatement[] }
  | { readonly kind: 'call'; readonly call: LuaExpression }
  | { readonly kind: 'break' }
  | { readonly kind: 'return'; readonly values: LuaExpression[] };
