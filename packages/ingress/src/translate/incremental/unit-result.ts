import type { KubeObject } from '@waygate/schema';
import type { PluginEntity } from '../kong-state.ts';
import type { PluginUse } from '../plugin-use.ts';
import type { Problem } from '../problem.ts';

export interface PluginResult {
  readonly entities: readonly PluginEntity[];
  readonly problems: readonly Problem[];
  readonly translated: readonly KubeObject[];
  readonly unmet: readonly PluginUse[];
}

/** A unit's outcome with the problems that it met. */
export interface Reported<Result> {
  readonly result: Result | undefined;
  readonly problems: readonly Problem[];
}
