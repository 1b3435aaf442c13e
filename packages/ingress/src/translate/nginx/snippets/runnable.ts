import { unknownNginxVariable } from '@waygate/kong';
import { isRunnable } from '../runnable-pattern.ts';
import type { Snippet } from './understand.ts';

/**
 * What a gateway would refuse of a snippet that is understood. It is named here: a configuration that is
 * refused as a whole would keep everybody's changes back.
 */
export function notRunnable(snippet: Omit<Snippet, 'unknown'>): string[] {
  const rules = snippet.rules.map(fieldsOf).flatMap(ruleProblems);
  const headers = [...snippet.request_headers, ...snippet.response_headers].map(fieldsOf);
  const names = [...snippet.clear_headers, ...snippet.hide_headers];
  return [
    ...rules,
    ...headers.flatMap(({ name = '', value = '' }) => [
      ...nameProblems(name),
      ...textProblems(value),
    ]),
    ...names.flatMap(nameProblems),
  ];
}

function fieldsOf(one: object): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(one).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function ruleProblems(rule: Readonly<Record<string, string>>): string[] {
  const { variable = '', body = '', target = '', pattern, operator, value } = rule;
  const patterns = [pattern, operator?.includes('~') ? value : undefined];
  return [
    ...[variable, body.replace(/[\r\n\t]/g, ' '), target].flatMap(textProblems),
    ...patterns.flatMap((one) => (one === undefined ? [] : patternProblems(one))),
  ];
}

function nameProblems(name: string): string[] {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) ? [] : [`${JSON.stringify(name)} as a header`];
}

function textProblems(text: string): string[] {
  const unknown = unknownNginxVariable(text);
  if (unknown !== undefined) return [unknown];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  return /[\x00-\x1f\x7f]/.test(text) ? ['control characters'] : [];
}

function patternProblems(pattern: string): string[] {
  return isRunnable(pattern, 'pcre') ? [] : [`the pattern ${pattern}`];
}
