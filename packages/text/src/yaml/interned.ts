/** Longer texts are rarely met twice. */
const maxLength = 32;
const slotCount = 2048;

/** Texts seen of late, by a cheap hash. Bounded: a newcomer takes the slot of whoever was there. */
const slots: (string | undefined)[] = new Array(slotCount).fill(undefined);

/**
 * A part of a text, as a string that is shared with equal parts seen before. Manifests repeat the
 * same few words: sharing them saves most of the strings that a tree would hold.
 */
export function internedSlice(text: string, from: number, to: number): string {
  const length = to - from;
  if (length > maxLength) return text.slice(from, to);
  const middle = from + (length >> 1);
  const hash =
    length * 61 +
    text.charCodeAt(from) * 7 +
    text.charCodeAt(middle) * 31 +
    text.charCodeAt(to - 1) * 127;
  const slot = hash & (slotCount - 1);
  const known = slots[slot];
  if (known !== undefined && known.length === length && text.startsWith(known, from)) return known;
  const part = text.slice(from, to);
  slots[slot] = part;
  return part;
}
