import { hexValue, isBlankOrBreakOrEnd, isWord } from './characters.ts';
import type { Scanner } from './scanner.ts';
import type { Mark } from './yaml-error.ts';

/** Scans `!`, `!suffix`, `!!suffix`, `!handle!suffix` and `!<uri>`. */
export function scanTag(scanner: Scanner): { handle: string; suffix: string } {
  const { reader } = scanner;
  const start = reader.mark();
  let handle = '';
  let suffix = '';
  if (reader.peek(1) === 0x3c) {
    reader.skip(2);
    suffix = scanTagUri(scanner, '', start);
    if (reader.peek() !== 0x3e) scanner.fail(start, "did not find the expected '>'");
    reader.skip();
  } else {
    handle = scanTagHandle(scanner, false, start);
    if (handle.length >= 2 && handle.endsWith('!')) {
      suffix = scanTagUri(scanner, '', start);
    } else {
      suffix = scanTagUri(scanner, handle, start);
      handle = '!';
      if (suffix === '') {
        handle = '';
        suffix = '!';
      }
    }
  }
  if (!isBlankOrBreakOrEnd(reader.peek())) {
    scanner.fail(start, 'did not find expected whitespace or line break');
  }
  return { handle, suffix };
}

export function scanTagHandle(scanner: Scanner, isDirective: boolean, start: Mark): string {
  const { reader } = scanner;
  if (reader.peek() !== 0x21) scanner.fail(start, "did not find expected '!'");
  const from = reader.index;
  reader.skip();
  while (isWord(reader.peek())) reader.skip();
  if (reader.peek() === 0x21) {
    reader.skip();
  } else if (isDirective && reader.text.slice(from, reader.index) !== '!') {
    scanner.fail(start, "did not find expected '!'");
  }
  return reader.text.slice(from, reader.index);
}

/** `head` is what was read as a handle and turned out to be the start of the suffix. */
export function scanTagUri(scanner: Scanner, head: string, start: Mark): string {
  const { reader } = scanner;
  let uri = head.length > 1 ? head.slice(1) : '';
  let hasTag = head.length > 0;
  for (;;) {
    const code = reader.peek();
    const isUri = isWord(code) || ";/?:@&=+$.!~*'()[],".includes(String.fromCharCode(code));
    if (!isUri && code !== 0x25) break;
    if (Number.isNaN(code)) break;
    if (code === 0x25) {
      uri += scanEscapes(scanner, start);
    } else {
      uri += String.fromCharCode(code);
      reader.skip();
    }
    hasTag = true;
  }
  if (!hasTag) scanner.fail(start, 'did not find expected tag URI');
  return uri;
}

function scanEscapes(scanner: Scanner, start: Mark): string {
  const { reader } = scanner;
  const octets: number[] = [];
  while (reader.peek() === 0x25) {
    const high = hexValue(reader.peek(1));
    const low = hexValue(reader.peek(2));
    if (high < 0 || low < 0) scanner.fail(start, 'did not find URI escaped octet');
    octets.push(high * 16 + low);
    reader.skip(3);
  }
  return Buffer.from(octets).toString('utf8');
}
