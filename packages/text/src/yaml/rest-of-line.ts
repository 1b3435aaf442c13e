import { isBlank, isBreakOrEnd } from './characters.ts';
import type { Scanner } from './scanner.ts';
import type { Mark } from './yaml-error.ts';

const hash = 0x23;

/** Goes to the next line: nothing but blanks and a comment may be left of this one. */
export function skipRestOfLine(scanner: Scanner, start: Mark): void {
  const { reader } = scanner;
  while (isBlank(reader.peek())) reader.skip();
  if (reader.peek() === hash) {
    while (!isBreakOrEnd(reader.peek())) reader.skip();
  }
  if (!isBreakOrEnd(reader.peek())) {
    scanner.fail(start, 'did not find expected comment or line break');
  }
  reader.skipLine();
}
