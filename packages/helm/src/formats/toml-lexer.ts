import { quoteRune } from '../go/quote.ts';
import { isTomlBlank as isBlank, type TomlState as State, type TomlKind } from './toml-cursor.ts';
import { code, eof, isBreak, isDigit, isLetter, TomlScalars } from './toml-scalars.ts';

const isBare = (rune: number) => rune < 0x80 && /[\w-]/.test(String.fromCharCode(rune));
const shown = (rune: number) => (rune === eof ? 'end of file' : `'${String.fromCodePoint(rune)}'`);

/**
 * Cuts a TOML text into tokens, one at a time, as BurntSushi's library does: what is wrong is a token too, so
 * that the reader has seen all that stands before it and can say in which key it is.
 */
export class TomlLexer extends TomlScalars {
  protected override state: State = () => this.top();

  protected top(): State {
    const rune = this.next();
    const top = () => this.top();
    if (isBlank(rune) || isBreak(rune)) return this.ignoring(top);
    if (rune === code('#')) return this.before(() => this.comment(), top);
    if (rune === code('[')) return this.tableStart();
    if (rune === eof) {
      this.emit('end');
      return undefined;
    }
    this.back();
    return this.before(
      () => this.keyStart(),
      () => this.topEnd(),
    );
  }

  protected topEnd(): State {
    const rune = this.next();
    if (rune === code('#')) {
      return this.before(
        () => this.comment(),
        () => this.top(),
      );
    }
    if (isBlank(rune)) return () => this.topEnd();
    if (isBreak(rune)) return this.ignoring(() => this.top());
    if (rune === eof) {
      this.emit('end');
      return undefined;
    }
    return this.fail(
      `expected a top-level item to end with a newline, comment, or EOF, but got ${quoteRune(rune)} instead`,
    );
  }

  protected comment(): State {
    this.ignore();
    this.emit('comment');
    for (;;) {
      const count = this.waiting();
      const rune = this.next();
      if (this.waiting() > count) return undefined;
      if (isBreak(rune) || rune === eof) return this.doneBefore('text');
    }
  }

  protected tableStart(): State {
    const isArray = this.peek() === code('[');
    if (isArray) this.next();
    this.emit(isArray ? 'tables' : 'table');
    return this.before(
      () => this.tableName(),
      () => (isArray ? this.tablesEnd() : this.tableEnd('table-end')),
    );
  }

  protected tableEnd(kind: TomlKind): State {
    this.emit(kind);
    return () => this.topEnd();
  }

  protected tablesEnd(): State {
    const rune = this.next();
    if (rune === code(']')) return this.tableEnd('tables-end');
    return this.fail(
      `expected end of table array name delimiter ']', but got ${quoteRune(rune)} instead`,
    );
  }

  protected tableName(): State {
    this.skipBlanks();
    const rune = this.peek();
    if (rune === code(']') || rune === eof) {
      return this.fail('unexpected end of table name (table names cannot be empty)');
    }
    if (rune === code('.')) {
      return this.fail('unexpected table separator (table names cannot be empty)');
    }
    return this.name(rune, () => this.tableNameEnd());
  }

  protected tableNameEnd(): State {
    this.skipBlanks();
    const rune = this.next();
    if (rune === code('.')) return this.ignoring(() => this.tableName());
    if (rune === code(']')) return this.after.pop();
    return this.fail(`expected '.' or ']' to end table name, but got ${quoteRune(rune)} instead`);
  }

  /** One part of a key or of a table's name. */
  protected name(first: number, last: () => State): State {
    if (first === code('"') || first === code("'")) {
      this.next();
      this.ignore();
      return this.before(() => (first === code('"') ? this.string() : this.raw()), last);
    }
    while (isBare(this.next()));
    this.back();
    this.emit('text');
    return last;
  }

  protected keyStart(): State {
    this.skipBlanks();
    const rune = this.peek();
    if (rune === code('=') || rune === eof) {
      return this.fail("unexpected '=': key name appears blank");
    }
    if (rune === code('.')) return this.fail("unexpected '.': keys cannot start with a '.'");
    this.emit('key');
    return () => this.keyName();
  }

  protected keyName(): State {
    this.skipBlanks();
    const rune = this.peek();
    if (rune === code('=') || rune === eof) return this.fail("unexpected '='");
    if (rune === code('.')) return this.fail("unexpected '.'");
    return this.name(rune, () => this.keyEnd());
  }

