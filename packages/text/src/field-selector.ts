import { TextError } from './error.ts';

/** One term of a field selector. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A field selector, as in `?fieldSelector=metadata.name=web,status.phase!=Running`. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly empty: boolean;
  /** `fieldValue` gives a field's text; which fields a kind offers is the server's affair. */
  matches(fieldValue: (field: string) => string): boolean;
  toString(): string;
}

const MAX_TEXT = 64 * 1024;
const MAX_REQUIREMENTS = 1000;

/**
 * Parses `a.b=c,d!=e`. `\`, `,` and `=` in a value are escaped with a backslash.
 *
 * ```ts
 * const selector = parseFieldSelector('metadata.name=web,status.phase!=Failed');
 * selector.matches((field) => (field === 'metadata.name' ? 'web' : 'Running')); // true
 * ```
 *
 * @throws TextError `WG_TEXT_SELECTOR`
 */
export function parseFieldSelector(text: string): FieldSelector {
  if (text.length > MAX_TEXT) throw wrong(`longer than ${MAX_TEXT} characters`);
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text)) {
    if (term === '') continue;
    requirements.push(parseTerm(term));
    if (requirements.length > MAX_REQUIREMENTS) {
      throw wrong(`more than ${MAX_REQUIREMENTS} requirements`);
    }
  }
  return fieldSelectorOf(requirements);
}

/** A field selector that asks for all of these. */
export function fieldSelectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  const text = requirements
    .map((one) => `${one.field}${one.operator}${escapeFieldValue(one.value)}`)
    .join(',');
  return {
    requirements,
    empty: requirements.length === 0,
    matches: (fieldValue) =>
      requirements.every((one) => (fieldValue(one.field) === one.value) === (one.operator === '=')),
    toString: () => text,
  };
}

/**
 * A value as it may stand in a field selector's text.
 *
 * ```ts
 * escapeFieldValue('a=b,c'); // 'a\\=b\\,c'
 * ```
 */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, (character) => `\\${character}`);
}

function wrong(problem: string): TextError {
  return new TextError('WG_TEXT_SELECTOR', `invalid field selector: ${problem}`);
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string): FieldRequirement {
  for (let at = 0; at < term.length; at++) {
    const two = term.slice(at, at + 2);
    if (term[at] === '\\') {
      at++;
      continue;
    }
    const width = two === '!=' || two === '==' ? 2 : term[at] === '=' ? 1 : 0;
    if (width === 0) continue;
    return {
      field: term.slice(0, at),
      operator: two === '!=' ? '!=' : '=',
      value: unescapeFieldValue(term.slice(at + width)),
    };
  }
  throw wrong(`"${term.slice(0, 80)}": must be field=value, field==value or field!=value`);
}

function unescapeFieldValue(value: string): string {
  let plain = '';
  for (let at = 0; at < value.length; at++) {
    const character = value[at] as string;
    if (character === '=' || character === ',') {
      throw wrong(`unescaped "${character}" in value "${value.slice(0, 80)}"`);
    }
    if (character !== '\\') {
      plain += character;
      continue;
    }
    const next = value[++at];
    if (next !== '\\' && next !== ',' && next !== '=') {
      throw wrong(`bad escape in value "${value.slice(0, 80)}"`);
    }
    plain += next;
  }
  return plain;
}
