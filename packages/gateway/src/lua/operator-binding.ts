/** How tightly operators bind, to their left and to their right. */
export const binaryBinding: ReadonlyMap<string, readonly [number, number]> = new Map<
  string,
  readonly [number, number]
>([
  ['or', [1, 1]],
  ['and', [2, 2]],
  ...['<', '>', '<=', '>=', '~=', '=='].map((sign) => [sign, [3, 3]] as const),
  ['..', [5, 4]],
  ...['+', '-'].map((sign) => [sign, [6, 6]] as const),
  ...['*', '/', '%'].map((sign) => [sign, [7, 7]] as const),
  ['^', [10, 9]],
]);

export const unaryBinding = 8;

/** Words that are no names. */
export const luaReserved: ReadonlySet<string> = new Set(
  'and break do else elseif end false for function goto if in local nil not or repeat return then true until while'.split(
    ' ',
  ),
);

/** How deep a program may be nested: Lua's own limit is about the same. */
export const depthLimit = 190;
/** How many operators, or calls and fields, may follow each other in one expression. */
export const chainLimit = 500;
/** More names than this in one function are refused by Lua, too. */
export const slotLimit = 200;
