import { isBlank, isBlankOrBreakOrEnd, isDigit, isWord } from './characters.ts';
import { skipRestOfLine } from './rest-of-line.ts';
import { scanTagHandle, scanTagUri } from './scan-tag.ts';
import type { Scanner } from './scanner.ts';
import type { Mark } from './yaml-error.ts';

/** Scans `%YAML 1.1` or `%TAG ! prefix`, to the end of the line. */
export function scanDirective(scanner: Scanner): void {
  const { reader } = scanner;
  const start = reader.mark();
  reader.skip();
  const from = reader.index;
  while (isWord(reader.peek())) reader.skip();
  const name = reader.text.slice(from, reader.index);
  if (name === '') scanner.fail(start, 'could not find expected directive name');
  if (!isBlankOrBreakOrEnd(reader.peek())) {
    scanner.fail(start, 'found unexpected non-alphabetical character');
  }
  if (name === 'YAML') scanVersion(scanner, start);
  else if (name === 'TAG') scanTagDirective(scanner, start);
  else scanner.fail(start, 'found unknown directive name');
  skipRestOfLine(scanner, start);
}

function scanVersion(scanner: Scanner, start: Mark): void {
  const { reader } = scanner;
  while (isBlank(reader.peek())) reader.skip();
  const number = (): string => {
    const from = reader.index;
    while (isDigit(reader.peek())) reader.skip();
    if (from === reader.index) scanner.fail(start, 'did not find expected version number');
    if (reader.index - from > 2) scanner.fail(start, 'found extremely long version number');
    return reader.text.slice(from, reader.index);
  };
  const major = number();
  if (reader.peek() !== 0x2e) scanner.fail(start, "did not find expected digit or '.' character");
  reader.skip();
  scanner.emit('version-directive', start, `${major}.${number()}`);
}

function scanTagDirective(scanner: Scanner, start: Mark): void {
  const { reader } = scanner;
  while (isBlank(reader.peek())) reader.skip();
  const handle = scanTagHandle(scanner, true, start);
  if (!isBlank(reader.peek())) scanner.fail(start, 'did not find expected whitespace');
  while (isBlank(reader.peek())) reader.skip();
  const value = scanTagUri(scanner, '', start);
  if (!isBlankOrBreakOrEnd(reader.peek())) {
    scanner.fail(start, 'did not find expected whitespace or line break');
  }
  scanner.emit('tag-directive', start, value, handle);
}
