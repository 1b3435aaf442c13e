export { KubeError, type KubeErrorCode } from './error.ts';
export type { ListOptions, ListPage, WatchOptions } from './list-options.ts';
export type { WatchEvent } from './watch-event.ts';