  protected keyEnd(): State {
    this.skipBlanks();
    const rune = this.next();
    if (rune === eof) return this.fail("unexpected EOF; expected key separator '='");
    if (rune === code('.')) return this.ignoring(() => this.keyName());
    if (rune === code('=')) {
      this.emit('key-end');
      return () => this.value();
    }
    const message = `expected '.' or '=', but got ${quoteRune(rune)} instead`;
    return rune === 0x0a ? this.failInLineBefore(message) : this.fail(message);
  }

  protected value(): State {
    this.skipBlanks();
    const rune = this.next();
    if (isDigit(rune)) return this.number(rune);
    switch (String.fromCodePoint(rune)) {
      case '[':
        this.ignore();
        this.emit('array');
        return () => this.arrayValue();
      case '{':
        this.ignore();
        this.emit('inline');
        return () => this.inlineValue();
      case '"':
      case "'":
        return this.quoted(String.fromCodePoint(rune));
      case '.':
        return this.fail("floats must start with a digit, not '.'");
      case 'i':
      case 'n':
        if (this.accept('n') ? this.accept('f') : this.accept('a') && this.accept('n')) {
          return this.done('float');
        }
        break;
      case '-':
      case '+':
        return this.signed();
    }
    if (isLetter(rune)) {
      this.back();
      return this.word();
    }
    if (rune === eof) return this.fail('unexpected EOF; expected value');
    const message = `expected value but found ${quoteRune(rune)} instead`;
    return rune === 0x0a ? this.failInLineBefore(message) : this.fail(message);
  }

  protected quoted(quote: string): State {
    let isMulti = false;
    if (this.accept(quote)) {
      isMulti = this.accept(quote);
      if (!isMulti) this.back();
    }
    this.ignore();
    if (isMulti) return () => this.lines(quote);
    return () => (quote === '"' ? this.string() : this.raw());
  }

  protected arrayValue(): State {
    const rune = this.next();
    if (isBlank(rune) || isBreak(rune)) return this.ignoring(() => this.arrayValue());
    if (rune === code('#')) {
      return this.before(
        () => this.comment(),
        () => this.arrayValue(),
      );
    }
    if (rune === code(',')) return this.fail('unexpected comma');
    if (rune === code(']')) return this.closed('array-end');
    this.back();
    return this.before(
      () => this.value(),
      () => this.arrayValueEnd(),
    );
  }

  protected arrayValueEnd(): State {
    const rune = this.next();
    if (isBlank(rune) || isBreak(rune)) return this.ignoring(() => this.arrayValueEnd());
    if (rune === code('#')) {
      return this.before(
        () => this.comment(),
        () => this.arrayValueEnd(),
      );
    }
    if (rune === code(',')) return this.ignoring(() => this.arrayValue());
    if (rune === code(']')) return this.closed('array-end');
    return this.fail(`expected a comma (',') or array terminator (']'), but got ${shown(rune)}`);
  }

  protected closed(kind: TomlKind): State {
    this.ignore();
    return this.done(kind);
  }

  protected inlineValue(): State {
    const rune = this.next();
    if (isBlank(rune) || isBreak(rune)) return this.ignoring(() => this.inlineValue());
    if (rune === code('#')) {
      return this.before(
        () => this.comment(),
        () => this.inlineValue(),
      );
    }
    if (rune === code(',')) return this.fail('unexpected comma');
    if (rune === code('}')) return this.closed('inline-end');
    this.back();
    return this.before(
      () => this.keyStart(),
      () => this.inlineValueEnd(),
    );
  }

  protected inlineValueEnd(): State {
    const rune = this.next();
    if (isBlank(rune) || isBreak(rune)) return this.ignoring(() => this.inlineValueEnd());
    if (rune === code('#')) {
      return this.before(
        () => this.comment(),
        () => this.inlineValueEnd(),
      );
    }
    if (rune === code(',')) {
      this.ignore();
      this.skipBlanks();
      return this.peek() === code('}') ? () => this.inlineValueEnd() : () => this.inlineValue();
    }
    if (rune === code('}')) return this.closed('inline-end');
    return this.fail(
      `expected a comma or an inline table terminator '}', but got ${shown(rune)} instead`,
    );
  }
}
