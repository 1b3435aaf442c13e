/** Says whether a name matches. */
export type GlobTest = (name: string) => boolean;

/**
 * Reads a shell pattern of one path segment: `*`, `?`, `[a-z]`, `[^a]` and `\`. The test takes time in
 * the product of both lengths at worst. Undefined for a pattern that cannot be read.
 */
export function compileGlob(pattern: string): GlobTest | undefined {
  if (!/[*?[\\]/.test(pattern)) return (name) => name === pattern;
  const tokens = parse(pattern);
  if (tokens === undefined) return undefined;
  const least = tokens.filter((token) => token !== '*').length;
  return (name) => least <= name.length && matches(tokens, name);
}

/**
 * Reads a text character by character and says after each whether a shell pattern matches all that was
 * read: what `matches` would say of every prefix, in one pass. Undefined for a pattern that cannot be read.
 */
export function globReader(pattern: string): GlobReader | undefined {
  const tokens = parse(pattern);
  if (tokens === undefined) return undefined;
  let places = reach(tokens, new Set([0]));
  const after = (character: string): ReadonlySet<number> => {
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (token === '*') next.add(place);
      else if (token?.(character)) next.add(place + 1);
    }
    return reach(tokens, next);
  };
  return {
    tokenCount: tokens.length,
    read(character) {
      places = after(character);
      return places.has(tokens.length);
    },
    wouldMatch: (character) => after(character).has(tokens.length),
  };
}

/** {@link globReader} */
interface GlobReader {
  readonly tokenCount: number;
  /** Goes on by a character. */
  read(character: string): boolean;
  /** What {@link GlobReader.read} would say, without going on. */
  wouldMatch(character: string): boolean;
}

/** With the places behind asterisks, which may stand for nothing. */
function reach(tokens: readonly Token[], places: Set<number>): ReadonlySet<number> {
  // A set is walked in the order of insertion, also over what is added on the way.
  for (const place of places) if (tokens[place] === '*') places.add(place + 1);
  return places;
}

function matches(tokens: readonly Token[], name: string): boolean {
  const characters = [...name];
  let token = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < characters.length) {
    const one = tokens[token];
    if (one === '*') {
      star = token++;
      starAt = at;
    } else if (one?.(characters[at] as string)) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (tokens[token] === '*') token++;
  return token === tokens.length;
}

type Token = '*' | ((character: string) => boolean);

function parse(pattern: string): Token[] | undefined {
  const tokens: Token[] = [];
  const characters = [...pattern];
  for (let index = 0; index < characters.length; index++) {
    const one = characters[index] as string;
    if (one === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*');
    } else if (one === '?') tokens.push(() => true);
    else if (one === '[') {
      const found = parseClass(characters, index + 1);
      if (found === undefined) return undefined;
      tokens.push(found.test);
      index = found.end;
    } else if (one === '\\') {
      const next = characters[++index];
      if (next === undefined) return undefined;
      tokens.push((character) => character === next);
    } else tokens.push((character) => character === one);
  }
  return tokens;
}

function parseClass(characters: readonly string[], start: number) {
  let index = start;
  const isNegated = characters[index] === '^';
  if (isNegated) index++;
  const ranges: [string, string][] = [];
  for (;;) {
    if (characters[index] === ']' && ranges.length > 0) break;
    const low = readMember();
    if (low === undefined) return undefined;
    let high = low;
    if (characters[index] === '-') {
      index++;
      const end = readMember();
      if (end === undefined) return undefined;
      high = end;
    }
    ranges.push([low, high]);
  }
  const test = (character: string) =>
    ranges.some(([low, high]) => low <= character && character <= high) !== isNegated;
  return { test, end: index };

  function readMember(): string | undefined {
    let one = characters[index];
    if (one === undefined || one === '-' || one === ']') return undefined;
    if (one === '\\') one = characters[++index];
    index++;
    return one;
  }
}
