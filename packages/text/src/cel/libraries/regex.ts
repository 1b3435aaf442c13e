import { findMatches } from '../../regex/compile-regex.ts';
import { type CelLibrary, member } from '../declaration.ts';
import { intType, listOf, stringType } from '../types/type.ts';
import { ValueList } from '../values/collections.ts';
import { CelFailure, type CelResult, type CelValue } from '../values/value.ts';

const s = stringType;

function search(text: CelValue, pattern: CelValue, limit: number): string[] | CelFailure {
  try {
    return findMatches(pattern as string, text as string, limit);
  } catch (error) {
    return new CelFailure(`Illegal regex: ${(error as Error).message}`);
  }
}

function findAll(text: CelValue, pattern: CelValue, count: CelValue = -1n): CelResult {
  const limit = (count as bigint) < 0n ? Number.POSITIVE_INFINITY : Number(count);
  const found = search(text, pattern, limit);
  return found instanceof CelFailure ? found : new ValueList(found);
}

/** `find` and `findAll`. */
export const regex: CelLibrary = {
  functions: {
    find: [
      member('string_find_string', [s, s], s, (text, pattern) => {
        const found = search(text, pattern, 1);
        return found instanceof CelFailure ? found : (found[0] ?? '');
      }),
    ],
    findAll: [
      member('string_find_all_string', [s, s], listOf(s), findAll),
      member('string_find_all_string_int', [s, s, intType], listOf(s), findAll),
    ],
  },
};
