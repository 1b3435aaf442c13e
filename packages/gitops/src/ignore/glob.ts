/** Says whether a name matches. */
export type GlobTest = (name: string) => boolean;

/**
 * Reads a shell pattern of one path segment: `*`, `?`, `[a-z]`, `[^a]` and `\`. The test takes time in
 * the product of both lengths at worst. Undefined for a pattern that cannot be read.
 */
export function compileGlob(pattern: string): GlobTest | undefined {
  if (!/[*?[\\]/.test(pattern)) return (name) => name === pattern;
  const tokens = parse(pattern);
  return tokens === undefined ? undefined : (name) => matches(tokens, name);
}

/** Whether a name matches a shell pattern; undefined for a pattern that cannot be read. */
export function matchesGlob(pattern: string, name: string): boolean | undefined {
  return compileGlob(pattern)?.(name);
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
    if (one === '*') tokens.push('*');
    else if (one === '?') tokens.push(() => true);
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
