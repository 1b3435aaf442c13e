import { KongError } from '../kong-error.ts';
import { Selector } from './selector.ts';
import {
  copyState,
  isStateObject,
  objectsOf,
  type StateObject,
  type StateValue,
  textsOf,
} from './state-document.ts';

/** A change of all that is selected: fields of objects set and removed, or values added to lists. */
export interface StatePatch {
  readonly selectors: readonly string[];
  readonly values: StateObject | readonly StateValue[];
  readonly remove: readonly string[];
}

/** Applies a patch; what is selected and neither object nor list stays as it is. */
export function patchDocument(document: StateObject, patch: StatePatch): void {
  const { values, remove } = patch;
  const selected = new Selector(patch.selectors).find(document);
  for (const target of selected) {
    if (Array.isArray(values)) {
      if (Array.isArray(target)) target.push(...values.map((value) => copyState(value)));
    } else if (isStateObject(target)) {
      for (const field of remove) delete target[field];
      Object.assign(target, copyState(values as StateObject));
    }
  }
}

/** Reads a file of `patches`. */
export function readPatches(document: StateObject, file: string): StatePatch[] {
  return objectsOf(document, 'patches', file).flatMap((entry, index) => {
    const place = `${file}: patches[${index}]`;
    const values = entry.values ?? {};
    const remove = textsOf(entry, 'remove', place) ?? [];
    if (!isStateObject(values) && !Array.isArray(values)) {
      throw new KongError('WG_KONG_FILE', `${place}.values is neither an object nor an array`);
    }
    refuseBoth(values, remove, place);
    return [{ selectors: textsOf(entry, 'selectors', place) ?? ['$'], values, remove }];
  });
}

/**
 * Reads values of the command line: `field:JSON` sets a field, `field:` removes it, and `[JSON, …]`
 * is added to lists.
 */
export function readPatchValues(
  entries: readonly string[],
  selectors: readonly string[],
): StatePatch {
  const values: StateObject = {};
  const added: StateValue[] = [];
  const remove: string[] = [];
  for (const entry of entries) {
    const colon = entry.indexOf(':');
    if (entry.trimStart().startsWith('['))
      added.push(...(parseValue(entry, entry) as StateValue[]));
    else if (colon < 0) throw wrongValue(entry, '');
    else if (entry.slice(colon + 1).trim() === '') remove.push(entry.slice(0, colon));
    else values[entry.slice(0, colon)] = parseValue(entry.slice(colon + 1), entry);
  }
  if (added.length > 0 && (remove.length > 0 || Object.keys(values).length > 0)) {
    throw new KongError('WG_KONG_FILE', "'--value' entries are either fields or lists, not both");
  }
  refuseBoth(values, remove, "'--value'");
  return { selectors, values: added.length > 0 ? added : values, remove };
}

function parseValue(text: string, entry: string): StateValue {
  try {
    return JSON.parse(text) as StateValue;
  } catch {
    throw wrongValue(
      entry,
      ` failed parsing json-string in '${entry}' (did you forget to wrap a json-string-value in quotes?)`,
    );
  }
}

function wrongValue(entry: string, reason: string): KongError {
  return new KongError(
    'WG_KONG_FILE',
    `expected '--value' entry to have format 'key:json-string',${reason === '' ? ` got: '${entry}'` : reason}`,
  );
}

function refuseBoth(
  values: StateObject | readonly StateValue[],
  remove: readonly string[],
  place: string,
): void {
  const both = remove.find((field) => !Array.isArray(values) && Object.hasOwn(values, field));
  if (both !== undefined) {
    throw new KongError(
      'WG_KONG_FILE',
      `${place} is trying to change and remove '${both}' at the same time`,
    );
  }
}
