import { isDeepStrictEqual } from 'node:util';
import { oncePer } from '@waygate/text';
import type { JsonValue } from '../entity/entities.ts';
import type { FieldConstraints, FieldType } from './field-schema.ts';
import { matchesLuaPattern } from './lua-pattern.ts';
import { findRegexError } from './regex-syntax.ts';

/** A value that stands for a secret kept elsewhere: it is checked where it is resolved. */
export function isVaultReference(value: unknown): boolean {
  return typeof value === 'string' && /^\{vault:\/\/.+\}$/s.test(value);
}

export const requiredMessage = 'required field missing';
export const unknownMessage = 'unknown field';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuidPattern.test(value);
}

/** A value as Lua's `tostring` shows it. */
function shown(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function lengthOf(value: JsonValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  return value !== null && typeof value === 'object' ? Object.keys(value).length : 0;
}

function exclusiveSubsetsError(
  value: JsonValue,
  subsets: readonly (readonly string[])[],
): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const touched = subsets.filter((subset) => subset.some((element) => value.includes(element)));
  if (touched.length < 2) return undefined;
  const named = touched.map((subset) => `('${subset.join("', '")}')`);
  return `these sets are mutually exclusive: ${named.join(', ')}`;
}

type Check = (value: JsonValue, limit: never) => string | undefined;

/** In the order in which Kong tries them: the first that fails gives the message. */
const checks: readonly (readonly [keyof FieldConstraints, Check])[] = [
  [
    'eq',
    (value, limit: JsonValue) =>
      isDeepStrictEqual(value, limit) ? undefined : `value must be ${shown(limit)}`,
  ],
  [
    'ne',
    (value, limit: JsonValue) =>
      isDeepStrictEqual(value, limit) ? `value must not be ${shown(limit)}` : undefined,
  ],
  [
    'not_one_of',
    (value, limit: readonly JsonValue[]) =>
      limit.includes(value) ? `must not be one of: ${limit.map(shown).join(', ')}` : undefined,
  ],
  [
    'one_of',
    (value, limit: readonly JsonValue[]) =>
      limit.includes(value) ? undefined : `expected one of: ${limit.map(shown).join(', ')}`,
  ],
  [
    'gt',
    (value, limit: number) =>
      typeof value === 'number' && value > limit
        ? undefined
        : `value must be greater than ${limit}`,
  ],
  [
    'timestamp',
    (value) => (typeof value === 'number' && value > 0 ? undefined : 'expected a valid timestamp'),
  ],
  ['uuid', (value) => (isUuid(value) ? undefined : 'expected a valid UUID')],
  [
    'is_regex',
    (value) =>
      typeof value === 'string' && findRegexError(value) === undefined
        ? undefined
        : `not a valid regex: ${shown(value)}`,
  ],
  [
    'between',
    (value, [low, high]: readonly [number, number]) =>
      typeof value === 'number' && value >= low && value <= high
        ? undefined
        : `value should be between ${Math.trunc(low)} and ${Math.trunc(high)}`,
  ],
  [
    'len_eq',
    (value, limit: number) => (lengthOf(value) === limit ? undefined : `length must be ${limit}`),
  ],
  [
    'len_min',
    (value, limit: number) =>
      lengthOf(value) >= limit ? undefined : `length must be at least ${limit}`,
  ],
  [
    'len_max',
    (value, limit: number) =>
      lengthOf(value) <= limit ? undefined : `length must be at most ${limit}`,
  ],
  [
    'starts_with',
    (value, limit: string) =>
      shown(value).startsWith(limit) ? undefined : `should start with: ${limit}`,
  ],
  [
    'not_match',
    (value, limit: string) =>
      matchesLuaPattern(shown(value), limit) ? `invalid value: ${shown(value)}` : undefined,
  ],
  [
    'match_none',
    (value, rules: readonly { readonly pattern: string; readonly err?: string }[]) => {
      const broken = rules.find((rule) => matchesLuaPattern(shown(value), rule.pattern));
      return broken && (broken.err ?? `invalid value: ${shown(value)}`);
    },
  ],
  [
    'match',
    (value, limit: string) =>
      matchesLuaPattern(shown(value), limit) ? undefined : `invalid value: ${shown(value)}`,
  ],
  [
    'match_all',
    (value, rules: readonly { readonly pattern: string; readonly err?: string }[]) => {
      const broken = rules.find((rule) => !matchesLuaPattern(shown(value), rule.pattern));
      return broken && (broken.err ?? `invalid value: ${shown(value)}`);
    },
  ],
  [
    'match_any',
    (value, rule: { readonly patterns: readonly string[]; readonly err?: string }) =>
      rule.patterns.some((pattern) => matchesLuaPattern(shown(value), pattern))
        ? undefined
        : (rule.err ?? `invalid value: ${shown(value)}`),
  ],
  [
    'contains',
    (value, limit: JsonValue) =>
      Array.isArray(value) && value.includes(limit)
        ? undefined
        : `expected to contain: ${shown(limit)}`,
  ],
];

/** The checks of a field, each with its limit. */
const checksOf = oncePer((field: FieldConstraints) =>
  checks.flatMap(([name, check]) => {
    const limit = field[name];
    return limit === undefined || limit === false ? [] : [{ check, limit: limit as never }];
  }),
);

/**
 * The message of the first constraint that a value (which has the right type and is not null)
 * breaks, or undefined.
 */
export function findConstraintError(
  value: JsonValue,
  field: FieldConstraints & { readonly type?: FieldType },
): string | undefined {
  if (field.type === 'string' && field.len_min === undefined && value === '') {
    return field.err ?? 'length must be at least 1';
  }
  for (const { check, limit } of checksOf(field)) {
    const message = check(value, limit);
    if (message !== undefined) return field.err ?? message;
  }
  return undefined;
}

/** The last of all checks, after those that are code: sets of values that do not go together. */
export function findSubsetError(value: JsonValue, field: FieldConstraints): string | undefined {
  const subsets = field.mutually_exclusive_subsets;
  if (subsets === undefined) return undefined;
  const message = exclusiveSubsetsError(value, subsets);
  return message === undefined ? undefined : (field.err ?? message);
}
