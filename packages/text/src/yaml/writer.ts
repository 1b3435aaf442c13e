/** Collects text and knows its column, counted in code points. */
export class Writer {
  readonly #parts: string[] = [];
  #column = 0;

  get column(): number {
    return this.#column;
  }

  text(text: string): void {
    this.#parts.push(text);
    this.#column += codePoints(text);
  }

  lineBreak(): void {
    if (this.#column === 0) return;
    this.#parts.push('\n');
    this.#column = 0;
  }

  /** A line break that stands for itself, also on an empty line. */
  emptyLine(): void {
    this.#parts.push('\n');
    this.#column = 0;
  }

  /** One of the breaks that are not a line feed, such as U+2028. */
  rareBreak(character: string): void {
    this.#parts.push(character);
    this.#column = 0;
  }

  indentTo(column: number): void {
    if (column > this.#column) this.text(' '.repeat(column - this.#column));
  }

  toString(): string {
    return this.#parts.join('');
  }
}

function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xdc00 && unit <= 0xdfff) count--;
  }
  return count;
}
