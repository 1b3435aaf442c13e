import { badRequest } from '../status/api-error.ts';
import { type FieldProblem, invalid, problemText } from '../status/field-problem.ts';
import { labelValueProblems, qualifiedNameProblems } from '../validation/names.ts';

type LabelOperator = 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export interface LabelMatcher {
  readonly isEmpty: boolean;
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
}

/** A selector is part of a URL; no honest one is longer. */
const maxTextLength = 64 * 1024;

/** Reads `labelSelector=`; throws the 400 that the API answers, in its words. */
export function parseLabelSelector(text: string): LabelMatcher {
  if (text.length > maxTextLength) throw badRequest('the label selector is too long');
  return labelMatcher(new Parser(text).parse());
}

function labelMatcher(requirements: readonly LabelRequirement[]): LabelMatcher {
  return {
    isEmpty: requirements.length === 0,
    matches: (labels) => requirements.every((each) => satisfies(each, labels ?? {})),
  };
}

interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

const objectOperators: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/** The `LabelSelector` of a policy or workload. Missing matches nothing, empty everything. */
export function matcherOfObject(selector: LabelSelectorObject | undefined | null): LabelMatcher {
  if (selector === undefined || selector === null) return { isEmpty: false, matches: () => false };
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push({ key, operator: 'in', values: [value] });
  }
  for (const each of selector.matchExpressions ?? []) {
    requirements.push({
      key: each.key,
      operator: objectOperators[each.operator] ?? '!',
      values: each.values ?? [],
    });
  }
  return labelMatcher(requirements);
}

function satisfies(each: LabelRequirement, labels: Readonly<Record<string, string>>): boolean {
  const has = Object.hasOwn(labels, each.key);
  const value = labels[each.key] as string;
  switch (each.operator) {
    case 'in':
      return has && each.values.includes(value);
    case 'notin':
      return !has || !each.values.includes(value);
    case 'exists':
      return has;
    case '!':
      return !has;
    case 'gt':
    case 'lt': {
      if (!has || !/^[+-]?\d{1,18}$/.test(value)) return false;
      const [left, right] = [Number(value), Number(each.values[0])];
      return each.operator === 'gt' ? left > right : left < right;
    }
  }
}

interface Token {
  readonly kind: 'word' | 'symbol' | 'end';
  readonly text: string;
}

class Parser {
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(text: string) {
    for (const match of text.match(/==|!=|[=<>!(),]|[^\s=<>!(),]+/g) ?? []) {
      const isSymbol = /^(?:==|!=|[=<>!(),])$/.test(match);
      this.#tokens.push({ kind: isSymbol ? 'symbol' : 'word', text: match });
    }
    this.#tokens.push({ kind: 'end', text: '' });
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') return requirements;
      if (token.kind === 'symbol' && token.text !== '!') {
        throw badRequest(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const separator = this.#take();
      if (separator.kind === 'end') return requirements;
      if (separator.text !== ',') {
        throw badRequest(`found '${separator.text}', expected: ',' or 'end of string'`);
      }
      const next = this.#peek();
      if (next.kind !== 'word' && next.text !== '!') {
        throw badRequest(`found '${next.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelRequirement {
    let isNegated = false;
    if (this.#peek().text === '!') {
      this.#take();
      isNegated = true;
    }
    const keyToken = this.#take();
    if (keyToken.kind !== 'word') throw failure(`found '${keyToken.text}', expected: identifier`);
    const key = keyToken.text;
    check(qualifiedNameProblems(key).map((problem) => invalid('key', key, problem)));
    if (isNegated) return { key, operator: '!', values: [] };
    const next = this.#peek();
    if (next.kind === 'end' || next.text === ',') return { key, operator: 'exists', values: [] };
    return this.#comparison(key);
  }

  #comparison(key: string): LabelRequirement {
    const operator = this.#take().text;
    switch (operator) {
      case '=':
      case '==':
        return checked(key, 'in', [this.#exactValue()]);
      case '!=':
        return checked(key, 'notin', [this.#exactValue()]);
      case '>':
      case '<':
        return ordered(key, operator === '>' ? 'gt' : 'lt', this.#exactValue());
      case 'in':
      case 'notin':
        return checked(key, operator, this.#values());
      default:
        throw failure(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #exactValue(): string {
    const token = this.#peek();
    if (token.kind === 'end' || token.text === ',') return '';
    this.#take();
    if (token.kind === 'word') return token.text;
    throw failure(`found '${token.text}', expected: identifier`);
  }

  #values(): string[] {
    const open = this.#take();
    if (open.text !== '(') throw failure(`found '${open.text}' expected: '('`);
    const values = new Set<string>();
    let word: string | undefined;
    for (;;) {
      const token = this.#take();
      if (token.kind === 'word') {
        if (word !== undefined) throw failure(`found '${token.text}', expected: ',' or ')'`);
        word = token.text;
        continue;
      }
      if (token.text === ',') {
        values.add(word ?? '');
        word = undefined;
        continue;
      }
      if (token.text === ')') {
        if (word !== undefined || values.size > 0) values.add(word ?? '');
        return [...values].sort();
      }
      throw failure(`found '${token.text}', expected: ',', ')' or identifier`);
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#at++;
    return token;
  }
}

function ordered(key: string, operator: 'gt' | 'lt', value: string): LabelRequirement {
  if (!/^[+-]?\d{1,18}$/.test(value)) {
    check([invalid('values[0]', value, "for 'Gt', 'Lt' operators, the value must be an integer")]);
  }
  return { key, operator, values: [value] };
}

function checked(key: string, operator: 'in' | 'notin', given: string[]): LabelRequirement {
  // `a in ()` is read as the set of the empty value.
  const values = given.length === 0 ? [''] : given;
  for (const [index, value] of values.entries()) {
    const problems = labelValueProblems(value);
    if (problems.length > 0)
      check([invalid(`values[${index}][${key}]`, value, problems.join('; '))]);
  }
  return { key, operator, values };
}

function check(problems: readonly FieldProblem[]): void {
  const [first] = problems;
  if (first !== undefined) throw failure(problemText(first));
}

function failure(why: string) {
  return badRequest(`unable to parse requirement: ${why}`);
}
