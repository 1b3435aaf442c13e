import { TextError } from './error.ts';
import { goQuote } from './go-quote.ts';
import { readSelector } from './label-selector-reader.ts';
import { labelValueProblems, qualifiedNameProblems } from './names.ts';

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
const maxText = 64 * 1024;
const mostRequirements = 1000;
const maxValues = 10_000;

/**
 * Parses the text form, `app=web,tier in (a, b),!canary`, as Kubernetes does and with its words.
 *
 * ```ts
 * parseLabelSelector('app in (web, api),!canary').matches({ app: 'web' }); // true
 * ```
 *
 * @throws TextError `WG_TEXT_SELECTOR`
 */
export function parseLabelSelector(text: string): Selector {
  if (text.length > maxText) throw wrong(`the label selector is longer than ${maxText} characters`);
  return selectorOf(readSelector(text, { maxRequirements: mostRequirements, check: requirement }));
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
    requirements.push(requirement({ key, operator: 'in', values: [value] }));
  }
  for (const expression of selector.matchExpressions ?? []) {
    const operator = expressionOperators[expression.operator];
    if (operator === undefined) throw wrong(`"${expression.operator}" is not a valid operator`);
    requirements.push(
      requirement({ key: expression.key, operator, values: expression.values ?? [] }),
    );
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
    Object.entries(labels ?? {}).map(([key, value]) =>
      requirement({ key, operator: '=', values: [value] }),
    ),
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

const expressionOperators: Record<string, SelectorOperator | undefined> = {
  __proto__: null as never,
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

function wrong(problem: string): TextError {
  return new TextError('WG_TEXT_SELECTOR', problem);
}

/** Checked as Kubernetes does, in its words. */
function requirement({ key, operator, values }: SelectorRequirement): SelectorRequirement {
  const keyProblems = qualifiedNameProblems(key);
  if (keyProblems.length > 0) throw wrong(invalid('key', key, keyProblems.join('; ')));
  const problems: string[] = [];
  if (values.length > maxValues) throw wrong(`key "${key}": more than ${maxValues} values`);
  if ((operator === 'in' || operator === 'notin') && values.length === 0)
    problems.push(
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    );
  if ((operator === 'exists' || operator === '!') && values.length > 0)
    problems.push(
      `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`,
    );
  if (operator === 'gt' || operator === 'lt')
    for (const [index, value] of values.entries())
      if (!isInt64(value))
        problems.push(
          invalid(
            `values[${index}]`,
            value,
            "for 'Gt', 'Lt' operators, the value must be an integer",
          ),
        );
  const sorted = [...new Set(values)].sort();
  for (const [index, value] of sorted.entries()) {
    const valueProblems = labelValueProblems(value);
    if (valueProblems.length > 0)
      problems.push(invalid(`values[${index}][${key}]`, value, valueProblems.join('; ')));
  }
  if (problems.length > 0)
    throw wrong(problems.length === 1 ? (problems[0] as string) : `[${problems.join(', ')}]`);
  return { key, operator, values: sorted };
}

function invalid(field: string, value: string, why: string): string {
  return `${field}: Invalid value: ${goQuote(value)}: ${why}`;
}

function isInt64(text: string): boolean {
  if (!/^[+-]?\d{1,19}$/.test(text)) return false;
  return BigInt.asIntN(64, BigInt(text.replace(/^\+/, ''))) === BigInt(text.replace(/^\+/, ''));
}

function selectorOf(requirements: SelectorRequirement[]): Selector {
  if (requirements.length > mostRequirements) {
    throw wrong(`the label selector has more than ${mostRequirements} requirements`);
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
