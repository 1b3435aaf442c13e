import type { CodeSet } from './code-set.ts';

/** A place in a text that a pattern asks for; nothing is read there. */
export type Place =
  | 'start'
  | 'end'
  /** The end, or before a newline that is the last character: `$` of PCRE. */
  | 'endOrNewline'
  | 'lineStart'
  | 'lineEnd'
  | 'boundary'
  | 'notBoundary';

/** A parsed regular expression. */
export type RegexNode =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CodeSet }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly options: readonly RegexNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: RegexNode;
      readonly min: number;
      readonly max: number;
      /** As few as possible. */
      readonly isLazy: boolean;
    }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'group'; readonly part: RegexNode; readonly index: number };

/** What a pattern says. */
export interface ParsedRegex {
  readonly node: RegexNode;
  /** How many groups capture; the whole match is not counted. */
  readonly groupCount: number;
  readonly names: ReadonlyMap<string, number>;
  /** Which characters make a word, for boundaries. */
  readonly wordSet: CodeSet;
}

/** Whether a pattern may match without reading anything. */
export function isNullable(node: RegexNode): boolean {
  switch (node.kind) {
    case 'empty':
    case 'place':
      return true;
    case 'set':
      return false;
    case 'sequence':
      return node.parts.every(isNullable);
    case 'choice':
      return node.options.some(isNullable);
    case 'repeat':
      return node.min === 0 || isNullable(node.part);
    case 'group':
      return isNullable(node.part);
  }
}
