/** A header line that may be read in more than one way, or not at all. */
export class HeaderSyntaxError extends Error {
  /**
   * A header line can be read in more than one way, or not at all. The request is refused with 400;
   * a client that sends it must be mended.
   */
  readonly code = 'WG_GATEWAY_HEADER';

  constructor(message: string) {
    super(message);
    this.name = 'HeaderSyntaxError';
  }
}

/** Control characters, and line ends that are not exactly CR LF. Folded lines start with a blank. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const forbidden = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n|\r\n[ \t]/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Names that were seen and are good, with their lower case: most requests bring the same ones. */
const knownNames = new Map<string, string>();
const maximumKnownNames = 1_000;

/**
 * Whether a head holds anything that no head may: checked once for the whole of it, before it is taken
 * apart.
 */
export function isCleanHead(text: string): boolean {
  return !forbidden.test(text);
}

/** The lower case of a header name. Throws if it is none. */
function lowerName(name: string): string {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  if (!token.test(name)) throw new HeaderSyntaxError('a header has no valid name');
  const lower = name.toLowerCase();
  if (knownNames.size < maximumKnownNames) knownNames.set(name, lower);
  return lower;
}

/**
 * Takes header lines apart. `visit` gets each with its name as it came, its lower case and its value
 * without the blanks around it.
 *
 * @param start - where the first line starts; the lines go on to the end of the text
 */
export function readHeaderLines(
  text: string,
  start: number,
  visit: (name: string, lower: string, value: string) => void,
): void {
  let from = start;
  while (from < text.length) {
    let end = text.indexOf('\r\n', from);
    if (end === -1) end = text.length;
    const colon = text.indexOf(':', from);
    if (colon === -1 || colon >= end) throw new HeaderSyntaxError('a header line has no colon');
    const name = text.slice(from, colon);
    visit(name, lowerName(name), trimmed(text, colon + 1, end));
    from = end + 2;
  }
}

function trimmed(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
