import { byteOrderMark, cr, isBreak, lf, nel } from './characters.ts';
import { encodingProblem } from './encoding.ts';
import { type Mark, YamlError } from './yaml-error.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what YAML forbids.
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;

/** A cursor on a text, which knows its line and column. */
export class Reader {
  readonly text: string;
  index = 0;
  line = 0;
  column = 0;

  constructor(text: string) {
    if (forbidden.test(text)) {
      throw new YamlError('reader', 'control characters are not allowed', undefined);
    }
    const problem = encodingProblem(text);
    if (problem !== undefined) throw new YamlError('reader', problem, undefined);
    this.text = text;
    if (text.charCodeAt(0) === byteOrderMark) this.index = 1;
  }

  mark(): Mark {
    return { index: this.index, line: this.line, column: this.column };
  }

  /** The code at the cursor, or `NaN` past the end. */
  peek(ahead = 0): number {
    return this.text.charCodeAt(this.index + ahead);
  }

  skip(count = 1): void {
    this.index += count;
    this.column += count;
  }

  /** Steps over a line break, which may be two characters. */
  skipLine(): void {
    const code = this.peek();
    if (code === cr && this.peek(1) === lf) this.index += 2;
    else if (isBreak(code)) this.index += 1;
    else return;
    this.line += 1;
    this.column = 0;
  }

  /** Steps over a line break and returns it as YAML normalises it. */
  readLine(): string {
    const code = this.peek();
    this.skipLine();
    return code === lf || code === cr || code === nel ? '\n' : String.fromCharCode(code);
  }
}
