import type { Mark } from './yaml-error.ts';

export type TokenKind =
  | 'stream-start'
  | 'stream-end'
  | 'version-directive'
  | 'tag-directive'
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

/** A map or sequence is `plain` when it is written as a block. */
export type NodeStyle = ScalarStyle | 'flow';

export interface Token {
  readonly kind: TokenKind;
  readonly start: Mark;
  /** The text of a scalar, the name of an alias or anchor, the suffix of a tag. */
  readonly value: string;
  /** The handle of a tag, or of a tag directive. */
  readonly handle: string;
  readonly style: ScalarStyle;
}
