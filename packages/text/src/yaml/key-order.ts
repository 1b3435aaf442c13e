const letter = /^\p{L}$/u;
const digit = /^\p{Nd}$/u;

/**
 * The order in which Kubernetes' tools print keys: letters after everything else, and runs of
 * digits by their number, so that `port2` stands before `port10`.
 */
export function compareKeys(left: string, right: string): number {
  if (left === right) return 0;
  const a = Array.from(left);
  const b = Array.from(right);
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const one = a[at] as string;
    const other = b[at] as string;
    if (one === other) continue;
    const oneIsLetter = letter.test(one);
    const otherIsLetter = letter.test(other);
    if (oneIsLetter && otherIsLetter) return byCodePoint(one, other);
    if (oneIsLetter || otherIsLetter) return otherIsLetter ? -1 : 1;
    return compareNumbers(a, b, at);
  }
  return a.length - b.length;
}

function compareNumbers(a: string[], b: string[], from: number): number {
  let leading = '';
  if (a[from] === '0' || b[from] === '0') {
    for (let at = from - 1; at >= 0 && digit.test(a[at] as string); at--) {
      if (a[at] !== '0') {
        leading = '1';
        break;
      }
    }
  }
  const one = digitsAt(a, from);
  const other = digitsAt(b, from);
  const difference = numberOf(leading + one) - numberOf(leading + other);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  if (one.length !== other.length) return one.length - other.length;
  return byCodePoint(a[from] as string, b[from] as string);
}

function digitsAt(characters: string[], from: number): string {
  let end = from;
  while (end < characters.length && digit.test(characters[end] as string)) end++;
  return characters.slice(from, end).join('');
}

/** Wraps at 64 bits, as the original does. Digits of other scripts count by their code point. */
function numberOf(digits: string): bigint {
  let value = 0n;
  for (const character of digits) {
    value = BigInt.asIntN(64, value * 10n + BigInt((character.codePointAt(0) as number) - 0x30));
  }
  return value;
}

function byCodePoint(a: string, b: string): number {
  return (a.codePointAt(0) as number) - (b.codePointAt(0) as number);
}
