/** One thing that is wrong with an expression. `offset` counts code points from 0. */
export interface CelIssue {
  readonly offset: number;
  readonly message: string;
}

/** What is said at most about one expression. */
const maxIssues = 100;

/** The text of an expression by code points, in which problems are shown; one without any is never taken apart. */
export class CelSource {
  readonly text: string;
  #lines: readonly (readonly string[])[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Line from 1 and column from 0. */
  locate(offset: number): { line: number; column: number } {
    let column = offset;
    let line = 1;
    for (const each of this.#byLine.slice(0, -1)) {
      if (column <= each.length) break;
      column -= each.length + 1;
      line += 1;
    }
    return { line, column };
  }

  get #byLine(): readonly (readonly string[])[] {
    this.#lines ??= this.text.split('\n').map((line) => [...line]);
    return this.#lines;
  }

  /** All problems in the order of their places, each with its line and a mark below. */
  show(issues: readonly CelIssue[]): string {
    const sorted = [...issues].sort((one, other) => one.offset - other.offset);
    const shown = sorted.slice(0, maxIssues).map((issue) => this.#showOne(issue));
    if (sorted.length > maxIssues)
      shown.push(`${sorted.length - maxIssues} more errors were truncated`);
    return shown.join('\n');
  }

  #showOne({ offset, message }: CelIssue): string {
    // Of nothing there is nothing to show.
    if (this.text === '') return `ERROR: <input>:1:0: ${message}`;
    const { line, column } = this.locate(offset);
    const text = (this.#byLine[line - 1] ?? []).map((character) =>
      character === '\t' ? ' ' : character,
    );
    const isWide = (character: string | undefined) =>
      character !== undefined && (character.codePointAt(0) as number) > 0x7f;
    const dots = text.slice(0, column).map((character) => (isWide(character) ? '．' : '.'));
    const mark = isWide(text[column]) ? '＾' : '^';
    return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text.join('')}\n | ${dots.join('')}${mark}`;
  }
}

/** How many characters a text has, where one above the basic plane is one. */
export function countCodePoints(text: string): number {
  if (!/[\ud800-\udbff]/.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
