/** What stops a JSON text: Go's words for it, as clients of the API know them. */
export function describeSyntax(text: string): string {
  const scanner = new Scanner(text);
  try {
    scanner.document();
  } catch (error) {
    if (error instanceof Stop) return error.text;
    throw error;
  }
  return 'unexpected end of JSON input';
}

class Stop extends Error {
  readonly text: string;

  constructor(text: string) {
    super(text);
    this.text = text;
  }
}

/** Deeper than any text that is let in. */
const maxDepth = 1000;

/** Follows the text along Go's grammar until it breaks; what is fine is not kept. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) this.#stop('after top-level value');
  }

  #value(depth: number): void {
    if (depth > maxDepth) throw new Stop('exceeded max depth');
    this.#skip();
    const char = this.#need();
    if (char === '{') this.#object(depth);
    else if (char === '[') this.#array(depth);
    else if (char === '"') this.#string();
    else if (char === '-' || isDigit(char)) this.#number();
    else {
      const literal = ['null', 'true', 'false'].find((each) => each[0] === char);
      if (literal === undefined) this.#stop('looking for beginning of value');
      this.#literal(literal as string);
    }
  }

  #object(depth: number): void {
    this.#at++;
    this.#skip();
    if (this.#need() === '}') {
      this.#at++;
      return;
    }
    for (;;) {
      this.#skip();
      if (this.#need() !== '"') this.#stop('looking for beginning of object key string');
      this.#string();
      this.#skip();
      if (this.#need() !== ':') this.#stop('after object key');
      this.#at++;
      this.#value(depth + 1);
      this.#skip();
      const char = this.#need();
      if (char !== ',' && char !== '}') this.#stop('after object key:value pair');
      this.#at++;
      if (char === '}') return;
    }
  }

  #array(depth: number): void {
    this.#at++;
    this.#skip();
    if (this.#need() === ']') {
      this.#at++;
      return;
    }
    for (;;) {
      this.#value(depth + 1);
      this.#skip();
      const char = this.#need();
      if (char !== ',' && char !== ']') this.#stop('after array element');
      this.#at++;
      if (char === ']') return;
    }
  }

  #string(): void {
    this.#at++;
    for (;;) {
      const char = this.#need();
      if (char === '"') {
        this.#at++;
        return;
      }
      if (char < ' ') this.#stop('in string literal');
      this.#at++;
      if (char === '\\') this.#escape();
    }
  }

  #escape(): void {
    const char = this.#need();
    if (!'bfnrt\\/"u'.includes(char)) this.#stop('in string escape code');
    this.#at++;
    if (char !== 'u') return;
    for (let i = 0; i < 4; i++) {
      if (!/[0-9a-fA-F]/.test(this.#need())) this.#stop('in \\u hexadecimal character escape');
      this.#at++;
    }
  }

  #number(): void {
    if (this.#need() === '-') {
      this.#at++;
      if (!isDigit(this.#need())) this.#stop('in numeric literal');
    }
    if (this.#text[this.#at] === '0') this.#at++;
    else this.#digits();
    if (this.#text[this.#at] === '.') {
      this.#at++;
      if (!isDigit(this.#need())) this.#stop('after decimal point in numeric literal');
      this.#digits();
    }
    const exponent = this.#text[this.#at];
    if (exponent !== 'e' && exponent !== 'E') return;
    this.#at++;
    if (this.#need() === '+' || this.#need() === '-') this.#at++;
    if (!isDigit(this.#need())) this.#stop('in exponent of numeric literal');
    this.#digits();
  }

  #digits(): void {
    while (isDigit(this.#text[this.#at] ?? '')) this.#at++;
  }

  #literal(literal: string): void {
    for (const [index, expected] of [...literal].entries()) {
      const char = this.#need();
      if (index > 0 && char !== expected)
        this.#stop(`in literal ${literal} (expecting '${expected}')`);
      this.#at++;
    }
  }

  #skip(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
  }

  #need(): string {
    const char = this.#text[this.#at];
    if (char === undefined) throw new Stop('unexpected end of JSON input');
    return char;
  }

  #stop(where: string): never {
    throw new Stop(`invalid character ${shown(this.#text[this.#at] as string)} ${where}`);
  }
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

/** A character as Go quotes it. */
function shown(char: string): string {
  if (char === "'") return `'\\''`;
  if (char === '"') return `'"'`;
  if (char === '\\') return `'\\\\'`;
  const named = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }[char];
  if (named !== undefined) return `'${named}'`;
  const code = char.charCodeAt(0);
  if (code < 0x20 || code === 0x7f) return `'\\x${code.toString(16).padStart(2, '0')}'`;
  return code >= 0x80 && code < 0xa0 ? `'\\u${code.toString(16).padStart(4, '0')}'` : `'${char}'`;
}
