import { isBlank, isBlankOrBreakOrEnd, isEnd } from './characters.ts';
import type { Comments } from './comments.ts';
import { Reader } from './reader.ts';
import { scanAnchor } from './scan-anchor.ts';
import { skipBlanks } from './scan-blanks.ts';
import { scanDirective } from './scan-directive.ts';
import { scanBlockScalar, scanPlainScalar, scanQuotedScalar } from './scan-scalar.ts';
import { scanTag } from './scan-tag.ts';
import { SimpleKeys } from './simple-keys.ts';
import type { ScalarStyle, Token, TokenKind } from './token.ts';
import { type Mark, YamlError } from './yaml-error.ts';

/** Nested deeper than this is hostile, and would exhaust the stack of whoever walks the tree. */
export const maxDepth = 1000;

/**
 * Splits a text into tokens, as YAML 1.1 scanners of the libyaml family do. The subtle part is the
 * simple key: that `a` in `a: b` is a key is known only at the colon, so a KEY token is put in
 * before a token that was queued already.
 */
export class Scanner {
  readonly reader: Reader;
  flowLevel = 0;
  /** The column of the block collection that is open; -1 outside of any. */
  indent = -1;
  isSimpleKeyAllowed = true;
  readonly #indents: number[] = [];
  readonly #keys: SimpleKeys;
  #queue: Token[] = [];
  #head = 0;
  #tokensTaken = 0;
  #isEnded = false;
  readonly #lookAhead: number;
  /** Comments that hold a schema, by line; others are of no account. */
  readonly schemaComments = new Map<number, string>();
  /** Where all comments go, for whoever writes the text anew. */
  readonly comments: Comments | undefined;

  /** `lookAhead` is how many tokens are scanned early: what is wrong there is noticed first. */
  constructor(text: string, lookAhead: number, comments?: Comments) {
    this.comments = comments;
    this.#lookAhead = lookAhead;
    this.reader = new Reader(text);
    this.#keys = new SimpleKeys(this.reader);
    const mark = this.reader.mark();
    this.#queue.push(newToken('stream-start', mark));
  }

  /** The next token, which stays. */
  peek(): Token {
    this.#fetchMore();
    return this.#queue[this.#head]!;
  }

  /** The next token, taken. After the end of the stream it stays there. */
  next(): Token {
    const token = this.peek();
    if (token.kind === 'stream-end') return token;
    this.#head += 1;
    this.#tokensTaken += 1;
    if (this.#head > 512) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return token;
  }

  fail(context: Mark | undefined, problem: string): never {
    throw new YamlError('scanner', problem, this.reader.mark(), context);
  }

  emit(kind: TokenKind, start: Mark, value = '', handle = '', style: ScalarStyle = 'plain'): void {
    this.#queue.push({ kind, start, value, handle, style });
  }

  #fetchMore(): void {
    for (;;) {
      if (this.#head < this.#queue.length - this.#lookAhead || this.#isEnded) {
        const key = this.#keys.at(this.#tokensTaken);
        if (key === undefined || !this.#keys.isValid(key)) return;
      }
      this.#fetchNext();
    }
  }

  #saveSimpleKey(): void {
    if (!this.isSimpleKeyAllowed) return;
    const isRequired = this.flowLevel === 0 && this.indent === this.reader.column;
    this.#keys.save(isRequired, this.#tokensTaken + (this.#queue.length - this.#head));
  }

  /** Opens a block collection when the column is deeper; `at` is where its token belongs. */
  #rollIndent(column: number, at: number, kind: TokenKind, mark: Mark): void {
    if (this.flowLevel > 0 || this.indent >= column) return;
    this.#indents.push(this.indent);
    this.indent = column;
    if (this.#indents.length > maxDepth) this.fail(mark, `exceeded max depth of ${maxDepth}`);
    const token = newToken(kind, mark);
    if (at < 0) this.#queue.push(token);
    else this.#queue.splice(this.#head + at - this.#tokensTaken, 0, token);
  }

