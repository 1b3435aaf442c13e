import { KubeError } from '../error.ts';
import { scanManagedFields } from './item-metadata.ts';

const managedFieldsKey = Buffer.from('"managedFields"');
/** `},` before the start of an item. */
const separatorBytes = 2;

/** A batch of items, as JSON bytes, after the managed fields were taken out of it. */
interface CutBatch {
  readonly bytes: Buffer;
  /** How many items it has, if every item but the first starts with the boundary. */
  readonly itemCount: number;
}

/**
 * Takes `metadata.managedFields` out of a batch of items, in place. Only the metadata of each item is
 * looked at byte by byte; the items are found by what stands between them. That is a guess, to be
 * checked with `isCutRight` on what was parsed.
 *
 * Undefined when the guess was wrong for sure.
 */
export function cutManagedFields(batch: Buffer, boundary: Buffer): CutBatch | undefined {
  let itemCount = 0;
  /** Bytes up to here have been written, and read. */
  let written = 0;
  let read = 0;
  let field = batch.indexOf(managedFieldsKey);
  // Past the bracket of the array.
  for (let start = 1; start > 0; ) {
    itemCount++;
    const next = batch.indexOf(boundary, start);
    const end = next < 0 ? batch.length : next + 1;
    if (field >= 0 && field < start) field = batch.indexOf(managedFieldsKey, start);
    if (field >= 0 && field < end) {
      const range = rangeIn(batch, start);
      if (range === 'broken' || (range !== undefined && range.end > end)) return undefined;
      if (range !== undefined) {
        batch.copyWithin(written, read, range.start);
        written += range.start - read;
        read = range.end;
      }
    }
    start = next < 0 ? -1 : next + separatorBytes;
  }
  batch.copyWithin(written, read);
  return { bytes: batch.subarray(0, written + batch.length - read), itemCount };
}

/**
 * Whether the items of a batch are those that were cut. When all but the first start as the boundary
 * does, then every place between two items was found; when there are no more of them than were
 * found, then none of those was inside an item.
 */
export function isCutRight(items: readonly object[], itemCount: number, boundary: Buffer): boolean {
  if (items.length !== itemCount) return false;
  const text = boundary.toString('latin1', separatorBytes);
  const [, firstKey = '', firstValue = ''] = /^\{"([A-Za-z]+)":(.*)$/.exec(text) ?? [];
  return items.every((item, index) => index === 0 || startsWith(item, firstKey, firstValue));
}

function startsWith(item: object, firstKey: string, firstValue: string): boolean {
  for (const key in item) {
    if (key !== firstKey) return false;
    const value = (item as Record<string, unknown>)[key];
    if (firstValue === '') return true;
    if (firstValue === '{') return typeof value === 'object' && value !== null;
    return value === firstValue.slice(1, -1);
  }
  return false;
}

function rangeIn(batch: Buffer, start: number): ReturnType<typeof scanManagedFields> | 'broken' {
  try {
    return scanManagedFields(batch, start);
  } catch (error) {
    if (error instanceof KubeError) return 'broken';
    throw error;
  }
}
