// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const unsafe = /[\x00\r\n]|[^\x00-\xff]/;

/**
 * A text as it may stand in a header: one character a byte, on one line. Characters beyond Latin-1 become
 * their UTF-8 bytes, as Kong sends them; cut to one byte they could be line ends.
 */
export function headerValue(text: string): string {
  if (!unsafe.test(text)) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
  return Buffer.from(text.replace(/[\x00\r\n]+/g, ' '), 'utf8').toString('latin1');
}
