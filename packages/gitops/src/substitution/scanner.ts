type Token = 'end' | 'open' | 'close' | 'word' | 'illegal';

/** Whether a character may stand at a place of a word, counted from one. */
export type Accept = (character: string, place: number) => boolean;

/** What a scan looks for beside words. */
export interface ScanMode {
  readonly words?: boolean;
  readonly open?: boolean;
  readonly close?: boolean;
  readonly escapes?: boolean;
}

/** Which characters escape: `$$` alone in plain text, `\/` and `\\` as well within a function. */
type Escapes = 'dollar' | 'all';

/** Reads a text with `${…}` in it token by token. The caller says what may come next. */
export class Scanner {
  readonly #characters: string[];
  #start = 0;
  #position = 0;
  /** Escape characters are taken out as they are met, so a word is not always a slice of the text. */
  #word = '';
  accept: Accept = () => true;
  mode: ScanMode = {};
  escapes: Escapes = 'dollar';

  constructor(text: string) {
    this.#characters = [...text];
  }

  get text(): string {
    return this.#word;
  }

  peek(offset = 0): string | undefined {
    return this.#characters[this.#position + offset];
  }

  scan(): Token {
    this.#start = this.#position;
    this.#word = '';
    const character = this.#characters[this.#position];
    if (character === undefined) return 'end';
    this.#position++;
    if (this.#isOpen(character)) {
      this.#position++;
      return 'open';
    }
    if (this.mode.close === true && character === '}') return 'close';
    if (this.mode.words === true && this.#scanWord(character)) return 'word';
    return 'illegal';
  }

  #scanWord(first: string): boolean {
    let skipped = 0;
    if (this.#isEscape(first)) {
      this.#word += this.#characters[this.#position++];
      skipped++;
    } else if (this.accept(first, 1)) this.#word += first;
    else return false;
    for (;;) {
      const character = this.#characters[this.#position];
      if (character === undefined) return true;
      this.#position++;
      if (this.#isOpen(character)) {
        this.#position--;
        return true;
      }
      if (this.#isEscape(character)) {
        this.#word += this.#characters[this.#position++];
        skipped++;
        continue;
      }
      if (!this.accept(character, this.#position - this.#start - skipped)) {
        this.#position--;
        return true;
      }
      this.#word += character;
    }
  }

  /** The position is after the character. */
  #isOpen(character: string): boolean {
    return this.mode.open === true && character === '$' && this.peek() === '{';
  }

  #isEscape(character: string): boolean {
    if (this.mode.escapes !== true) return false;
    const next = this.peek();
    if (character === '$' && next === '$') return true;
    return this.escapes === 'all' && character === '\\' && (next === '/' || next === '\\');
  }
}
