import { TextError } from './error.ts';
import { goQuote } from './go-quote.ts';
import type { SelectorRequirement } from './label-selector.ts';
import { qualifiedNameProblems } from './names.ts';

/** What the reader leaves to the selector. */
interface SelectorReaderOptions {
  readonly maxRequirements: number;
  /** Gives the requirement in its canonical form, or throws what is wrong with it. */
  readonly check: (requirement: SelectorRequirement) => SelectorRequirement;
}

/**
 * Reads the text of a label selector. The grammar, its oddities (`a in ()` asks for the empty value, `in`
 * is a key too) and the words of its refusals are those of Kubernetes, which clients show as they are.
 */
export function readSelector(text: string, options: SelectorReaderOptions): SelectorRequirement[] {
  return new SelectorReader(text, options).read();
}

/** Two characters are one symbol only as `==` and `!=`. */
const tokenPattern = /==|!=|[=<>!(),]|[^ \t\r\n=<>!(),]+/g;
const symbolPattern = /^(?:==|!=|[=<>!(),])$/;

class SelectorReader {
  readonly #tokens: readonly string[];
  readonly #options: SelectorReaderOptions;
  #next = 0;

  constructor(text: string, options: SelectorReaderOptions) {
    this.#tokens = text.match(tokenPattern) ?? [];
    this.#options = options;
  }

  read(): SelectorRequirement[] {
    const requirements: SelectorRequirement[] = [];
    while (this.#peek() !== '') {
      if (!this.#startsRequirement())
        throw refusal(this.#peek(), ", expected: !, identifier, or 'end of string'");
      requirements.push(this.#requirement());
      if (requirements.length > this.#options.maxRequirements)
        throw wrong(
          `the label selector has more than ${this.#options.maxRequirements} requirements`,
        );
      const separator = this.#take();
      if (separator === '') break;
      if (separator !== ',') throw refusal(separator, ", expected: ',' or 'end of string'");
      if (!this.#startsRequirement())
        throw refusal(this.#peek(), ", expected: identifier after ','");
    }
    return requirements;
  }

  #startsRequirement(): boolean {
    const token = this.#peek();
    return token === '!' || isWord(token);
  }

  #requirement(): SelectorRequirement {
    try {
      return this.#options.check(this.#unchecked());
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      throw wrong(`unable to parse requirement: ${error.message}`);
    }
  }

  #unchecked(): SelectorRequirement {
    const isNegated = this.#peek() === '!';
    if (isNegated) this.#take();
    const key = this.#word();
    const problems = qualifiedNameProblems(key);
    // The place is unknown here and known in `check`; so it is in Kubernetes.
    if (problems.length > 0)
      throw wrong(`<nil>: Invalid value: ${goQuote(key)}: ${problems.join('; ')}`);
    if (isNegated) return { key, operator: '!', values: [] };
    if (this.#peek() === '' || this.#peek() === ',') return { key, operator: 'exists', values: [] };
    const operator = this.#take();
    switch (operator) {
      case '=':
      case '==':
      case '!=':
        return { key, operator, values: [this.#value()] };
      case '>':
        return { key, operator: 'gt', values: [this.#value()] };
      case '<':
        return { key, operator: 'lt', values: [this.#value()] };
      case 'in':
      case 'notin':
        return { key, operator, values: this.#set() };
      default:
        throw refusal(operator, ', expected: in, notin, =, ==, !=, gt, lt');
    }
  }

  /** What stands between the brackets; nothing there is the empty value, as between two commas. */
  #set(): string[] {
    const open = this.#take();
    if (open !== '(') throw refusal(open, " expected: '('");
    const first = this.#peek();
    if (!isWord(first) && first !== ',' && first !== ')')
      throw refusal(first, ", expected: ',', ')' or identifier");
    const values: string[] = [];
    for (;;) {
      const value = isWord(this.#peek()) ? this.#take() : '';
      values.push(value);
      const token = this.#take();
      if (token === ')') return values;
      if (token === ',') continue;
      throw refusal(
        token,
        value === '' ? ", expected: ',', or identifier" : ", expected: ',' or ')'",
      );
    }
  }

  #value(): string {
    const token = this.#peek();
    return token === '' || token === ',' ? '' : this.#word();
  }

  #word(): string {
    const token = this.#take();
    if (!isWord(token)) throw refusal(token, ', expected: identifier');
    return token;
  }

  /** Empty at the end; no token is. */
  #peek(): string {
    return this.#tokens[this.#next] ?? '';
  }

  #take(): string {
    return this.#tokens[this.#next++] ?? '';
  }
}

function isWord(token: string): boolean {
  return token !== '' && !symbolPattern.test(token);
}

function refusal(found: string, expected: string): TextError {
  return wrong(`found '${found.slice(0, 320)}'${expected}`);
}

function wrong(problem: string): TextError {
  return new TextError('WG_TEXT_SELECTOR', problem);
}
