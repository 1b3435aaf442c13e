import { KustomizeError } from '../kustomize-error.ts';

export type LabelMatcher = (labels: ReadonlyMap<string, string>) => boolean;

/** Compiles a label selector such as `app=web,tier in (a, b),!legacy`. */
export function compileLabelSelector(selector: string): LabelMatcher {
  const parser = new LabelParser(selector);
  const requirements = parser.parse();
  return (labels) => requirements.every((matches) => matches(labels));
}

class LabelParser {
  readonly #tokens: string[];
  #index = 0;

  constructor(selector: string) {
    this.#tokens = tokenize(selector);
  }

  parse(): LabelMatcher[] {
    const result: LabelMatcher[] = [];
    if (this.#tokens.length === 0) return result;
    for (;;) {
      result.push(this.#requirement());
      const next = this.#tokens[this.#index];
      if (next === undefined) return result;
      if (next !== ',') fail(next, "',' or 'end of string'");
      this.#index += 1;
      const after = this.#tokens[this.#index];
      if (after === undefined) fail('', "identifier after ','");
    }
  }

  #requirement(): LabelMatcher {
    let isNegated = false;
    if (this.#tokens[this.#index] === '!') {
      isNegated = true;
      this.#index += 1;
    }
    const key = this.#take();
    if (key === undefined || !isIdentifier(key))
      fail(key ?? '', "'!', 'identifier', or 'end of string'");
    const operator = this.#tokens[this.#index];
    if (isNegated) return (labels) => !labels.has(key);
    if (operator === undefined || operator === ',') return (labels) => labels.has(key);
    this.#index += 1;
    switch (operator) {
      case '=':
      case '==': {
        const value = this.#value();
        return (labels) => labels.get(key) === value;
      }
      case '!=': {
        const value = this.#value();
        return (labels) => labels.get(key) !== value;
      }
      case 'in':
      case 'notin': {
        const values = new Set(this.#values());
        const isIn = operator === 'in';
        return (labels) => {
          const value = labels.get(key);
          if (value === undefined) return !isIn;
          return values.has(value) === isIn;
        };
      }
      case '>':
      case '<': {
        const bound = Number(this.#value());
        return (labels) => {
          const text = labels.get(key);
          const value = text === undefined || text === '' ? Number.NaN : Number(text);
          return operator === '>' ? value > bound : value < bound;
        };
      }
      default:
        throw new KustomizeError(
          `unable to parse requirement: found '${operator}', expected: '=', '!=', '==', 'in', notin'`,
        );
    }
  }

  #take(): string | undefined {
    const token = this.#tokens[this.#index];
    if (token !== undefined) this.#index += 1;
    return token;
  }

  #value(): string {
    const token = this.#tokens[this.#index];
    if (token === undefined || token === ',') return '';
    if (!isIdentifier(token)) fail(token, 'identifier');
    this.#index += 1;
    return token;
  }

  #values(): string[] {
    if (this.#take() !== '(') fail(this.#tokens[this.#index - 1] ?? '', "'('");
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      if (token === ')') return values;
      if (token === ',') continue;
      if (token === undefined || !isIdentifier(token)) fail(token ?? '', "',', or identifier");
      values.push(token);
    }
  }
}

function fail(found: string, expected: string): never {
  throw new KustomizeError(`found '${found}', expected: ${expected}`);
}

function isIdentifier(token: string): boolean {
  return !/^[=!<>(),]+$/.test(token);
}

function tokenize(selector: string): string[] {
  const tokens: string[] = [];
  let index = 0;
  while (index < selector.length) {
    const character = selector[index]!;
    if (/\s/.test(character)) {
      index += 1;
    } else if ('(),'.includes(character)) {
      tokens.push(character);
      index += 1;
    } else if ('=!<>'.includes(character)) {
      const two = selector.slice(index, index + 2);
      const token = two === '==' || two === '!=' ? two : character;
      tokens.push(token);
      index += token.length;
    } else {
      let end = index;
      while (end < selector.length && !/[\s=!<>(),]/.test(selector[end]!)) end += 1;
      tokens.push(selector.slice(index, end));
      index = end;
    }
  }
  return tokens;
}
