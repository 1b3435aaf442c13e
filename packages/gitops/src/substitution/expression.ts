/** A text with `${…}` in it, taken apart. */
export type Expression =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'function'; readonly function: FunctionCall };

export interface FunctionCall {
  /** `:-`, `#`, `//`, …; empty for a plain `${name}`. */
  readonly name: string;
  readonly variable: string;
  readonly arguments: readonly Expression[];
}

/**
 * Why a text cannot be taken apart or put together.
 *
 * ```ts
 * try {
 *   substitute('${name', new Map());
 * } catch (error) {
 *   if (error instanceof SubstitutionError) console.error(error.message);
 * }
 * ```
 */
export class SubstitutionError extends Error {
  override readonly name = 'SubstitutionError';
}
