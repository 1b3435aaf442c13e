import { RuntimeError } from '../runtime-error.ts';
import { type Deleted, DeletedFinalStateUnknown } from './deleted-final-state-unknown.ts';
import type { ObjectDelta } from './delta.ts';
import type { KeyFunction } from './object-key.ts';

/**
 * The key under which a FIFO files something: an object, a tombstone, which knows its own, or the
 * deltas of one key, which are about what the newest of them is about.
 */
export function fifoKey<T>(
  keyFunction: KeyFunction<T>,
  object: Deleted<T> | readonly ObjectDelta<T>[],
): string {
  const newest = isDeltas<T>(object) ? newestObject(object) : object;
  if (newest instanceof DeletedFinalStateUnknown) return newest.key;
  try {
    return keyFunction(newest);
  } catch (cause) {
    if (cause instanceof RuntimeError) throw cause;
    throw new RuntimeError('WG_RUNTIME_KEY', 'cannot tell the key of an object', { cause });
  }
}

function isDeltas<T>(
  object: Deleted<T> | readonly ObjectDelta<T>[],
): object is readonly ObjectDelta<T>[] {
  return Array.isArray(object);
}

function newestObject<T>(deltas: readonly ObjectDelta<T>[]): Deleted<T> {
  const newest = deltas.at(-1);
  if (newest === undefined)
    throw new RuntimeError('WG_RUNTIME_KEY', 'cannot tell the key of no deltas at all');
  return newest.object;
}
