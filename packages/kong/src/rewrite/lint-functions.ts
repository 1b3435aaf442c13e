import { compileRegex } from '@waygate/text';
import { isStateObject, type StateObject, type StateValue } from './state-document.ts';

/** Says what is wrong with a value, or nothing. */
export type LintFunction = (
  value: StateValue | undefined,
  options: StateObject,
) => string | undefined;

const casings: Readonly<Record<string, RegExp>> = {
  flat: /^[a-z][a-z0-9]*$/,
  camel: /^[a-z][a-z0-9]*(?:[A-Z0-9](?:[a-z0-9]+|$))*$/,
  pascal: /^[A-Z][a-z0-9]*(?:[A-Z0-9](?:[a-z0-9]+|$))*$/,
  kebab: /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
  cobol: /^[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*$/,
  snake: /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/,
  macro: /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/,
};

/** The functions of Spectral's rulesets that need nothing but the value. */
export const lintFunctions: Readonly<Record<string, LintFunction>> = {
  truthy: (value) => (value ? undefined : 'must be truthy'),
  falsy: (value) => (value ? 'must be falsy' : undefined),
  defined: (value) => (value === undefined ? 'must be defined' : undefined),
  undefined: (value) => (value === undefined ? undefined : 'must be undefined'),
  pattern(value, { match, notMatch }) {
    if (typeof value !== 'string') return undefined;
    if (typeof match === 'string' && !compileRegex(match)(value)) {
      return `${quoted(value)} must match the pattern ${quoted(match)}`;
    }
    if (typeof notMatch === 'string' && compileRegex(notMatch)(value)) {
      return `${quoted(value)} must not match the pattern ${quoted(notMatch)}`;
    }
    return undefined;
  },
  enumeration(value, { values }) {
    if (value === undefined || isStateObject(value) || Array.isArray(value)) return undefined;
    if (!Array.isArray(values) || values.includes(value)) return undefined;
    return `${quoted(value)} must be equal to one of the allowed values: ${values.map(quoted).join(', ')}`;
  },
  length(value, { min, max }) {
    const size = sizeOf(value);
    if (size === undefined) return undefined;
    if (typeof min === 'number' && size < min) return `must be longer than ${min}`;
    if (typeof max === 'number' && size > max) return `must be shorter than ${max}`;
    return undefined;
  },
  casing(value, { type }) {
    if (typeof value !== 'string' || typeof type !== 'string' || value === '') return undefined;
    const casing = Object.hasOwn(casings, type) ? casings[type] : undefined;
    return casing?.test(value) === false ? `${quoted(value)} must be ${type} case` : undefined;
  },
  alphabetical(value, { keyedBy }) {
    const keys = isStateObject(value) ? Object.keys(value) : Array.isArray(value) ? value : [];
    const names = keys.map((key) =>
      String(isStateObject(key) && typeof keyedBy === 'string' ? key[keyedBy] : key),
    );
    const at = names.findIndex((name, index) => index > 0 && names[index - 1]! > name);
    if (at < 0) return undefined;
    return `${quoted(names[at]!)} must be placed before ${quoted(names[at - 1]!)}`;
  },
  xor(value, { properties }) {
    const count = present(value, properties);
    return count === undefined || count === 1
      ? undefined
      : `exactly one of ${listed(properties)} must be defined`;
  },
  or(value, { properties }) {
    const count = present(value, properties);
    return count === undefined || count > 0
      ? undefined
      : `at least one of ${listed(properties)} must be defined`;
  },
};

function sizeOf(value: StateValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return isStateObject(value) ? Object.keys(value).length : undefined;
}

/** How many of the fields are there; undefined where the question has no meaning. */
function present(
  value: StateValue | undefined,
  properties: StateValue | undefined,
): number | undefined {
  if (!isStateObject(value) || !Array.isArray(properties)) return undefined;
  return properties.filter((field) => Object.hasOwn(value, String(field))).length;
}

function listed(properties: StateValue | undefined): string {
  return Array.isArray(properties) ? properties.map(quoted).join(', ') : '';
}

function quoted(value: StateValue): string {
  return typeof value === 'string' ? `"${value}"` : JSON.stringify(value);
}
