import type { JsonObject } from '@waygate/kong';

/**
 * Where the gateway reads its entities. A version is a number that changes with each change of its
 * collection, so that what did not change need not be built again.
 */
export interface EntitySource {
  list(collection: string): Iterable<JsonObject>;
  /** The entity with this id, found without a look at the others. */
  find(collection: string, id: string): JsonObject | undefined;
  version(collection: string): number;
  /** The targets of one upstream, found without a look at the others. */
  targetsOf(upstream: string): Iterable<JsonObject>;
}
