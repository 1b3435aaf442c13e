import type { JsonObject } from '@waygate/kong';

/** An entity as it is from now on, or without `entity` that it is gone. What travels to workers. */
export interface EntityUpdate {
  readonly collection: string;
  readonly id: string;
  readonly entity?: JsonObject;
}

/** What a change did to one entity: without `before` it came, without `after` it went. */
export interface EntityDifference {
  readonly collection: string;
  readonly id: string;
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

export function toUpdate({ collection, id, after }: EntityDifference): EntityUpdate {
  return { collection, id, ...(after === undefined ? {} : { entity: after }) };
}

/** The id that a field refers to. */
export function referredId(entity: JsonObject | undefined, field: string): string | undefined {
  const value = entity?.[field] as { readonly id?: unknown } | null | undefined;
  return typeof value?.id === 'string' ? value.id : undefined;
}
