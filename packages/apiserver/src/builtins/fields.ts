import { isObject } from '@waygate/text';

export type Fields = Record<string, unknown>;

/** An object-valued field; an empty one when it is missing. Changes to the empty one are lost. */
export function objectAt(parent: Readonly<Fields> | undefined, field: string): Fields {
  const value = parent?.[field];
  return isObject(value) ? value : {};
}

export function listAt(parent: Readonly<Fields> | undefined, field: string): Fields[] {
  const value = parent?.[field];
  return Array.isArray(value) ? (value as Fields[]) : [];
}

/** A list of texts in a parent; an empty one where there is none. */
export function textsAt(parent: Readonly<Fields> | undefined, field: string): string[] {
  return ((parent?.[field] ?? []) as unknown[]).map(String);
}

export function textAt(parent: Readonly<Fields> | undefined, field: string): string {
  const value = parent?.[field];
  return typeof value === 'string' ? value : '';
}

export function numberAt(parent: Readonly<Fields> | undefined, field: string): number | undefined {
  const value = parent?.[field];
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : undefined;
}

/** Sets fields that have no value yet. */
export function setDefaults(target: Fields, defaults: Readonly<Fields>): void {
  for (const [field, value] of Object.entries(defaults)) {
    if (target[field] === undefined || target[field] === '' || target[field] === null) {
      target[field] = value;
    }
  }
}
