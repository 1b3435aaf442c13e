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

/** 48 K words of eight bytes: 384 of the 984 kB that V8 gives a stack. */
const room: readonly 0[] = new Array<0>(48 * 1024).fill(0);

/**
 * Whether so much of the stack is left that what is called from here need not mind it: 384 kB.
 *
 * What nests as deep as somebody else's document says asks this every hundred frames or so, and refuses the document
 * where the answer is no. To go on until the stack ends and catch that is not enough: up to Node.js 24 a pattern that
 * is compiled at the end of the stack ends the process, and not by an exception.
 *
 * It takes about ten microseconds.
 *
 * @example
 * if (depth % 64 === 0 && !hasStackLeft()) throw new RangeError('nested too deeply');
 */
export function hasStackLeft(): boolean {
  try {
    // Arguments lie on the stack: these are there, or there is no room for them.
    Reflect.apply(takeAll, undefined, room);
    return true;
  } catch {
    return false;
  }
}

function takeAll(): void {}

const levelsBetweenLooks = 32;

/**
 * Asks `hasStackLeft` at every 32nd level of something that nests.
 *
 * @example
 * holdStack(++this.#depth);
 * @throws RangeError where little of the stack is left
 */
export function holdStack(level: number): void {
  if (level % levelsBetweenLooks === 0 && !hasStackLeft()) {
    throw new RangeError('little of the stack is left');
  }
}
