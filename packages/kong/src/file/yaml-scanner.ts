import { isBlank, isBreak, isEnd, YamlCursor } from './yaml-cursor.ts';

/** The kinds of tokens that the structure of a YAML document is made of. */
export type TokenKind =
  | 'stream-end'
  | 'directive'
  | 'document-start'
  | 'document-end'
  | 'sequence-start'
  | 'mapping-start'
  | 'block-end'
  | '['
  | ']'
  | '{'
  | '}'
  | 'entry'
  | ','
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar';

export interface Token {
  readonly kind: TokenKind;
  /** Counted from zero. */
  readonly line: number;
  /** The name of an anchor or alias. */
  readonly name?: string;
}

interface SimpleKey {
  isPossible: boolean;
  isRequired: boolean;
  token: number;
  line: number;
  index: number;
}

const longestKey = 1024;

/**
 * Cuts a text into tokens as Go's reader does, only to find out where that reader gives up: it makes
 * no values. Keys are known by the colon after them, so a token may turn into a key afterwards.
 *
 * The build engine has a scanner too. This room imports no other, so the two are not one: that one
 * keeps comments and styles and goes on, this one only finds where go-yaml would stop, and its words.
 */
export class YamlScanner {
  readonly #cursor: YamlCursor;
  #indent = -1;
  readonly #indents: number[] = [];
  #flowLevel = 0;
  #isKeyAllowed = true;
  readonly #keys: SimpleKey[] = [];
  readonly #tokens: Token[] = [];
  #taken = 0;
  #isEnded = false;

  constructor(text: string) {
    this.#cursor = new YamlCursor(text);
    this.#keys.push(YamlScanner.#noKey());
  }