  #unrollIndent(column: number): void {
    if (this.flowLevel > 0) return;
    while (this.indent > column) {
      const mark = this.reader.mark();
      this.#queue.push(newToken('block-end', mark));
      this.indent = this.#indents.pop() ?? -1;
    }
  }

  #fetchNext(): void {
    const { reader } = this;
    skipBlanks(this);
    this.#unrollIndent(reader.column);
    const code = reader.peek();
    if (isEnd(code)) {
      this.#fetchStreamEnd();
      return;
    }
    if (reader.column === 0) {
      if (code === 0x25) {
        this.#fetchDirective();
        return;
      }
      if (this.isDocumentMarker(0x2d)) {
        this.#fetchDocumentMarker('document-start');
        return;
      }
      if (this.isDocumentMarker(0x2e)) {
        this.#fetchDocumentMarker('document-end');
        return;
      }
    }
    switch (code) {
      case 0x5b:
        this.#fetchFlowStart('flow-sequence-start');
        return;
      case 0x7b:
        this.#fetchFlowStart('flow-mapping-start');
        return;
      case 0x5d:
        this.#fetchFlowEnd('flow-sequence-end');
        return;
      case 0x7d:
        this.#fetchFlowEnd('flow-mapping-end');
        return;
      case 0x2c:
        this.#fetchFlowEntry();
        return;
      case 0x2a:
        this.#fetchAnchor('alias');
        return;
      case 0x26:
        this.#fetchAnchor('anchor');
        return;
      case 0x21:
        this.#fetchTag();
        return;
      case 0x27:
      case 0x22:
        this.#fetchQuoted(code === 0x27);
        return;
    }
    const isBeforeBlank = isBlankOrBreakOrEnd(reader.peek(1));
    if (code === 0x2d && isBeforeBlank) {
      this.#fetchBlockEntry();
      return;
    }
    if (code === 0x3f && (this.flowLevel > 0 || isBeforeBlank)) {
      this.#fetchKey();
      return;
    }
    if (code === 0x3a && (this.flowLevel > 0 || isBeforeBlank)) {
      this.#fetchValue();
      return;
    }
    if ((code === 0x7c || code === 0x3e) && this.flowLevel === 0) {
      this.#fetchBlockScalar(code === 0x7c);
      return;
    }
    if (this.#canStartPlain(code)) {
      this.#fetchPlain();
      return;
    }
    this.fail(reader.mark(), 'found character that cannot start any token');
  }

  #canStartPlain(code: number): boolean {
    const next = this.reader.peek(1);
    switch (code) {
      case 0x2d:
        return !isBlank(next);
      case 0x3f:
      case 0x3a:
        return this.flowLevel === 0 && !isBlankOrBreakOrEnd(next);
      case 0x23:
      case 0x7c:
      case 0x3e:
      case 0x25:
      case 0x40:
      case 0x60:
        return false;
      default:
        return !isBlankOrBreakOrEnd(code);
    }
  }

  /** Three dashes or dots at the start of a line, then a blank. */
  isDocumentMarker(code: number): boolean {
    const { reader } = this;
    return (
      reader.peek() === code &&
      reader.peek(1) === code &&
      reader.peek(2) === code &&
      isBlankOrBreakOrEnd(reader.peek(3))
    );
  }

  #fetchStreamEnd(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.reader.column !== 0) {
      this.reader.column = 0;
      this.reader.line += 1;
    }
    this.#unrollIndent(-1);
    this.#keys.removeTop();
    this.isSimpleKeyAllowed = false;
    this.emit('stream-end', this.reader.mark());
  }

  #fetchDirective(): void {
    this.#unrollIndent(-1);
    this.#keys.removeTop();
    this.isSimpleKeyAllowed = false;
    scanDirective(this);
  }

  #fetchDocumentMarker(kind: TokenKind): void {
    this.#unrollIndent(-1);
    this.#keys.removeTop();
    this.isSimpleKeyAllowed = false;
    const start = this.reader.mark();
    this.reader.skip(3);
    this.emit(kind, start);
  }

  #fetchFlowStart(kind: TokenKind): void {
    this.#saveSimpleKey();
    this.#keys.enterBrackets();
    this.flowLevel += 1;
    const start = this.reader.mark();
    if (this.flowLevel > maxDepth) this.fail(start, `exceeded max depth of ${maxDepth}`);
    this.isSimpleKeyAllowed = true;
    this.reader.skip();
    this.emit(kind, start);
  }

  #fetchFlowEnd(kind: TokenKind): void {
    this.#keys.removeTop();
    if (this.flowLevel > 0) {
      this.flowLevel -= 1;
      this.#keys.leaveBrackets();
    }
    this.isSimpleKeyAllowed = false;
    const start = this.reader.mark();
    this.reader.skip();
    this.emit(kind, start);
  }

  #fetchFlowEntry(): void {
    this.#keys.removeTop();
    this.isSimpleKeyAllowed = true;
    const start = this.reader.mark();
    this.reader.skip();
    this.emit('flow-entry', start);
  }

  #fetchBlockEntry(): void {
    const start = this.reader.mark();
    if (this.flowLevel === 0) {
      if (!this.isSimpleKeyAllowed) {
        this.fail(start, 'block sequence entries are not allowed in this context');
      }
      this.#rollIndent(this.reader.column, -1, 'block-sequence-start', start);
    }
    this.#keys.removeTop();
    this.isSimpleKeyAllowed = true;
    this.reader.skip();
    this.emit('block-entry', start);
  }

  #fetchKey(): void {
    const start = this.reader.mark();
    if (this.flowLevel === 0) {
      if (!this.isSimpleKeyAllowed) {
        this.fail(start, 'mapping keys are not allowed in this context');
      }
      this.#rollIndent(this.reader.column, -1, 'block-mapping-start', start);
    }
    this.#keys.removeTop();
    this.isSimpleKeyAllowed = this.flowLevel === 0;
    this.reader.skip();
    this.emit('key', start);
  }

  #fetchValue(): void {
    const key = this.#keys.top;
    if (this.#keys.isValid(key)) {
      const token = newToken('key', key.mark);
      this.#queue.splice(this.#head + key.tokenNumber - this.#tokensTaken, 0, token);
      this.#rollIndent(key.mark.column, key.tokenNumber, 'block-mapping-start', key.mark);
      this.#keys.drop(key);
      this.isSimpleKeyAllowed = false;
    } else {
      if (this.flowLevel === 0) {
        if (!this.isSimpleKeyAllowed) {
          this.fail(this.reader.mark(), 'mapping values are not allowed in this context');
        }
        this.#rollIndent(this.reader.column, -1, 'block-mapping-start', this.reader.mark());
      }
      this.isSimpleKeyAllowed = this.flowLevel === 0;
    }
    const start = this.reader.mark();
    this.reader.skip();
    this.emit('value', start);
  }

  #fetchAnchor(kind: 'alias' | 'anchor'): void {
    this.#saveSimpleKey();
    this.isSimpleKeyAllowed = false;
    const start = this.reader.mark();
    this.emit(kind, start, scanAnchor(this));
  }

  #fetchTag(): void {
    this.#saveSimpleKey();
    this.isSimpleKeyAllowed = false;
    const start = this.reader.mark();
    const { handle, suffix } = scanTag(this);
    this.emit('tag', start, suffix, handle);
  }

  #fetchBlockScalar(isLiteral: boolean): void {
    this.#keys.removeTop();
    this.isSimpleKeyAllowed = true;
    const start = this.reader.mark();
    const value = scanBlockScalar(this, isLiteral);
    this.emit('scalar', start, value, '', isLiteral ? 'literal' : 'folded');
  }

  #fetchQuoted(isSingle: boolean): void {
    this.#saveSimpleKey();
    this.isSimpleKeyAllowed = false;
    const start = this.reader.mark();
    const value = scanQuotedScalar(this, isSingle);
    this.emit('scalar', start, value, '', isSingle ? 'single' : 'double');
  }

  #fetchPlain(): void {
    this.#saveSimpleKey();
    this.isSimpleKeyAllowed = false;
    const start = this.reader.mark();
    const value = scanPlainScalar(this);
    this.emit('scalar', start, value);
  }
}

function newToken(kind: TokenKind, start: Mark): Token {
  return { kind, start, value: '', handle: '', style: 'plain' };
}
