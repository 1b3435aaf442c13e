/**
 * Orders texts as their UTF-8 bytes do, which is how Go sorts. UTF-16, and with it JavaScript's `<`, puts
 * characters beyond U+FFFF elsewhere.
 *
 * ```ts
 * ['\uffe6', '😀', 'b', 'a'].sort(compareUtf8); // ['a', 'b', '\uffe6', '😀']
 * ```
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const one = a.charCodeAt(index);
    const other = b.charCodeAt(index);
    if (one !== other) return rank(one) - rank(other);
  }
  return a.length - b.length;
}

/** Halves of surrogate pairs stand for characters above all other code units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
