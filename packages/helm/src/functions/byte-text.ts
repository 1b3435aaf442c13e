import type { Budget } from '../go/budget.ts';
import { encodeBytes } from '../go/bytes.ts';
import { bytesAsText, isSpace, textOfByteText } from './runes.ts';

// Masterminds' goutils take bytes for characters; texts beyond ASCII come out garbled, and so they do here.

/** Deletes white space. A text that has any is put together of its bytes as characters. */
export function withoutSpaces(text: string): string {
  const bytes = bytesAsText(text);
  const kept = Array.from(bytes).filter((each) => !isSpace(each));
  return kept.length === bytes.length ? text : kept.join('');
}

/** The first byte of each word, as a character. */
export function initials(text: string): string {
  let out = '';
  let isGap = true;
  for (const each of bytesAsText(text)) {
    if (isSpace(each)) isGap = true;
    else if (isGap) {
      out += each;
      isGap = false;
    }
  }
  return out;
}

/** Cuts a text to a width, with dots for what is missing at the end and, from an offset on, at the start. */
export function abbreviate(text: string, from: number, width: number): string {
  return textOfByteText(shorten(bytesAsText(text), from, width));
}

function shorten(text: string, from: number, width: number): string {
  if (text === '' || width < 4) return '';
  if (text.length <= width) return text;
  let offset = Math.min(from, text.length);
  if (text.length - offset < width - 3) offset = text.length - (width - 3);
  if (offset <= 4) return `${text.slice(0, width - 3)}...`;
  if (width < 7) return '';
  if (offset + width - 3 < text.length) return `...${shorten(text.slice(offset), 0, width - 3)}`;
  return `...${text.slice(text.length - (width - 3))}`;
}

/** Breaks a text at spaces so that lines are no longer than a width, where words allow it. */
export function wrapText(
  text: string,
  width: number,
  separator: string,
  cutsWords: boolean,
  budget: Budget,
): string {
  const bytes = bytesAsText(text);
  const limit = Math.max(width, 1);
  const lineBreak = separator === '' ? '\n' : encodeBytes(separator).toString('latin1');
  const lines: string[] = [];
  let at = 0;
  while (bytes.length - at > limit) {
    if (bytes[at] === ' ') {
      at++;
      continue;
    }
    budget.make(lineBreak.length + 8);
    let end = bytes.lastIndexOf(' ', at + limit);
    let next = end + 1;
    if (end < at) {
      if (cutsWords) [end, next] = [at + limit, at + limit];
      else {
        const space = bytes.indexOf(' ', at + limit);
        if (space < 0) break;
        [end, next] = [space, space + 1];
      }
    }
    lines.push(bytes.slice(at, end));
    at = next;
  }
  lines.push(bytes.slice(at));
  return textOfByteText(lines.join(lineBreak));
}
