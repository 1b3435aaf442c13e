/** A pattern that no name can be compared with, such as `[a`. */
export const badPattern = 'syntax error in pattern';

/**
 * Go's `filepath.Match`: `*` and `?` stop at `/`, `[a-z]` and `[^a-z]` are classes, `\` escapes.
 * Linear in the product of both lengths: only the last `*` is ever tried again.
 *
 * ```ts
 * goMatch('templates/*.yaml', 'templates/a.yaml'); // true
 * ```
 *
 * @throws Error `syntax error in pattern`
 */
export function goMatch(pattern: string, name: string): boolean {
  let rest = [...pattern];
  let text = [...name];
  while (rest.length > 0) {
    const { hasStar, chunk, after } = scanChunk(rest);
    rest = after;
    if (hasStar && chunk.length === 0) return !text.includes('/');
    const direct = matchChunk(chunk, text);
    if (direct !== undefined && (direct.length === 0 || rest.length > 0)) {
      text = direct;
      continue;
    }
    const later = hasStar ? matchLater(chunk, text, rest.length === 0) : undefined;
    if (later === undefined) {
      checkRest(rest);
      return false;
    }
    text = later;
  }
  return text.length === 0;
}

/** What a star before the chunk may swallow first; nothing beyond a `/`. */
function matchLater(
  chunk: readonly string[],
  text: readonly string[],
  isLast: boolean,
): string[] | undefined {
  for (let at = 0; at < text.length && text[at] !== '/'; at++) {
    const found = matchChunk(chunk, text.slice(at + 1));
    if (found === undefined) continue;
    if (isLast && found.length > 0) continue;
    return found;
  }
  return undefined;
}

/** A pattern that did not match must still be one. */
function checkRest(rest: readonly string[]): void {
  let left = [...rest];
  while (left.length > 0) {
    const { chunk, after } = scanChunk(left);
    left = after;
    matchChunk(chunk, []);
  }
}

interface Chunk {
  readonly hasStar: boolean;
  /** Up to the next star. */
  readonly chunk: string[];
  readonly after: string[];
}

function scanChunk(pattern: readonly string[]): Chunk {
  let from = 0;
  while (pattern[from] === '*') from++;
  let isInClass = false;
  let at = from;
  for (; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') at += at + 1 < pattern.length ? 1 : 0;
    else if (char === '[') isInClass = true;
    else if (char === ']') isInClass = false;
    else if (char === '*' && !isInClass) break;
  }
  return { hasStar: from > 0, chunk: pattern.slice(from, at), after: pattern.slice(at) };
}

/** What is left of the text after a chunk without stars; undefined when it does not fit. */
function matchChunk(chunk: readonly string[], text: readonly string[]): string[] | undefined {
  let at = 0;
  let read = 0;
  let hasFailed = false;
  while (at < chunk.length) {
    if (!hasFailed && read >= text.length) hasFailed = true;
    const char = chunk[at]!;
    if (char === '[') {
      const found = matchClass(chunk, at + 1, hasFailed ? undefined : text[read]);
      if (!found.isIn) hasFailed = true;
      at = found.next;
      read++;
      continue;
    }
    if (char === '?') {
      if (!hasFailed && text[read] === '/') hasFailed = true;
      at++;
      read++;
      continue;
    }
    const literal = char === '\\' ? escaped(chunk, ++at) : char;
    if (!hasFailed && literal !== text[read]) hasFailed = true;
    at++;
    read++;
  }
  return hasFailed ? undefined : text.slice(read);
}

function matchClass(
  chunk: readonly string[],
  from: number,
  char: string | undefined,
): { isIn: boolean; next: number } {
  let at = from;
  const isNegated = chunk[at] === '^';
  if (isNegated) at++;
  let isIn = false;
  for (let ranges = 0; ; ranges++) {
    if (chunk[at] === ']' && ranges > 0) break;
    const low = classMember(chunk, at);
    let high = low.char;
    at = low.next;
    if (chunk[at] === '-') {
      const end = classMember(chunk, at + 1);
      high = end.char;
      at = end.next;
    }
    if (char !== undefined && code(low.char) <= code(char) && code(char) <= code(high)) isIn = true;
  }
  return { isIn: isIn !== isNegated, next: at + 1 };
}

function classMember(chunk: readonly string[], at: number): { char: string; next: number } {
  const char = chunk[at];
  if (char === undefined || char === '-' || char === ']') throw new Error(badPattern);
  const index = char === '\\' ? at + 1 : at;
  const member = escaped(chunk, index);
  if (index + 1 >= chunk.length) throw new Error(badPattern);
  return { char: member, next: index + 1 };
}

function escaped(chunk: readonly string[], at: number): string {
  const char = chunk[at];
  if (char === undefined) throw new Error(badPattern);
  return char;
}

function code(char: string): number {
  return char.codePointAt(0) ?? 0;
}
