import { byteOrderMark, isBreak, isBreakOrEnd, spaceCode, tabCode } from './characters.ts';
import type { Scanner } from './scanner.ts';

/** Goes to the next token, over spaces, line breaks and comments. */
export function skipBlanks(scanner: Scanner): void {
  const { reader } = scanner;
  for (;;) {
    if (reader.column === 0 && reader.peek() === byteOrderMark) reader.skip();
    while (
      reader.peek() === spaceCode ||
      ((scanner.flowLevel > 0 || !scanner.isSimpleKeyAllowed) && reader.peek() === tabCode)
    ) {
      reader.skip();
    }
    if (reader.peek() === 0x23) skipComment(scanner);
    if (!isBreak(reader.peek())) return;
    reader.skipLine();
    if (scanner.flowLevel === 0) scanner.isSimpleKeyAllowed = true;
  }
}

function skipComment(scanner: Scanner): void {
  const { reader } = scanner;
  const from = reader.index;
  while (!isBreakOrEnd(reader.peek())) reader.skip();
  const text = reader.text.slice(from, reader.index);
  const meaning = text.replace(/^#+\s*/, '');
  if (meaning.startsWith('{')) scanner.schemaComments.set(reader.line, meaning);
  if (scanner.comments === undefined) return;
  const lineStart = reader.text.lastIndexOf('\n', from - 1) + 1;
  const isAlone = reader.text.slice(lineStart, from).trim() === '';
  scanner.comments.add(reader.line, text, isAlone);
}
