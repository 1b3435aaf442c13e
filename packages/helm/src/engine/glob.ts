/**
 * A pattern of gobwas/glob with `/` as its separator: `*` and `?` stop at it, `**` does not; `[a-c]`,
 * `[!abc]`, `{a,b}` and `\` are known. A pattern that is none matches everything, as Helm has it. Who counts what that
 * takes is told, for each path, how many places in it were looked at.
 */
export function compileGlob(
  pattern: string,
  onLooked: (places: number) => void = () => {},
): (path: string) => boolean {
  const source = new GlobReader(pattern).read();
  if (source === undefined) return () => true;
  return (path) => {
    const walk = new GlobWalk(path);
    const isMatch = walk.ends(source);
    onLooked(walk.looked);
    return isMatch;
  };
}

interface AnyPart {
  readonly kind: 'any';
  readonly crosses: boolean;
  readonly isSingle: boolean;
}

interface ClassPart {
  readonly kind: 'class';
  readonly isNegated: boolean;
  readonly ranges: readonly [string, string][];
}

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | AnyPart
  | ClassPart
  | { readonly kind: 'choice'; readonly choices: readonly (readonly Part[])[] };

class GlobReader {
  readonly #runes: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#runes = Array.from(pattern);
  }

  read(): readonly Part[] | undefined {
    const parts = this.#sequence(false);
    return parts !== undefined && this.#at >= this.#runes.length ? parts : undefined;
  }

  #sequence(isInside: boolean): Part[] | undefined {
    const parts: Part[] = [];
    for (; this.#at < this.#runes.length; ) {
      const rune = this.#runes[this.#at]!;
      if (isInside && (rune === ',' || rune === '}')) return parts;
      this.#at++;
      const part = this.#part(rune);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return isInside ? undefined : parts;
  }

  #part(rune: string): Part | undefined {
    switch (rune) {
      case '\\': {
        const escaped = this.#runes[this.#at++];
        return escaped === undefined ? undefined : { kind: 'text', text: escaped };
      }
      case '?':
        return { kind: 'any', crosses: false, isSingle: true };
      case '*': {
        const crosses = this.#runes[this.#at] === '*';
        while (this.#runes[this.#at] === '*') this.#at++;
        return { kind: 'any', crosses, isSingle: false };
      }
      case '[':
        return this.#class();
      case '{':
        return this.#choice();
      default:
        return { kind: 'text', text: rune };
    }
  }

  #class(): Part | undefined {
    const isNegated = this.#runes[this.#at] === '!';
    if (isNegated) this.#at++;
    const close = this.#runes.indexOf(']', this.#at);
    if (close <= this.#at) return undefined;
    const inner = this.#runes.slice(this.#at, close);
    this.#at = close + 1;
    if (inner.length === 3 && inner[1] === '-') {
      return inner[0]! <= inner[2]!
        ? { kind: 'class', isNegated, ranges: [[inner[0]!, inner[2]!]] }
        : undefined;
    }
    return { kind: 'class', isNegated, ranges: inner.map((each) => [each, each]) };
  }

  #choice(): Part | undefined {
    const choices: Part[][] = [];
    for (;;) {
      const choice = this.#sequence(true);
      if (choice === undefined) return undefined;
      choices.push(choice);
      if (this.#runes[this.#at++] === '}') return { kind: 'choice', choices };
    }
  }
}

/** Keeps the set of places that the parts so far can end at: the work is bounded by their product. */
class GlobWalk {
  /** How many places were looked at so far. */
  looked = 0;
  readonly #runes: readonly string[];

  constructor(path: string) {
    this.#runes = Array.from(path);
  }

  /** Whether the parts lead to the end. */
  ends(parts: readonly Part[]): boolean {
    return this.#through(parts, new Set([0])).has(this.#runes.length);
  }

  #through(parts: readonly Part[], starts: Set<number>): Set<number> {
    let places = starts;
    for (const part of parts) {
      places = this.#after(part, places);
      this.looked += 1 + places.size;
      if (places.size === 0) return places;
    }
    return places;
  }

  #after(part: Part, places: Set<number>): Set<number> {
    const after = new Set<number>();
    switch (part.kind) {
      case 'text':
        for (const at of places) if (this.#runes[at] === part.text) after.add(at + 1);
        return after;
      case 'class':
        for (const at of places) if (isInClass(part, this.#runes[at])) after.add(at + 1);
        return after;
      case 'any':
        for (const at of places) this.#any(part, at, after);
        return after;
      case 'choice':
        for (const choice of part.choices) {
          for (const end of this.#through(choice, places)) after.add(end);
        }
        return after;
    }
  }

  #any({ isSingle, crosses }: AnyPart, at: number, after: Set<number>): void {
    const runes = this.#runes;
    if (isSingle) {
      if (at < runes.length && runes[at] !== '/') after.add(at + 1);
      return;
    }
    for (let to = at; to <= runes.length && !after.has(to); to++) {
      after.add(to);
      if (!crosses && runes[to] === '/') return;
    }
  }
}

function isInClass({ ranges, isNegated }: ClassPart, rune: string | undefined): boolean {
  if (rune === undefined) return false;
  return ranges.some(([low, high]) => rune >= low && rune <= high) !== isNegated;
}
