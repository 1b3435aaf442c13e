const LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/u;

function isLetter(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
  return LETTER.test(String.fromCharCode(code));
}

function isDigit(code: number): boolean {
  if (code < 0x80) return code >= 0x30 && code <= 0x39;
  return DIGIT.test(String.fromCharCode(code));
}

/**
 * The order of keys in the output: numbers inside keys count as numbers (`a2` before `a10`), and
 * what is not a letter comes before letters.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x === y) continue;
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
  let x = 0n;
  let y = 0n;
  // A zero that follows other digits belongs to a number that has begun before.
  if (a[index] === '0' || b[index] === '0') {
    for (let back = index - 1; back >= 0 && isDigit(a.charCodeAt(back)); back -= 1) {
      if (a[back] !== '0') {
        x = 1n;
        y = 1n;
        break;
      }
    }
  }
  let endX = index;
  while (endX < a.length && isDigit(a.charCodeAt(endX))) {
    x = wrap(x * 10n + BigInt(a.charCodeAt(endX) - 0x30));
    endX += 1;
  }
  let endY = index;
  while (endY < b.length && isDigit(b.charCodeAt(endY))) {
    y = wrap(y * 10n + BigInt(b.charCodeAt(endY) - 0x30));
    endY += 1;
  }
  if (x !== y) return x < y ? -1 : 1;
  if (endX !== endY) return endX - endY;
  return a.charCodeAt(index) - b.charCodeAt(index);
}

/** Long digits overflow 64 bits in the original, and the order follows. */
function wrap(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}
