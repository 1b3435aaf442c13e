const letter = /^\p{L}/u;
const digit = /^\p{Nd}/u;

function isLetter(point: number): boolean {
  if (point < 0x80) return (point >= 0x61 && point <= 0x7a) || (point >= 0x41 && point <= 0x5a);
  return letter.test(String.fromCodePoint(point));
}

function isDigit(point: number): boolean {
  if (point < 0x80) return point >= 0x30 && point <= 0x39;
  return digit.test(String.fromCodePoint(point));
}

/**
 * The order in which Kubernetes' tools print keys: numbers inside keys count as numbers (`a2` before
 * `a10`), and what is not a letter comes before letters.
 *
 * ```ts
 * ['a10', 'a2', 'a-1'].sort(compareKeys); // ['a-1', 'a2', 'a10']
 * ```
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    if (a.charCodeAt(at) === b.charCodeAt(at)) continue;
    // Two characters may differ in their second half only.
    const isSecondHalf =
      at > 0 && (a.codePointAt(at - 1)! > 0xffff || b.codePointAt(at - 1)! > 0xffff);
    const index = isSecondHalf ? at - 1 : at;
    const x = a.codePointAt(index)!;
    const y = b.codePointAt(index)!;
    const isLetterX = isLetter(x);
    const isLetterY = isLetter(y);
    if (isLetterX && isLetterY) return x - y;
    if (isLetterX || isLetterY) return isLetterX ? 1 : -1;
    return compareNumbers(a, b, index);
  }
  return a.length - b.length;
}

/** Compares from the first difference on, which lies outside letters in both. */
function compareNumbers(a: string, b: string, index: number): number {
  let start = 0n;
  // A zero that follows other digits belongs to a number that has begun before.
  if (a[index] === '0' || b[index] === '0') {
    for (let back = index - 1; back >= 0 && isDigit(a.charCodeAt(back)); back -= 1) {
      if (a[back] !== '0') {
        start = 1n;
        break;
      }
    }
  }
  const x = numberAt(a, index, start);
  const y = numberAt(b, index, start);
  if (x.value !== y.value) return x.value < y.value ? -1 : 1;
  if (x.digits !== y.digits) return x.digits - y.digits;
  return a.codePointAt(index)! - b.codePointAt(index)!;
}

/** Long digits overflow 64 bits in the original, and the order follows; other scripts' count by their code. */
function numberAt(text: string, index: number, start: bigint): { value: bigint; digits: number } {
  let value = start;
  let digits = 0;
  for (let at = index; at < text.length; digits += 1) {
    const point = text.codePointAt(at)!;
    if (!isDigit(point)) break;
    value = BigInt.asIntN(64, value * 10n + BigInt(point - 0x30));
    at += point > 0xffff ? 2 : 1;
  }
  return { value, digits };
}
