import { LineCounter, parseDocument } from 'yaml';
import type { LintCheck, LintRule, LintSeverity } from './ruleset.ts';
import { isStateObject, type StateObject, type StateValue } from './state-document.ts';

/** A place of a file that breaks a rule. */
export interface LintResult {
  readonly rule: string;
  readonly severity: LintSeverity;
  readonly message: string;
  /** Where it is, as JSONPath. */
  readonly path: string;
  /** Counted from one. */
  readonly line: number;
  readonly column: number;
}

/** Judges a declarative file by rules; `text` is what `document` was read from. */
export function lintDocument(
  document: StateObject,
  text: string,
  rules: readonly LintRule[],
): LintResult[] {
  const places = new Places(text);
  return rules.flatMap((rule) =>
    rule.selector.locate(document).flatMap(({ value, path }) =>
      rule.checks.flatMap((check) =>
        inspect(value, path, check).map(({ error, path: at, value: judged }) => ({
          rule: rule.name,
          severity: rule.severity,
          message: worded(rule, error, at, judged),
          path: pathText(at),
          ...places.of(at),
        })),
      ),
    ),
  );
}

type Path = readonly (string | number)[];

interface Finding {
  readonly error: string;
  readonly path: Path;
  readonly value: StateValue | undefined;
}

function inspect(given: StateValue, path: Path, { field, check, options }: LintCheck): Finding[] {
  const judge = (value: StateValue | undefined, at: Path): Finding[] => {
    const error = check(value, options);
    return error === undefined ? [] : [{ error, path: at, value }];
  };
  if (field === undefined) return judge(given, path);
  if (field === '@key') {
    return isStateObject(given)
      ? Object.keys(given).flatMap((key) => judge(key, [...path, key]))
      : [];
  }
  const steps = field.split('.');
  let value: StateValue | undefined = given;
  for (const step of steps) value = isStateObject(value) ? value[step] : undefined;
  return judge(value, [...path, ...steps]);
}

function worded(rule: LintRule, error: string, path: Path, value: StateValue | undefined): string {
  if (rule.message === undefined) return `${rule.description}: ${error}`;
  const words: Readonly<Record<string, string>> = {
    error,
    description: rule.description,
    property: String(path.at(-1) ?? ''),
    path: pathText(path),
    value: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  };
  return rule.message.replace(/\{\{ ?(\w+) ?\}\}/g, (all, word: string) => words[word] ?? all);
}

function pathText(path: Path): string {
  const step = (each: string | number): string =>
    typeof each === 'number'
      ? `[${each}]`
      : /^[A-Za-z_]\w*$/.test(each)
        ? `.${each}`
        : `['${each}']`;
  return `$${path.map(step).join('')}`;
}

/** Lines and columns of the parts of a text. */
class Places {
  readonly #lines = new LineCounter();
  readonly #document;

  constructor(text: string) {
    this.#document = parseDocument(text, { lineCounter: this.#lines, version: '1.1' });
  }

  /** Where a part stands; for one that is missing, where what should hold it stands. */
  of(path: Path): { line: number; column: number } {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = this.#document.getIn(path.slice(0, length), true) as
        | { readonly range?: readonly [number, number, number] }
        | undefined;
      if (node?.range === undefined) continue;
      const { line, col } = this.#lines.linePos(node.range[0]);
      return { line, column: col };
    }
    return { line: 1, column: 1 };
  }
}
