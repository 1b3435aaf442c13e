import { isObject } from '@waygate/text';
/** Where two configurations differ, as a text; undefined when they are equal. */
export function difference(expected: unknown, actual: unknown): string | undefined {
  const left = normalize(expected);
  const right = normalize(actual);
  return firstDifference(left, right, '');
}

/** Nulls count as absent, and so does an empty list; lists of entities have no order. */
function normalize(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(normalize);
    const areEntities = items.every((item) => typeof item === 'object' && item !== null);
    return areEntities ? items.sort((a, b) => (text(a) < text(b) ? -1 : 1)) : items;
  }
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value)
    .filter(([, field]) => field !== null && field !== undefined)
    .filter(([, field]) => !(Array.isArray(field) && field.length === 0))
    .map(([key, field]) => [key, normalize(field)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

function text(value: unknown): string {
  const { name, username, prefix, target, id } = value as Record<string, unknown>;
  return `${name ?? username ?? prefix ?? target ?? id} ${JSON.stringify(value)}`;
}

function firstDifference(expected: unknown, actual: unknown, path: string): string | undefined {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length)
      return `${path}: expected ${short(expected)}, got ${short(actual)}`;
    for (const [index, item] of expected.entries()) {
      const found = firstDifference(item, actual[index], `${path}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isObject(expected) && isObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const found = firstDifference(expected[key], actual[key], `${path}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (Object.is(expected, actual)) return undefined;
  return `${path}: expected ${short(expected)}, got ${short(actual)}`;
}

function short(value: unknown): string {
  const whole = JSON.stringify(value) ?? 'nothing';
  return whole.length > 400 ? `${whole.slice(0, 400)}…` : whole;
}
