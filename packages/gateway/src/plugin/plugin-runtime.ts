import { type ErrorBody, errorBody } from '../http/error-body.ts';

/** Where warnings and errors go. Nothing in them is secret. */
export interface GatewayLog {
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
}

/**
 * Brings a request to the `serve` function of a plugin, which runs in one process for the whole node.
 * The answer is there at once if that process is this one.
 */
export type AskPlugin = (plugin: string, request: unknown) => unknown;

/** Finds a place to ask, by the name of an upstream or of a host; undefined if there is none. */
type LocateTarget = (
  host: string,
  port: number,
) => Promise<{ readonly ip: string; readonly port: number } | undefined>;

/** What plugins may use of the world around them. */
export interface PluginRuntime {
  /** Milliseconds since the epoch. */
  now(): number;
  readonly log: GatewayLog;
  /** Values that outlive a request and a configuration, such as counters; by plugin. */
  state<T>(plugin: string, create: () => T): T;
  /** Asks the plugin's {@link PluginDefinition.serve}: for what all workers must agree on. */
  ask: AskPlugin;
  /** For plugins that ask others than the upstream of the request. */
  readonly locate: LocateTarget;
  errorBody(message: string, requestId: string, accept: string | undefined): ErrorBody;
}

export function createPluginRuntime(
  now: () => number,
  log: GatewayLog,
  ask: AskPlugin,
  locate: LocateTarget,
): PluginRuntime {
  const states = new Map<string, unknown>();
  return {
    now,
    log,
    ask,
    locate,
    errorBody,
    state<T>(plugin: string, create: () => T): T {
      if (!states.has(plugin)) states.set(plugin, create());
      return states.get(plugin) as T;
    },
  };
}
