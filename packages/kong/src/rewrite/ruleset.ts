import { compileRegex, RegexError } from '@waygate/text';
import { KongError } from '../kong-error.ts';
import { type LintFunction, lintFunctions } from './lint-functions.ts';
import { Selector } from './selector.ts';
import { isStateObject, type StateObject, type StateValue } from './state-document.ts';

/** How bad it is to break a rule, from least to worst. */
export const lintSeverities = ['hint', 'info', 'warn', 'error'] as const;
export type LintSeverity = (typeof lintSeverities)[number];

/** What a rule asks of one field of what it is given. */
export interface LintCheck {
  /** None stands for what is given itself, `@key` for the names of its fields. */
  readonly field: string | undefined;
  readonly name: string;
  readonly check: LintFunction;
  readonly options: StateObject;
}

/** One rule of a ruleset. */
export interface LintRule {
  readonly name: string;
  readonly description: string;
  /** May hold `{{error}}`, `{{property}}`, `{{path}}`, `{{value}}` and `{{description}}`. */
  readonly message: string | undefined;
  readonly given: readonly string[];
  readonly selector: Selector;
  readonly severity: LintSeverity;
  readonly checks: readonly LintCheck[];
}

/** Reads a ruleset in Spectral's format, as far as decK documents it. */
export function readRuleset(document: StateObject, file: string): LintRule[] {
  const { rules } = document;
  if (!isStateObject(rules)) throw wrong(`${file}: rules is not an object`);
  return Object.entries(rules).flatMap(([name, rule]) => {
    const place = `${file}: rules.${name}`;
    // `false` and `off` switch a rule off that another ruleset has.
    if (rule === false || rule === 'off') return [];
    if (!isStateObject(rule)) throw wrong(`${place} is not an object`);
    const severity = severityOf(rule.severity ?? 'warn', place);
    return severity === undefined ? [] : [readRule(name, rule, severity, place)];
  });
}

function readRule(
  name: string,
  rule: StateObject,
  severity: LintSeverity,
  place: string,
): LintRule {
  const given = listOf(rule.given);
  if (given.length === 0 || given.some((each) => typeof each !== 'string')) {
    throw wrong(`${place}.given is not a JSONPath or a list of them`);
  }
  const checks = listOf(rule.then).map((then, index) => readCheck(then, `${place}.then[${index}]`));
  if (checks.length === 0) throw wrong(`${place}.then says nothing to check`);
  return {
    name,
    description: typeof rule.description === 'string' ? rule.description : name,
    message: typeof rule.message === 'string' ? rule.message : undefined,
    given: given as string[],
    selector: new Selector(given as string[]),
    severity,
    checks,
  };
}

function readCheck(then: StateValue, place: string): LintCheck {
  if (!isStateObject(then)) throw wrong(`${place} is not an object`);
  const { field, function: name, functionOptions: options = {} } = then;
  const check =
    typeof name === 'string' && Object.hasOwn(lintFunctions, name)
      ? lintFunctions[name]
      : undefined;
  if (typeof name !== 'string' || check === undefined) {
    const known = Object.keys(lintFunctions).join(', ');
    throw wrong(`${place}.function '${String(name)}' is not known here; known are ${known}`);
  }
  if (!isStateObject(options)) throw wrong(`${place}.functionOptions is not an object`);
  if (name === 'pattern') checkPatterns(options, place);
  return { field: typeof field === 'string' ? field : undefined, name, check, options };
}

/** A pattern that is none is said before anything is judged by it. */
function checkPatterns(options: StateObject, place: string): void {
  for (const key of ['match', 'notMatch'] as const) {
    const pattern = options[key];
    if (typeof pattern !== 'string') continue;
    try {
      compileRegex(pattern);
    } catch (error) {
      if (!(error instanceof RegexError)) throw error;
      throw wrong(`${place}.functionOptions.${key}: ${error.message}`);
    }
  }
}

/** Undefined where the rule is switched off. */
function severityOf(value: StateValue, place: string): LintSeverity | undefined {
  if (value === 'off' || value === false) return undefined;
  // Spectral counts from the worst.
  const named = typeof value === 'number' ? lintSeverities[3 - value] : value;
  const severity = lintSeverities.find((each) => each === named);
  if (severity === undefined) {
    throw wrong(
      `${place}.severity '${String(value)}' is none of ${lintSeverities.join(', ')}, off`,
    );
  }
  return severity;
}

function listOf(value: StateValue | undefined): StateValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function wrong(message: string): KongError {
  return new KongError('WG_KONG_FILE', message);
}
