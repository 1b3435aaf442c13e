import { isUuid } from '../schema/constraint.ts';
import { formatRules } from '../schema/field-format.ts';
import type { StoredEntity } from './entity-collection.ts';
import { type StoreError, storeErrors } from './store-error.ts';

/** Which part of a collection a list call wants, as the query says it. */
export interface PageRequest {
  /** 1 to 1000; 100 when absent. */
  readonly size?: string | number;
  readonly offset?: string;
  /** `a,b` for both, `a/b` for any. */
  readonly tags?: string;
}

export interface Page {
  readonly data: readonly StoredEntity[];
  /** Where the next page starts; absent on the last. */
  readonly offset?: string;
}

export type PageResult =
  | { readonly kind: 'page'; readonly page: Page }
  | { readonly kind: 'error'; readonly error: StoreError };

export interface TagFilter {
  readonly tags: readonly string[];
  readonly connector: 'and' | 'or';
}

const defaultPageSize = 100;
const largestPageSize = 1000;

function failed(error: StoreError): { readonly kind: 'error'; readonly error: StoreError } {
  return { kind: 'error', error };
}

/** The size of a page, or what is wrong with it. */
function parseSize(size: string | number | undefined): number | StoreError {
  if (size === undefined) return defaultPageSize;
  const text = String(size).trim();
  const value = text === '' ? Number.NaN : Number(text);
  if (Number.isNaN(value)) return storeErrors.invalidSize('size must be a number');
  if (!Number.isInteger(value) || value < 1 || value > largestPageSize) {
    return storeErrors.invalidSize(`size must be an integer between 1 and ${largestPageSize}`);
  }
  return value;
}

/** The id after which a page starts, from the offset that the page before gave. */
function parseOffset(offset: string): string | StoreError {
  try {
    const value: unknown = JSON.parse(Buffer.from(offset, 'base64url').toString('utf8'));
    if (Array.isArray(value) && value.length === 1 && isUuid(value[0])) return value[0];
  } catch {
    return storeErrors.invalidOffset(offset);
  }
  return storeErrors.invalidOffset(offset);
}

/**
 * Where the next page begins, as Kong writes it.
 *
 * ```ts
 * offsetAfter('a'); // 'WyJhIl0'
 * ```
 */
export function offsetAfter(id: string): string {
  return Buffer.from(JSON.stringify([id])).toString('base64url');
}

/** Reads a tag filter: tags joined by commas are all needed, by slashes any of them. */
function parseTagFilter(text: string): TagFilter | StoreError {
  if (text === '') return storeErrors.invalidTags('cannot be null');
  const hasAnd = text.includes(',');
  const hasOr = text.includes('/');
  if (hasAnd && hasOr) return storeErrors.invalidTags('invalid filter syntax');
  const tags = text.split(hasOr ? '/' : ',');
  // After a trailing comma stands a tag that nothing has: the list is then empty, but not wrong.
  const isBad = (tag: string) => (tag === '' ? hasOr : formatRules.tag(tag) !== undefined);
  if (tags.some(isBad)) return storeErrors.invalidTags('invalid filter syntax');
  return { tags, connector: hasOr ? 'or' : 'and' };
}

function hasTags(entity: StoredEntity, filter: TagFilter): boolean {
  const own = Array.isArray(entity.tags) ? (entity.tags as readonly string[]) : [];
  return filter.connector === 'and'
    ? filter.tags.every((tag) => own.includes(tag))
    : filter.tags.some((tag) => own.includes(tag));
}

function isError(value: unknown): value is StoreError {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'status');
}

/** The index of the first id that comes after another, in a sorted list. */
function indexAfter(ids: readonly string[], after: string): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as string) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** One page of the entities of a sorted list of ids. */
export function readPage(
  ids: readonly string[],
  get: (id: string) => StoredEntity | undefined,
  request: PageRequest,
): PageResult {
  const size = parseSize(request.size);
  if (isError(size)) return failed(size);
  const after = request.offset === undefined ? '' : parseOffset(request.offset);
  if (isError(after)) return failed(after);
  const filter = request.tags === undefined ? undefined : parseTagFilter(request.tags);
  if (isError(filter)) return failed(filter);

  const data: StoredEntity[] = [];
  for (let index = indexAfter(ids, after); index < ids.length; index += 1) {
    const entity = get(ids[index] as string);
    if (entity === undefined || (filter !== undefined && !hasTags(entity, filter))) continue;
    if (data.length === size) {
      return {
        kind: 'page',
        page: { data, offset: offsetAfter((data.at(-1) as StoredEntity).id) },
      };
    }
    data.push(entity);
  }
  return { kind: 'page', page: { data } };
}

/** One page of a list that is numbered rather than sorted by id: the targets of an upstream. */
export function readNumberedPage(list: readonly StoredEntity[], request: PageRequest): PageResult {
  const size = parseSize(request.size);
  if (isError(size)) return failed(size);
  const start = Number(request.offset ?? 0);
  if (!Number.isInteger(start) || start < 0)
    return failed(storeErrors.invalidOffset(request.offset ?? ''));
  const filter = request.tags === undefined ? undefined : parseTagFilter(request.tags);
  if (isError(filter)) return failed(filter);
  const kept = filter === undefined ? list : list.filter((entity) => hasTags(entity, filter));
  const data = kept.slice(start, start + size);
  const next = start + size < kept.length ? { offset: String(start + size) } : {};
  return { kind: 'page', page: { data, ...next } };
}
