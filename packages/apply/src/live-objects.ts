import type { KubeObject } from '@waygate/schema';
import type { ObjectId } from './object-id.ts';

/**
 * What an applier remembers of the objects that it applied, so that one that is as wanted costs no
 * request. `ManagedObjects` is the one that follows them by watching.
 */
export interface LiveObjects {
  /** Whether the live object is still what it was when this very state was last applied. */
  isAsApplied(id: ObjectId, version: string, desiredDigest: string): boolean;
  /** The object as the server has it, after it was found or made to be as wanted. */
  noteApplied(id: ObjectId, version: string, desiredDigest: string, live: KubeObject): void;
  /** It is being deleted, by us: that is no drift. */
  noteDeleted(id: ObjectId): void;
}
