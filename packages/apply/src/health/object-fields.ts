import { getOwn, isObject } from '@waygate/text';

/** A condition of any object, as far as it can be read; the rest is empty. */
interface ReadCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export function fieldAt(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const name of path) {
    if (!isObject(value)) return undefined;
    value = getOwn(value, name);
  }
  return value;
}

/** A whole number, or the default when there is none of that type. */
export function wholeAt(object: unknown, fallback: number, ...path: readonly string[]): number {
  const value = fieldAt(object, ...path);
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' && Number.isInteger(value) ? value : fallback;
}

export function textAt(object: unknown, fallback: string, ...path: readonly string[]): string {
  const value = fieldAt(object, ...path);
  return typeof value === 'string' ? value : fallback;
}

export function conditionsOf(object: unknown): ReadCondition[] {
  const list = fieldAt(object, 'status', 'conditions');
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map((one) => ({
    type: textAt(one, '', 'type'),
    status: textAt(one, '', 'status'),
    reason: textAt(one, '', 'reason'),
    message: textAt(one, '', 'message'),
  }));
}
