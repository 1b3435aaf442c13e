import { isBlankOrBreakOrEnd, isWord } from './characters.ts';
import type { Scanner } from './scanner.ts';

/** The name after `&` or `*`. */
export function scanAnchor(scanner: Scanner): string {
  const { reader } = scanner;
  const start = reader.mark();
  reader.skip();
  const from = reader.index;
  while (isWord(reader.peek())) reader.skip();
  const code = reader.peek();
  const mayFollow = isBlankOrBreakOrEnd(code) || '?:,]}%@`'.includes(String.fromCharCode(code));
  if (from === reader.index || !mayFollow) {
    scanner.fail(start, 'did not find expected alphabetic or numeric character');
  }
  return reader.text.slice(from, reader.index);
}
