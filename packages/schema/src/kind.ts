import type { DynamicObject, KubeObject } from './object.ts';

/** Whether objects of a kind are in a namespace. */
export type Scope = 'Namespaced' | 'Cluster';

/**
 * What a client has to know of a kind: its names and its scope. The type parameter
 * carries the shape of its objects and exists only for the compiler.
 */
export interface Kind<T extends KubeObject = DynamicObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly __object?: T;
}

/**
 * Declares a kind of one's own.
 *
 * ```ts
 * interface Widget extends KubeObject { spec: { size: number } }
 * const widgets = defineKind<Widget>({
 *   group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced',
 * });
 * ```
 */
export function defineKind<T extends KubeObject = DynamicObject>(
  kind: Omit<Kind<T>, '__object'>,
): Kind<T> {
  return kind;
}
