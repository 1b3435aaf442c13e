/** One thing that is wrong with an expression. `offset` counts code points from 0. */
export interface CelIssue {
  readonly offset: number;
  readonly message: string;
}

/** What is said at most about one expression. */
const maxIssues = 100;

/** The text of an expression by code points, in which problems are shown. */
export class CelSource {
  readonly text: string;
  readonly codePoints: readonly string[];
  readonly #lineStarts: number[] = [0];

  constructor(text: string) {
    this.text = text;
    this.codePoints = [...text];
    for (const [index, character] of this.codePoints.entries()) {
      if (character === '\n') this.#lineStarts.push(index + 1);
    }
  }

  /** Line from 1 and column from 0. */
  locate(offset: number): { line: number; column: number } {
    let line = this.#lineStarts.length;
    while (line > 1 && (this.#lineStarts[line - 1] as number) > offset) line -= 1;
    return { line, column: offset - (this.#lineStarts[line - 1] as number) };
  }

  #line(line: number): string[] {
    const start = this.#lineStarts[line - 1] as number;
    const next = this.#lineStarts[line];
    return this.codePoints.slice(start, next === undefined ? undefined : next - 1);
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
    const text = this.#line(line).map((character) => (character === '\t' ? ' ' : character));
    const isWide = (character: string | undefined) =>
      character !== undefined && (character.codePointAt(0) as number) > 0x7f;
    const dots = text.slice(0, column).map((character) => (isWide(character) ? '．' : '.'));
    const mark = isWide(text[column]) ? '＾' : '^';
    return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text.join('')}\n | ${dots.join('')}${mark}`;
  }
}
