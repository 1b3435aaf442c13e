import type { KubeObject } from '@waygate/schema';
import { type KeyFunction, metaNamespaceKey } from './object-key.ts';

/** How a cache reads what it has to know of an object, whatever form it is kept in. */
export interface ObjectAccess<T> {
  readonly keyOf: KeyFunction<T>;
  readonly resourceVersionOf: (object: T) => string | undefined;
  readonly annotationOf: (object: T, name: string) => string | undefined;
  /** What the object says it is; undefined where it does not say. */
  readonly typeOf: (object: T) => { apiVersion?: string | undefined; kind?: string | undefined };
}

/** Reads parsed objects. */
export const kubeObjectAccess: ObjectAccess<KubeObject> = {
  keyOf: metaNamespaceKey,
  resourceVersionOf: (object) => object.metadata.resourceVersion,
  annotationOf: (object, name) => object.metadata.annotations?.[name],
  typeOf: (object) => object,
};
