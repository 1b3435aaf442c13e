import { TextError } from './error.ts';

/** The API's own form of a selector, as in Deployments and Services of policy. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

/** One of the `matchExpressions` of a label selector. */
export interface LabelSelectorRequirement {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  values?: string[];
}

/** How a requirement compares the value of a label. */
export type SelectorOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One term of a label selector. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
}

/** A selector that is ready to match. Its text is canonical: requirements and values sorted. */
export interface Selector {
  readonly requirements: readonly SelectorRequirement[];
  /** True when it matches everything. */
  readonly empty: boolean;
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
  toString(): string;
}

/** Selectors come from users: these bounds keep a hostile one cheap. */
const MAX_TEXT = 64 * 1024;
const MAX_REQUIREMENTS = 1000;
const MAX_VALUES = 10_000;

/**
 * Parses the text form, `app=web,tier in (a, b),!canary`.
 *
 * ```ts
 * parseLabelSelector('app in (web, api),!canary').matches({ app: 'web' }); // true
 * ```
 *
 * @throws TextError `WG_TEXT_SELECTOR`
 */
export function parseLabelSelector(text: string): Selector {
  if (text.length > MAX_TEXT) throw wrong(`longer than ${MAX_TEXT} characters`);
  return selectorOf(new SelectorParser(text).parse());
}

/**
 * The selector of an API object. As in Kubernetes, a missing one matches nothing and an empty one
 * matches everything.
 *
 * ```ts
 * selectorFromLabelSelector({ matchLabels: { app: 'web' } }).matches({ app: 'web' }); // true
 * selectorFromLabelSelector(undefined).matches({ app: 'web' }); // false
 * ```
 */
export function selectorFromLabelSelector(selector: LabelSelector | null | undefined): Selector {
  if (selector === null || selector === undefined) return nothing;
  const requirements: SelectorRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push(requirement(key, 'in', [value]));
  }
  for (const expression of selector.matchExpressions ?? []) {
    const operator = expressionOperators[expression.operator];
    if (operator === undefined) throw wrong(`"${expression.operator}" is not a valid operator`);
    requirements.push(requirement(expression.key, operator, expression.values ?? []));
  }
  return selectorOf(requirements);
}

/**
 * Every label of the set must be there with its value. No label matches everything.
 *
 * ```ts
 * selectorFromSet({ app: 'web', tier: 'front' }).toString(); // 'app=web,tier=front'
 * ```
 */
export function selectorFromSet(labels: Readonly<Record<string, string>> | undefined): Selector {
  return selectorOf(
    Object.entries(labels ?? {}).map(([key, value]) => requirement(key, '=', [value])),
  );
}

/**
 * The selector that matches all labels.
 *
 * ```ts
 * everything.matches({ app: 'web' }); // true
 * ```
 */
export const everything: Selector = {
  requirements: [],
  empty: true,
  matches: () => true,
  toString: () => '',
};

/**
 * The selector that matches no labels.
 *
 * ```ts
 * nothing.matches({ app: 'web' }); // false
 * ```
 */
export const nothing: Selector = {
  requirements: [],
  empty: false,
  matches: () => false,
  toString: () => '',
};

const qualifiedPart = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const dnsLabel = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * Why the text is no label key (`prefix/name`); undefined when it is one.
 *
 * ```ts
 * labelKeyProblem('example.com/team'); // undefined
 * labelKeyProblem('-team') === undefined; // false
 * ```
 */
export function labelKeyProblem(key: string): string | undefined {
  const slash = key.indexOf('/');
  if (slash >= 0) {
    const prefix = key.slice(0, slash);
    if (prefix === '') return 'prefix part must be non-empty';
    if (prefix.length > 253 || !prefix.split('.').every((part) => dnsLabel.test(part))) {
      return 'prefix part must be a lower case DNS subdomain of at most 253 characters';
    }
  }
  if (qualifiedPart.test(key.slice(slash + 1))) return undefined;
  return 'name part must be 1 to 63 characters: letters, digits, "-", "_" or ".", starting and ending with a letter or digit';
}

/**
 * Why the text is no label value; undefined when it is one.
 *
 * ```ts
 * labelValueProblem('web'); // undefined
 * ```
 */
export function labelValueProblem(value: string): string | undefined {
  if (value === '' || qualifiedPart.test(value)) return undefined;
  return 'must be empty or 1 to 63 characters: letters, digits, "-", "_" or ".", starting and ending with a letter or digit';
}

