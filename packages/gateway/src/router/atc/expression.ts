/** The language of Kong's expression routes (ATC), as a tree. */
export type Expression =
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not'; readonly operand: Expression }
  | Predicate;

export type Operator =
  | '=='
  | '!='
  | '~'
  | '^='
  | '=^'
  | '>'
  | '>='
  | '<'
  | '<='
  | 'in'
  | 'not in'
  | 'contains';

export type Literal =
  | { readonly type: 'string'; readonly text: string }
  | { readonly type: 'int'; readonly number: bigint }
  | { readonly type: 'ip'; readonly address: string }
  | { readonly type: 'cidr'; readonly address: string; readonly bits: number };

/** `field operator literal`. With several values in a field all must match, or any with `any()`. */
export interface Predicate {
  readonly kind: 'predicate';
  readonly field: string;
  readonly isLower: boolean;
  readonly isAny: boolean;
  readonly operator: Operator;
  readonly literal: Literal;
}

export function and(parts: readonly Expression[]): Expression | undefined {
  return join('and', parts);
}

export function or(parts: readonly Expression[]): Expression | undefined {
  return join('or', parts);
}

/** A predicate on a string, without transformations. */
export function stringPredicate(field: string, operator: Operator, text: string): Predicate {
  const literal: Literal = { type: 'string', text };
  return { kind: 'predicate', field, isLower: false, isAny: false, operator, literal };
}

export function intPredicate(field: string, operator: Operator, number: number): Predicate {
  const literal: Literal = { type: 'int', number: BigInt(number) };
  return { kind: 'predicate', field, isLower: false, isAny: false, operator, literal };
}

function join(kind: 'and' | 'or', parts: readonly Expression[]): Expression | undefined {
  return parts.length === 0
    ? undefined
    : parts.reduce((left, right): Expression => ({ kind, left, right }));
}
