/** A .proto file, token by token. Messages of errors name the line, never what stands there. */
export class ProtoTokens {
  readonly #tokens: { readonly text: string; readonly line: number }[] = [];
  #at = 0;

  constructor(source: string) {
    const pattern =
      /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\w.]+|\n|\S/g;
    let line = 1;
    for (const [text] of source.matchAll(pattern)) {
      if (!/^(?:\n|\/\/|\/\*)/.test(text)) this.#tokens.push({ text, line });
      line += text.split('\n').length - 1;
    }
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  peek(): string {
    return this.#tokens[this.#at]?.text ?? '';
  }

  next(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw this.problem('it ends too early');
    this.#at += 1;
    return token.text;
  }

  /** Takes a token if it is the next one. */
  take(text: string): boolean {
    if (this.peek() !== text) return false;
    this.#at += 1;
    return true;
  }

  expect(text: string): void {
    if (!this.take(text)) throw this.problem(`'${text}' is missing`);
  }

  /** A quoted text; several in a row are one. */
  string(): string {
    let value = '';
    do {
      const token = this.next();
      if (!/^["']/.test(token)) throw this.problem('a text in quotes is missing');
      value += token.slice(1, -1).replace(/\\(.)/g, '$1');
    } while (/^["']/.test(this.peek()));
    return value;
  }

  integer(): number {
    const sign = this.take('-') ? -1 : 1;
    const value = Number(this.next());
    if (!Number.isInteger(value)) throw this.problem('a whole number is missing');
    return sign * value;
  }

  /** Passes over a statement of no interest here, with all that is in its braces. */
  skipStatement(): void {
    let depth = 0;
    for (;;) {
      const token = this.next();
      if (token === '{' || token === '[') depth += 1;
      else if (token === '}' || token === ']') depth -= 1;
      if (depth === 0 && (token === ';' || token === '}')) return;
    }
  }

  problem(what: string): Error {
    const line = this.#tokens[Math.min(this.#at, this.#tokens.length - 1)]?.line ?? 1;
    return new Error(`line ${line}: ${what}`);
  }
}
