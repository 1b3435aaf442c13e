import type { KubeObject, ObjectMeta } from '@waygate/schema';
import type { JsonPatchOperation } from '@waygate/text';
import type { PatchType } from './write-options.ts';

/**
 * What a merge patch of an object can say: any of its fields, `null` to take one away. Lists are replaced, so
 * they are whole.
 *
 * ```ts
 * const patch: MergePatch<{ spec: { size: number; color?: string } }> = { spec: { color: null } };
 * ```
 */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: MergePatch<T[K]> | null | undefined }
    : T;

/** What a strategic merge patch can say: as a merge patch, but lists are merged, and directives begin with `$`. */
export type StrategicPatch<T> = T extends readonly (infer E)[]
  ? readonly StrategicPatch<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: StrategicPatch<T[K]> | null | undefined } & {
        readonly [directive: `$${string}`]: unknown;
      }
    : T;

/** The body of a patch of this type. */
export type PatchBody<T, P extends PatchType> = P extends 'json'
  ? readonly JsonPatchOperation[]
  : P extends 'strategic'
    ? StrategicPatch<T>
    : MergePatch<T>;

/** Any of the fields of a value, at any depth. */
export type Partially<T> = T extends readonly (infer E)[]
  ? readonly Partially<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Partially<T[K]> | undefined }
    : T;

/**
 * What can be applied of an object: its name, and those of its fields that the manager cares for.
 *
 * ```ts
 * const wanted: ApplyObject<Deployment> = { metadata: { name: 'web' }, spec: { replicas: 3 } };
 * ```
 */
export type ApplyObject<T extends KubeObject> = Partially<T> & { readonly metadata: ObjectMeta };
