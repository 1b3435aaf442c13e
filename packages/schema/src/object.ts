/** The metadata of a Kubernetes object. Times are RFC 3339 strings, as the API sends them. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  /** Opaque: compare for equality only. */
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  selfLink?: string;
}

/** An object that another belongs to; it goes when its owner goes. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Which fields one manager owns, and since when. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/**
 * Any Kubernetes object, as plain JSON. A type of one's own extends it:
 *
 * ```ts
 * interface Widget extends KubeObject { spec: { size: number }; status?: { ready: boolean } }
 * ```
 */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** An object whose fields beyond metadata are not known to the program. */
export interface DynamicObject extends KubeObject {
  [field: string]: unknown;
}

/** What a list says of itself. */
export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

/** A list as the API answers it. */
export interface KubeList<T extends KubeObject = DynamicObject> {
  apiVersion?: string;
  kind?: string;
  metadata: ListMeta;
  items: T[];
}

/** The API's answer to what is not an object: errors, and deletions without a final state. */
export interface Status {
  apiVersion?: string;
  kind?: 'Status';
  metadata?: ListMeta;
  status?: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  code?: number;
  details?: StatusDetails;
}

/** What a failed call was about. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  retryAfterSeconds?: number;
  causes?: StatusCause[];
}

/** One reason of several why a call failed, and the field that it is about. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** A value of which nothing may be changed, as what is read from a cache. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;
