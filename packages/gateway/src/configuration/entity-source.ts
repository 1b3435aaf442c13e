import type { JsonObject } from '@waygate/kong';

/** References that are followed backwards, each with the field that holds it. */
export const followedReferences = { routes: 'service', targets: 'upstream' } as const;

export type FollowedCollection = keyof typeof followedReferences;

/** Where the gateway reads its entities as they are now. Nothing but `list` looks at all of them. */
export interface EntitySource {
  list(collection: string): Iterable<JsonObject>;
  get(collection: string, id: string): JsonObject | undefined;
  /** The routes of a service, or the targets of an upstream. */
  heldBy(collection: FollowedCollection, id: string): Iterable<JsonObject>;
}