  static #noKey(): SimpleKey {
    return { isPossible: false, isRequired: false, token: -1, line: 0, index: 0 };
  }

  /** The next token, which stays where it is. */
  peek(): Token {
    for (;;) {
      if (this.#tokens.length > 0) {
        const key = this.#keys.find(({ isPossible, token }) => isPossible && token === this.#taken);
        if (key === undefined || !this.#isStillKey(key)) break;
      }
      this.#fetch();
    }
    return this.#tokens[0] as Token;
  }

  take(): Token {
    const token = this.peek();
    this.#tokens.shift();
    this.#taken += 1;
    return token;
  }

  #push(kind: TokenKind, line = this.#cursor.line, name?: string): void {
    this.#tokens.push({ kind, line, ...(name === undefined ? {} : { name }) });
  }

  #isStillKey(key: SimpleKey): boolean {
    if (!key.isPossible) return false;
    if (key.line >= this.#cursor.line && key.index + longestKey >= this.#cursor.index) return true;
    if (key.isRequired) throw this.#cursor.fault("could not find expected ':'");
    key.isPossible = false;
    return false;
  }

  #saveKey(): void {
    const isRequired = this.#flowLevel === 0 && this.#indent === this.#cursor.column;
    if (!this.#isKeyAllowed) return;
    this.#removeKey();
    this.#keys[this.#keys.length - 1] = {
      isPossible: true,
      isRequired,
      token: this.#taken + this.#tokens.length,
      line: this.#cursor.line,
      index: this.#cursor.index,
    };
  }

  #removeKey(): void {
    const key = this.#keys.at(-1) as SimpleKey;
    if (key.isPossible && key.isRequired) throw this.#cursor.fault("could not find expected ':'");
    key.isPossible = false;
  }

  #roll(column: number, kind: TokenKind, place?: number, line = this.#cursor.line): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    const token = { kind, line };
    if (place === undefined) this.#tokens.push(token);
    else this.#tokens.splice(place - this.#taken, 0, token);
  }

  #unroll(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#push('block-end');
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  #fetch(): void {
    this.#skipToToken();
    this.#unroll(this.#cursor.column);
    const character = this.#cursor.at();
    const isAlone = isEnd(this.#cursor.at(1));
    const isInFlow = this.#flowLevel > 0;
    if (character === '') this.#fetchEnd();
    else if (this.#cursor.column === 0 && character === '%') this.#fetchDirective();
    else if (this.#cursor.isDocumentMark('---')) this.#fetchDocumentMark('document-start');
    else if (this.#cursor.isDocumentMark('...')) this.#fetchDocumentMark('document-end');
    else if (character === '[' || character === '{') this.#fetchFlowStart(character);
    else if (character === ']' || character === '}') this.#fetchFlowEnd(character);
    else if (character === ',') this.#fetchFlowEntry();
    else if (character === '-' && isAlone) this.#fetchEntry();
    else if (character === '?' && (isInFlow || isAlone)) this.#fetchKey();
    else if (character === ':' && (isInFlow || isAlone)) this.#fetchValue();
    else if (character === '*' || character === '&') this.#fetchAnchor(character);
    else if (character === '!') this.#fetchTag();
    else if ((character === '|' || character === '>') && !isInFlow) this.#fetchBlockScalar();
    else if (character === "'" || character === '"') this.#fetchQuoted(character);
    else if (this.#startsPlain(character)) this.#fetchPlain();
    else throw this.#cursor.fault('found character that cannot start any token');
  }

  #startsPlain(character: string): boolean {
    if (!isEnd(character) && !'-?:,[]{}#&*!|>\'"%@`'.includes(character)) return true;
    if (character === '-') return !isBlank(this.#cursor.at(1));
    return this.#flowLevel === 0 && '?:'.includes(character) && !isEnd(this.#cursor.at(1));
  }

  #skipToToken(): void {
    if (this.#cursor.index === 0 && this.#cursor.at() === '\ufeff') this.#cursor.index += 1;
    for (;;) {
      const mayTab = this.#flowLevel > 0 || !this.#isKeyAllowed;
      while (this.#cursor.at() === ' ' || (mayTab && this.#cursor.at() === '\t'))
        this.#cursor.skip();
      if (this.#cursor.at() === '#')
        while (this.#cursor.at() !== '' && !isBreak(this.#cursor.at())) this.#cursor.skip();
      if (!isBreak(this.#cursor.at())) return;
      this.#cursor.skipBreak();
      if (this.#flowLevel === 0) this.#isKeyAllowed = true;
    }
  }

  #fetchEnd(): void {
    if (this.#isEnded) return;
    if (this.#cursor.column !== 0) {
      this.#cursor.column = 0;
      this.#cursor.line += 1;
    }
    this.#unroll(-1);
    this.#removeKey();
    this.#isKeyAllowed = false;
    this.#isEnded = true;
    this.#push('stream-end');
  }

  #fetchDirective(): void {
    this.#unroll(-1);
    this.#removeKey();
    this.#isKeyAllowed = false;
    const { line } = this.#cursor;
    this.#cursor.skipDirective();
    this.#push('directive', line);
  }

  #fetchDocumentMark(kind: 'document-start' | 'document-end'): void {
    this.#unroll(-1);
    this.#removeKey();
    this.#isKeyAllowed = false;
    this.#push(kind);
    this.#cursor.skip(3);
  }

  #fetchFlowStart(kind: '[' | '{'): void {
    this.#saveKey();
    this.#keys.push(YamlScanner.#noKey());
    this.#flowLevel += 1;
    this.#isKeyAllowed = true;
    this.#push(kind);
    this.#cursor.skip();
  }

  #fetchFlowEnd(kind: ']' | '}'): void {
    this.#removeKey();
    if (this.#flowLevel > 0) {
      this.#flowLevel -= 1;
      this.#keys.pop();
    }
    this.#isKeyAllowed = false;
    this.#push(kind);
    this.#cursor.skip();
  }

  #fetchFlowEntry(): void {
    this.#removeKey();
    this.#isKeyAllowed = true;
    this.#push(',');
    this.#cursor.skip();
  }

  #fetchEntry(): void {
    if (this.#flowLevel === 0) {
      if (!this.#isKeyAllowed) {
        throw this.#cursor.fault('block sequence entries are not allowed in this context');
      }
      this.#roll(this.#cursor.column, 'sequence-start');
    }
    this.#removeKey();
    this.#isKeyAllowed = true;
    this.#push('entry');
    this.#cursor.skip();
  }

  #fetchKey(): void {
    if (this.#flowLevel === 0) {
      if (!this.#isKeyAllowed)
        throw this.#cursor.fault('mapping keys are not allowed in this context');
      this.#roll(this.#cursor.column, 'mapping-start');
    }
    this.#removeKey();
    this.#isKeyAllowed = this.#flowLevel === 0;
    this.#push('key');
    this.#cursor.skip();
  }

  #fetchValue(): void {
    const key = this.#keys.at(-1) as SimpleKey;
    if (this.#isStillKey(key)) {
      const column = key.index - (this.#cursor.text.lastIndexOf('\n', key.index - 1) + 1);
      this.#tokens.splice(key.token - this.#taken, 0, { kind: 'key', line: key.line });
      this.#roll(column, 'mapping-start', key.token, key.line);
      key.isPossible = false;
      this.#isKeyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#isKeyAllowed) {
          throw this.#cursor.fault('mapping values are not allowed in this context');
        }
        this.#roll(this.#cursor.column, 'mapping-start');
      }
      this.#isKeyAllowed = this.#flowLevel === 0;
    }
    this.#push('value');
    this.#cursor.skip();
  }

  #fetchAnchor(indicator: '*' | '&'): void {
    this.#saveKey();
    this.#isKeyAllowed = false;
    const { line } = this.#cursor;
    this.#push(indicator === '*' ? 'alias' : 'anchor', line, this.#cursor.skipAnchor());
  }

  #fetchTag(): void {
    this.#saveKey();
    this.#isKeyAllowed = false;
    const { line } = this.#cursor;
    this.#cursor.skipTag();
    this.#push('tag', line);
  }

  #fetchBlockScalar(): void {
    this.#removeKey();
    this.#isKeyAllowed = true;
    const { line } = this.#cursor;
    this.#cursor.skipBlockScalar(this.#indent);
    this.#push('scalar', line);
  }

  #fetchQuoted(quote: string): void {
    this.#saveKey();
    this.#isKeyAllowed = false;
    const { line } = this.#cursor;
    this.#cursor.skipQuoted(quote);
    this.#push('scalar', line);
  }

  #fetchPlain(): void {
    this.#saveKey();
    const { line } = this.#cursor;
    this.#isKeyAllowed = this.#cursor.skipPlain(this.#indent + 1, this.#flowLevel > 0);
    this.#push('scalar', line);
  }
}
