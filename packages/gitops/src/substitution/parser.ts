import { type Expression, type FunctionCall, SubstitutionError } from './expression.ts';
import { type Accept, type ScanMode, Scanner } from './scanner.ts';

/** Functions within arguments of functions. */
const maxDepth = 100;

const anything: Accept = () => true;
const identifier: Accept = (one) => /^[\p{L}\p{Nd}_]$/u.test(one);
const notClosing: Accept = (one) => one !== '}';
const notColonNorClosing: Accept = (one) => one !== ':' && one !== '}';
const notSlash: Accept = (one) => one !== '/';
const firstOf =
  (wanted: string): Accept =>
  (one, place) =>
    place === 1 && one === wanted;
const upToTwo =
  (wanted: string): Accept =>
  (one, place) =>
    place <= 2 && wanted.includes(one);
const defaultOperator: Accept = (one, place) =>
  (place === 1 && one === ':') || (place === 2 && '=-?+'.includes(one));
const replaceOperator: Accept = (one, place) =>
  (place === 1 && one === '/') || (place === 2 && '/#%'.includes(one));

/**
 * Takes a text with `${…}` apart.
 *
 * @throws SubstitutionError when a `${` is not followed by what may follow it
 */
export function parseExpressions(text: string): Expression[] {
  return new Parser(text).parse();
}

class Parser {
  readonly #scanner: Scanner;
  #depth = 0;

  constructor(text: string) {
    this.#scanner = new Scanner(text);
  }

  parse(): Expression[] {
    const expressions: Expression[] = [];
    for (;;) {
      this.#scanner.escapes = 'dollar';
      switch (this.#scan(anything, { words: true, open: true, escapes: true })) {
        case 'end':
          return expressions;
        case 'word':
          expressions.push({ kind: 'text', text: this.#scanner.text });
          break;
        case 'open':
          expressions.push({ kind: 'function', function: this.#parseFunction() });
          break;
        default:
          throw badSubstitution();
      }
    }
  }

  #parseFunction(): FunctionCall {
    if (++this.#depth > maxDepth) throw new SubstitutionError('functions are nested too deeply');
    this.#scanner.escapes = 'all';
    if (this.#scanner.peek() === '#') return this.#left(this.#parseLength());
    if (this.#scan(identifier, { words: true }) !== 'word') {
      throw new SubstitutionError('unable to parse variable name');
    }
    const variable = this.#scanner.text;
    switch (this.#scanner.peek()) {
      case ':': {
        const next = this.#scanner.peek(1) ?? '';
        return this.#left(
          next !== '' && '=-?+'.includes(next)
            ? this.#parseDefault(variable)
            : this.#parseSubstring(variable),
        );
      }
      case '=':
        return this.#left(this.#parseDefault(variable));
      case ',':
      case '^':
        return this.#left(this.#parseCasing(variable));
      case '/':
        return this.#left(this.#parseReplace(variable));
      case '#':
      case '%':
        return this.#left(this.#parseRemove(variable));
      default:
        this.#closing();
        return this.#left({ name: '', variable, arguments: [] });
    }
  }

  #left(call: FunctionCall): FunctionCall {
    this.#depth--;
    return call;
  }

  #parseLength(): FunctionCall {
    const name = this.#operator(firstOf('#'));
    if (this.#scan(identifier, { words: true }) !== 'word') throw badSubstitution();
    const variable = this.#scanner.text;
    this.#closing();
    return { name, variable, arguments: [] };
  }

  #parseSubstring(variable: string): FunctionCall {
    const name = this.#operator(firstOf(':'));
    const from = this.#parameter(notColonNorClosing);
    const token = this.#scan(firstOf(':'), { words: true, close: true });
    if (token === 'close') return { name, variable, arguments: [from] };
    if (token !== 'word') throw badSubstitution();
    const length = this.#parameter(notClosing);
    this.#closing();
    return { name, variable, arguments: [from, length] };
  }

  #parseRemove(variable: string): FunctionCall {
    const name = this.#operator(upToTwo(this.#scanner.peek() ?? ''));
    const pattern = this.#parameter(notClosing);
    this.#closing();
    return { name, variable, arguments: [pattern] };
  }

  #parseReplace(variable: string): FunctionCall {
    const name = this.#operator(replaceOperator);
    const pattern = this.#parameter(notSlash, true);
    if (this.#scan(firstOf('/'), { words: true }) !== 'word') throw badSubstitution();
    if (this.#scanner.peek() === '}') {
      this.#closing();
      return { name, variable, arguments: [pattern] };
    }
    const replacement = this.#parameter(notClosing, true);
    this.#closing();
    return { name, variable, arguments: [pattern, replacement] };
  }

  #parseDefault(variable: string): FunctionCall {
    const accept = this.#scanner.peek() === '=' ? firstOf('=') : defaultOperator;
    const name = this.#operator(accept);
    const parts: Expression[] = [];
    while (this.#scanner.peek() !== '}') parts.push(this.#parameter(notClosing));
    this.#closing();
    return { name, variable, arguments: parts };
  }

  #parseCasing(variable: string): FunctionCall {
    const name = this.#operator(upToTwo(this.#scanner.peek() ?? ''));
    this.#closing();
    return { name, variable, arguments: [] };
  }

  #parameter(accept: Accept, escapes = false): Expression {
    switch (this.#scan(accept, { words: true, open: true, escapes })) {
      case 'open':
        return { kind: 'function', function: this.#parseFunction() };
      case 'word':
        return { kind: 'text', text: this.#scanner.text };
      default:
        throw new SubstitutionError('unable to parse substitution within braces');
    }
  }

  #operator(accept: Accept): string {
    if (this.#scan(accept, { words: true }) !== 'word') throw badSubstitution();
    return this.#scanner.text;
  }

  #closing(): void {
    if (this.#scan(anything, { close: true }) !== 'close') {
      throw new SubstitutionError('missing closing brace');
    }
  }

  #scan(accept: Accept, mode: ScanMode) {
    this.#scanner.accept = accept;
    this.#scanner.mode = mode;
    return this.#scanner.scan();
  }
}

function badSubstitution(): SubstitutionError {
  return new SubstitutionError('bad substitution');
}
