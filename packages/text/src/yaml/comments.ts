/** The comments of a text, to be handed out in order as the text is written anew. */
export class Comments {
  readonly #ownLines: { readonly line: number; readonly text: string }[] = [];
  readonly #trailing = new Map<number, string>();
  #next = 0;

  /** Notes a comment; `isAlone` when nothing precedes it on its line. Lines count from zero. */
  add(line: number, text: string, isAlone: boolean): void {
    if (isAlone) this.#ownLines.push({ line, text });
    else this.#trailing.set(line, text);
  }

  /** Comments on lines of their own before a line, each given once. */
  takeBefore(line: number): string[] {
    const taken: string[] = [];
    for (let each = this.#ownLines[this.#next]; each !== undefined && each.line < line; ) {
      taken.push(each.text);
      this.#next += 1;
      each = this.#ownLines[this.#next];
    }
    return taken;
  }

  /** The comment at the end of a line. */
  takeAt(line: number): string | undefined {
    const text = this.#trailing.get(line);
    this.#trailing.delete(line);
    return text;
  }
}
