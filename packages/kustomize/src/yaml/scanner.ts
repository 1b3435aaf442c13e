import {
  BYTE_ORDER_MARK,
  isBlank,
  isBlankOrBreakOrEnd,
  isBreak,
  isBreakOrEnd,
  isDigit,
  isEnd,
  isWord,
  SPACE,
  TAB,
} from './characters.ts';
import { Reader } from './reader.ts';
import { scanBlockScalar, scanPlainScalar, scanQuotedScalar } from './scan-scalar.ts';
import { scanTag, scanTagHandle, scanTagUri } from './scan-tag.ts';
import type { ScalarStyle, Token, TokenKind } from './token.ts';
import { type Mark, YamlError } from './yaml-error.ts';

/** Nested deeper than this is hostile, and would exhaust the stack of whoever walks the tree. */
export const MAX_DEPTH = 1000;

/** How far a `:` may be from the start of its key. */
const MAX_SIMPLE_KEY = 1024;

interface SimpleKey {
  isPossible: boolean;
  isRequired: boolean;
  tokenNumber: number;
  mark: Mark;
}

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
  private readonly indents: number[] = [];
  private readonly simpleKeys: SimpleKey[] = [newSimpleKey()];
  /** Keys of all levels by token, while inside brackets; outside there is only one. */
  private readonly keyOfToken = new Map<number, SimpleKey>();
  private queue: Token[] = [];
  private head = 0;
  private tokensTaken = 0;
  private isEnded = false;
  private readonly lookAhead: number;
  /** Comments that hold a schema, by line; others are of no account. */
  readonly schemaComments = new Map<number, string>();

  /** `lookAhead` is how many tokens are scanned early: what is wrong there is noticed first. */
  constructor(text: string, lookAhead: number) {
    this.lookAhead = lookAhead;
    this.reader = new Reader(text);
    const mark = this.reader.mark();
    this.queue.push(newToken('stream-start', mark));
  }

  /** The next token, which stays. */
  peek(): Token {
    this.fetchMore();
    return this.queue[this.head]!;
  }

  /** The next token, taken. After the end of the stream it stays there. */
  next(): Token {
    const token = this.peek();
    if (token.kind === 'stream-end') return token;
    this.head += 1;
    this.tokensTaken += 1;
    if (this.head > 512) {
      this.queue = this.queue.slice(this.head);
      this.head = 0;
    }
    return token;
  }

  fail(context: Mark | undefined, problem: string): never {
    throw new YamlError('scanner', problem, this.reader.mark(), context);
  }

  emit(kind: TokenKind, start: Mark, value = '', handle = '', style: ScalarStyle = 'plain'): void {
    this.queue.push({ kind, start, value, handle, style });
  }

  private fetchMore(): void {
    for (;;) {
      if (this.head < this.queue.length - this.lookAhead || this.isEnded) {
        const key = this.keyAtHead();
        if (key === undefined || !this.isKeyValid(key)) return;
      }
      this.fetchNext();
    }
  }

  /** The key that the next token may turn out to be. */
  private keyAtHead(): SimpleKey | undefined {
    if (this.flowLevel > 0) return this.keyOfToken.get(this.tokensTaken);
    const key = this.simpleKeys[0]!;
    return key.isPossible && key.tokenNumber === this.tokensTaken ? key : undefined;
  }

  private isKeyValid(key: SimpleKey): boolean {
    if (!key.isPossible) return false;
    const { line, index } = this.reader;
    if (key.mark.line < line || key.mark.index + MAX_SIMPLE_KEY < index) {
      if (key.isRequired) this.fail(key.mark, "could not find expected ':'");
      this.dropKey(key);
      return false;
    }
    return true;
  }

  private dropKey(key: SimpleKey): void {
    key.isPossible = false;
    if (this.flowLevel > 0) this.keyOfToken.delete(key.tokenNumber);
  }

  private saveSimpleKey(): void {
    if (!this.isSimpleKeyAllowed) return;
    this.removeSimpleKey();
    const key: SimpleKey = {
      isPossible: true,
      isRequired: this.flowLevel === 0 && this.indent === this.reader.column,
      tokenNumber: this.tokensTaken + (this.queue.length - this.head),
      mark: this.reader.mark(),
    };
    this.simpleKeys[this.simpleKeys.length - 1] = key;
    if (this.flowLevel > 0) this.keyOfToken.set(key.tokenNumber, key);
  }

  private removeSimpleKey(): void {
    const key = this.simpleKeys[this.simpleKeys.length - 1]!;
    if (!key.isPossible) return;
    if (key.isRequired) this.fail(key.mark, "could not find expected ':'");
    this.dropKey(key);
  }

  /** Opens a block collection when the column is deeper; `at` is where its token belongs. */
  private rollIndent(column: number, at: number, kind: TokenKind, mark: Mark): void {
    if (this.flowLevel > 0 || this.indent >= column) return;
    this.indents.push(this.indent);
    this.indent = column;
    if (this.indents.length > MAX_DEPTH) this.fail(mark, `exceeded max depth of ${MAX_DEPTH}`);
    const token = newToken(kind, mark);
    if (at < 0) this.queue.push(token);
    else this.queue.splice(this.head + at - this.tokensTaken, 0, token);
  }

  private unrollIndent(column: number): void {
    if (this.flowLevel > 0) return;
    while (this.indent > column) {
      const mark = this.reader.mark();
      this.queue.push(newToken('block-end', mark));
      this.indent = this.indents.pop() ?? -1;
    }
  }

  private fetchNext(): void {
    const { reader } = this;
    this.scanToNextToken();
    this.unrollIndent(reader.column);
    const code = reader.peek();
    if (isEnd(code)) {
      this.fetchStreamEnd();
      return;
    }
    if (reader.column === 0) {
      if (code === 0x25) {
        this.fetchDirective();
        return;
      }
      if (this.isDocumentMarker(0x2d)) {
        this.fetchDocumentMarker('document-start');
        return;
      }
      if (this.isDocumentMarker(0x2e)) {
        this.fetchDocumentMarker('document-end');
        return;
      }
    }
    switch (code) {
      case 0x5b:
        this.fetchFlowStart('flow-sequence-start');
        return;
      case 0x7b:
        this.fetchFlowStart('flow-mapping-start');
        return;
      case 0x5d:
        this.fetchFlowEnd('flow-sequence-end');
        return;
      case 0x7d:
        this.fetchFlowEnd('flow-mapping-end');
        return;
      case 0x2c:
        this.fetchFlowEntry();
        return;
      case 0x2a:
        this.fetchAnchor('alias');
        return;
      case 0x26:
        this.fetchAnchor('anchor');
        return;
      case 0x21:
        this.fetchTag();
        return;
      case 0x27:
      case 0x22:
        this.fetchQuoted(code === 0x27);
        return;
    }
    const isBeforeBlank = isBlankOrBreakOrEnd(reader.peek(1));
    if (code === 0x2d && isBeforeBlank) {
      this.fetchBlockEntry();
      return;
    }
    if (code === 0x3f && (this.flowLevel > 0 || isBeforeBlank)) {
      this.fetchKey();
      return;
    }
    if (code === 0x3a && (this.flowLevel > 0 || isBeforeBlank)) {
      this.fetchValue();
      return;
    }
    if ((code === 0x7c || code === 0x3e) && this.flowLevel === 0) {
      this.fetchBlockScalar(code === 0x7c);
      return;
    }
    if (this.canStartPlain(code)) {
      this.fetchPlain();
      return;
    }
    this.fail(reader.mark(), 'found character that cannot start any token');
  }

  private canStartPlain(code: number): boolean {
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

  private scanToNextToken(): void {
    const { reader } = this;
    for (;;) {
      if (reader.column === 0 && reader.peek() === BYTE_ORDER_MARK) reader.skip();
      while (
        reader.peek() === SPACE ||
        ((this.flowLevel > 0 || !this.isSimpleKeyAllowed) && reader.peek() === TAB)
      ) {
        reader.skip();
      }
      if (reader.peek() === 0x23) this.skipComment();
      if (!isBreak(reader.peek())) return;
      reader.skipLine();
      if (this.flowLevel === 0) this.isSimpleKeyAllowed = true;
    }
  }

  private skipComment(): void {
    const { reader } = this;
    const from = reader.index;
    while (!isBreakOrEnd(reader.peek())) reader.skip();
    const text = reader.text.slice(from, reader.index).replace(/^#+\s*/, '');
    if (text.startsWith('{')) this.schemaComments.set(reader.line, text);
  }

  private fetchStreamEnd(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    if (this.reader.column !== 0) {
      this.reader.column = 0;
      this.reader.line += 1;
    }
    this.unrollIndent(-1);
    this.removeSimpleKey();
    this.isSimpleKeyAllowed = false;
    this.emit('stream-end', this.reader.mark());
  }

  private fetchDirective(): void {
    this.unrollIndent(-1);
    this.removeSimpleKey();
    this.isSimpleKeyAllowed = false;
    const { reader } = this;
    const start = reader.mark();
    reader.skip();
    const from = reader.index;
    while (isWord(reader.peek())) reader.skip();
    const name = reader.text.slice(from, reader.index);
    if (name === '') this.fail(start, 'could not find expected directive name');
    if (!isBlankOrBreakOrEnd(reader.peek())) {
      this.fail(start, 'found unexpected non-alphabetical character');
    }
    if (name === 'YAML') this.scanVersion(start);
    else if (name === 'TAG') this.scanTagDirective(start);
    else this.fail(start, 'found unknown directive name');
    while (isBlank(reader.peek())) reader.skip();
    if (reader.peek() === 0x23) {
      while (!isBreakOrEnd(reader.peek())) reader.skip();
    }
    if (!isBreakOrEnd(reader.peek())) {
      this.fail(start, 'did not find expected comment or line break');
    }
    reader.skipLine();
  }

  private scanVersion(start: Mark): void {
    const { reader } = this;
    while (isBlank(reader.peek())) reader.skip();
    const number = (): string => {
      const from = reader.index;
      while (isDigit(reader.peek())) reader.skip();
      if (from === reader.index) this.fail(start, 'did not find expected version number');
      if (reader.index - from > 2) this.fail(start, 'found extremely long version number');
      return reader.text.slice(from, reader.index);
    };
    const major = number();
    if (reader.peek() !== 0x2e) this.fail(start, "did not find expected digit or '.' character");
    reader.skip();
    this.emit('version-directive', start, `${major}.${number()}`);
  }

  private scanTagDirective(start: Mark): void {
    const { reader } = this;
    while (isBlank(reader.peek())) reader.skip();
    const handle = scanTagHandle(this, true, start);
    if (!isBlank(reader.peek())) this.fail(start, 'did not find expected whitespace');
    while (isBlank(reader.peek())) reader.skip();
    const value = scanTagUri(this, '', start);
    if (!isBlankOrBreakOrEnd(reader.peek())) {
      this.fail(start, 'did not find expected whitespace or line break');
    }
    this.emit('tag-directive', start, value, handle);
  }

  private fetchDocumentMarker(kind: TokenKind): void {
    this.unrollIndent(-1);
    this.removeSimpleKey();
    this.isSimpleKeyAllowed = false;
    const start = this.reader.mark();
    this.reader.skip(3);
    this.emit(kind, start);
  }

  private fetchFlowStart(kind: TokenKind): void {
    this.saveSimpleKey();
    const outer = this.simpleKeys[0]!;
    if (this.flowLevel === 0 && outer.isPossible) this.keyOfToken.set(outer.tokenNumber, outer);
    this.simpleKeys.push(newSimpleKey());
    this.flowLevel += 1;
    const start = this.reader.mark();
    if (this.flowLevel > MAX_DEPTH) this.fail(start, `exceeded max depth of ${MAX_DEPTH}`);
    this.isSimpleKeyAllowed = true;
    this.reader.skip();
    this.emit(kind, start);
  }

  private fetchFlowEnd(kind: TokenKind): void {
    this.removeSimpleKey();
    if (this.flowLevel > 0) {
      this.flowLevel -= 1;
      const key = this.simpleKeys.pop()!;
      if (this.flowLevel === 0) this.keyOfToken.clear();
      else this.keyOfToken.delete(key.tokenNumber);
    }
    this.isSimpleKeyAllowed = false;
    const start = this.reader.mark();
    this.reader.skip();
    this.emit(kind, start);
  }

  private fetchFlowEntry(): void {
    this.removeSimpleKey();
    this.isSimpleKeyAllowed = true;
    const start = this.reader.mark();
    this.reader.skip();
    this.emit('flow-entry', start);
  }

  private fetchBlockEntry(): void {
    const start = this.reader.mark();
    if (this.flowLevel === 0) {
      if (!this.isSimpleKeyAllowed) {
        this.fail(start, 'block sequence entries are not allowed in this context');
      }
      this.rollIndent(this.reader.column, -1, 'block-sequence-start', start);
    }
    this.removeSimpleKey();
    this.isSimpleKeyAllowed = true;
    this.reader.skip();
    this.emit('block-entry', start);
  }

  private fetchKey(): void {
    const start = this.reader.mark();
    if (this.flowLevel === 0) {
      if (!this.isSimpleKeyAllowed) {
        this.fail(start, 'mapping keys are not allowed in this context');
      }
      this.rollIndent(this.reader.column, -1, 'block-mapping-start', start);
    }
    this.removeSimpleKey();
    this.isSimpleKeyAllowed = this.flowLevel === 0;
    this.reader.skip();
    this.emit('key', start);
  }

  private fetchValue(): void {
    const key = this.simpleKeys[this.simpleKeys.length - 1]!;
    if (this.isKeyValid(key)) {
      const token = newToken('key', key.mark);
      this.queue.splice(this.head + key.tokenNumber - this.tokensTaken, 0, token);
      this.rollIndent(key.mark.column, key.tokenNumber, 'block-mapping-start', key.mark);
      this.dropKey(key);
      this.isSimpleKeyAllowed = false;
    } else {
      if (this.flowLevel === 0) {
        if (!this.isSimpleKeyAllowed) {
          this.fail(this.reader.mark(), 'mapping values are not allowed in this context');
        }
        this.rollIndent(this.reader.column, -1, 'block-mapping-start', this.reader.mark());
      }
      this.isSimpleKeyAllowed = this.flowLevel === 0;
    }
    const start = this.reader.mark();
    this.reader.skip();
    this.emit('value', start);
  }

  private fetchAnchor(kind: 'alias' | 'anchor'): void {
    this.saveSimpleKey();
    this.isSimpleKeyAllowed = false;
    const { reader } = this;
    const start = reader.mark();
    reader.skip();
    const from = reader.index;
    while (isWord(reader.peek())) reader.skip();
    const code = reader.peek();
    const mayFollow = isBlankOrBreakOrEnd(code) || '?:,]}%@`'.includes(String.fromCharCode(code));
    if (from === reader.index || !mayFollow) {
      this.fail(start, 'did not find expected alphabetic or numeric character');
    }
    this.emit(kind, start, reader.text.slice(from, reader.index));
  }

  private fetchTag(): void {
    this.saveSimpleKey();
    this.isSimpleKeyAllowed = false;
    const start = this.reader.mark();
    const { handle, suffix } = scanTag(this);
    this.emit('tag', start, suffix, handle);
  }

  private fetchBlockScalar(isLiteral: boolean): void {
    this.removeSimpleKey();
    this.isSimpleKeyAllowed = true;
    const start = this.reader.mark();
    const value = scanBlockScalar(this, isLiteral);
    this.emit('scalar', start, value, '', isLiteral ? 'literal' : 'folded');
  }

  private fetchQuoted(isSingle: boolean): void {
    this.saveSimpleKey();
    this.isSimpleKeyAllowed = false;
    const start = this.reader.mark();
    const value = scanQuotedScalar(this, isSingle);
    this.emit('scalar', start, value, '', isSingle ? 'single' : 'double');
  }

  private fetchPlain(): void {
    this.saveSimpleKey();
    this.isSimpleKeyAllowed = false;
    const start = this.reader.mark();
    const value = scanPlainScalar(this);
    this.emit('scalar', start, value);
  }
}

function newToken(kind: TokenKind, start: Mark): Token {
  return { kind, start, value: '', handle: '', style: 'plain' };
}

function newSimpleKey(): SimpleKey {
  return {
    isPossible: false,
    isRequired: false,
    tokenNumber: -1,
    mark: { index: 0, line: 0, column: 0 },
  };
}
