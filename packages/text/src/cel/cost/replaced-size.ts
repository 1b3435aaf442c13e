import { product, type Range, sum, unbounded } from './range.ts';

const oneMore = (size: bigint) => (size < unbounded ? size + 1n : size);
const quotient = (size: bigint, by: bigint) => BigInt(Math.ceil(Number(size) / Number(by)));

/** How long a text may be in which every `from` became a `to`. */
export function replacedSize(text: Range, from: Range, to: Range): Range {
  const longest = longestCase(text.max, from.min, to.max);
  const shortest = shortestCase(text.min, from.max, to.min);
  const changes = { min: shortest.changes, max: longest.changes };
  return sum(product(changes, to), { min: shortest.kept, max: longest.kept });
}

interface Case {
  readonly changes: bigint;
  /** The characters of the text that stay. */
  readonly kept: bigint;
}

/** An empty `from` puts `to` around every character; a short one may be all of the text. */
function longestCase(text: bigint, from: bigint, to: bigint): Case {
  if (from === 0n) return { changes: oneMore(text), kept: text };
  if (to <= from) return { changes: 0n, kept: text };
  return { changes: quotient(text, from), kept: 0n };
}

function shortestCase(text: bigint, from: bigint, to: bigint): Case {
  if (from === 0n) return { changes: oneMore(text), kept: text };
  if (from <= to) return { changes: 0n, kept: text };
  return { changes: quotient(text, from), kept: 0n };
}
