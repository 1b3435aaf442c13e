import type { KubeObject, Status } from '@waygate/schema';

/** One line of a watch. An `ERROR` ends it. A `BOOKMARK` carries only a resourceVersion and annotations. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: Status };