const expressionOperators: Record<string, SelectorOperator | undefined> = {
  __proto__: null as never,
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

function wrong(problem: string): TextError {
  return new TextError('WG_TEXT_SELECTOR', `invalid label selector: ${problem}`);
}

function requirement(
  key: string,
  operator: SelectorOperator,
  values: readonly string[],
): SelectorRequirement {
  const keyProblem = labelKeyProblem(key);
  if (keyProblem !== undefined) throw wrong(`key "${key.slice(0, 320)}": ${keyProblem}`);
  if ((operator === 'in' || operator === 'notin') && values.length === 0) {
    throw wrong(`key "${key}": for "in" and "notin" the values must not be empty`);
  }
  if ((operator === 'exists' || operator === '!') && values.length > 0) {
    throw wrong(`key "${key}": "exists" and "does not exist" take no values`);
  }
  if (values.length > MAX_VALUES) throw wrong(`key "${key}": more than ${MAX_VALUES} values`);
  for (const value of values) {
    if (operator === 'gt' || operator === 'lt') {
      if (!isInt64(value)) throw wrong(`key "${key}": "${value}" is not an integer`);
    }
    const problem = labelValueProblem(value);
    if (problem !== undefined) throw wrong(`value "${value.slice(0, 80)}" of "${key}": ${problem}`);
  }
  return { key, operator, values: [...new Set(values)].sort() };
}

function isInt64(text: string): boolean {
  if (!/^[+-]?\d{1,19}$/.test(text)) return false;
  return BigInt.asIntN(64, BigInt(text.replace(/^\+/, ''))) === BigInt(text.replace(/^\+/, ''));
}

function selectorOf(requirements: SelectorRequirement[]): Selector {
  if (requirements.length > MAX_REQUIREMENTS) {
    throw wrong(`more than ${MAX_REQUIREMENTS} requirements`);
  }
  if (requirements.length === 0) return everything;
  const sorted = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const tests = sorted.map(testOf);
  const text = sorted.map(printRequirement).join(',');
  return {
    requirements: sorted,
    empty: false,
    matches: (labels) => tests.every((test) => test(labels ?? {})),
    toString: () => text,
  };
}

function testOf(one: SelectorRequirement): (labels: Readonly<Record<string, string>>) => boolean {
  const { key } = one;
  const has = (labels: object) => Object.hasOwn(labels, key);
  const values = new Set(one.values);
  switch (one.operator) {
    case '=':
    case '==':
    case 'in':
      return (labels) => has(labels) && values.has(labels[key] as string);
    case '!=':
    case 'notin':
      return (labels) => !has(labels) || !values.has(labels[key] as string);
    case 'exists':
      return has;
    case '!':
      return (labels) => !has(labels);
    default: {
      const bound = BigInt((one.values[0] as string).replace(/^\+/, ''));
      const greater = one.operator === 'gt';
      return (labels) => {
        const value = has(labels) ? (labels[key] as string) : '';
        if (!isInt64(value)) return false;
        const number = BigInt(value.replace(/^\+/, ''));
        return greater ? number > bound : number < bound;
      };
    }
  }
}

function printRequirement(one: SelectorRequirement): string {
  switch (one.operator) {
    case '!':
      return `!${one.key}`;
    case 'exists':
      return one.key;
    case 'in':
    case 'notin':
      return `${one.key} ${one.operator} (${one.values.join(',')})`;
    case 'gt':
      return `${one.key}>${one.values[0]}`;
    case 'lt':
      return `${one.key}<${one.values[0]}`;
    default:
      return `${one.key}${one.operator}${one.values[0]}`;
  }
}

/** Tokens are words, the operators `= == != > < ! ( ) ,` and the words `in`, `notin`. */
class SelectorParser {
  readonly #tokens: string[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = text.match(/==|!=|[=<>!(),]|[^\s=<>!(),]+/g) ?? [];
  }

  parse(): SelectorRequirement[] {
    const requirements: SelectorRequirement[] = [];
    if (this.#tokens.length === 0) return requirements;
    for (;;) {
      requirements.push(this.#requirement());
      if (requirements.length > MAX_REQUIREMENTS) {
        throw wrong(`more than ${MAX_REQUIREMENTS} requirements`);
      }
      const separator = this.#take();
      if (separator === undefined) return requirements;
      if (separator !== ',') throw wrong(`found "${separator}", expected "," or the end`);
      if (this.#peek() === undefined) throw wrong('ends with a ","');
    }
  }

  #requirement(): SelectorRequirement {
    if (this.#peek() === '!') {
      this.#take();
      return requirement(this.#word('a key after "!"'), '!', []);
    }
    const key = this.#word('a key');
    const operator = this.#peek();
    if (operator === undefined || operator === ',') return requirement(key, 'exists', []);
    this.#take();
    switch (operator) {
      case '=':
      case '==':
      case '!=':
        return requirement(key, operator, [this.#value()]);
      case '>':
      case '<':
        return requirement(key, operator === '>' ? 'gt' : 'lt', [this.#value()]);
      case 'in':
      case 'notin':
        return requirement(key, operator, this.#set());
      default:
        throw wrong(`found "${operator.slice(0, 80)}", expected an operator after "${key}"`);
    }
  }

  #set(): string[] {
    if (this.#take() !== '(') throw wrong('expected "(" after "in" or "notin"');
    const values: string[] = [];
    let word: string | undefined;
    for (;;) {
      const token = this.#take();
      if (token === undefined) throw wrong('a set of values is not closed');
      if (token === ')' && values.length === 0 && word === undefined) return values;
      if (token === ',' || token === ')') {
        values.push(word ?? '');
        word = undefined;
        if (token === ')') return values;
      } else if (isWord(token) && word === undefined) {
        word = token;
      } else {
        throw wrong(`found "${token.slice(0, 80)}" in a set of values`);
      }
    }
  }

  #value(): string {
    const token = this.#peek();
    if (token === undefined || token === ',') return '';
    return this.#word('a value');
  }

  #word(expected: string): string {
    const token = this.#take();
    if (token !== undefined && isWord(token)) return token;
    throw wrong(`found "${token?.slice(0, 80) ?? 'the end'}", expected ${expected}`);
  }

  #peek(): string | undefined {
    return this.#tokens[this.#next];
  }

  #take(): string | undefined {
    return this.#tokens[this.#next++];
  }
}

function isWord(token: string): boolean {
  return !/^(?:==|!=|[=<>!(),])$/.test(token);
}
