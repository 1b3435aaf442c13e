/**
 * Whether an error says that the stack of this process was at its end, or a text longer than it can hold.
 *
 * V8 says the first as a RangeError, but as a SyntaxError (`Invalid regular expression: /…/: Stack overflow`) where a
 * pattern was used for the first time just there: patterns are compiled when they are first used, not when they are read.
 *
 * @example
 * try {
 *   return walk(tree);
 * } catch (error) {
 *   if (isOutOfStack(error)) throw new Error('nested too deeply', { cause: error });
 *   throw error;
 * }
 */
export function isOutOfStack(error: unknown): error is RangeError | SyntaxError {
  if (error instanceof RangeError) return true;
  return error instanceof SyntaxError && error.message.endsWith('Stack overflow');
}
