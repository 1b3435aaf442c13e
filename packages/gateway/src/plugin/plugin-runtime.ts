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

/** What plugins may use of the world around them. */
export interface PluginRuntime {
  /** Milliseconds since the epoch. */
  now(): number;
  readonly log: GatewayLog;
  /** Values that outlive a request and a configuration, such as counters; by plugin. */
  state<T>(plugin: string, create: () => T): T;
  /** Asks the plugin's {@link PluginDefinition.serve}: for what all workers must agree on. */
  ask: AskPlugin;
  errorBody(message: string, requestId: string, accept: string | undefined): ErrorBody;
}

export function createPluginRuntime(
  now: () => number,
  log: GatewayLog,
  ask: AskPlugin,
): PluginRuntime {
  const states = new Map<string, unknown>();
  return {
    now,
    log,
    ask,
    errorBody,
    state<T>(plugin: string, create: () => T): T {
      if (!states.has(plugin)) {
        states.set(plugin, create());
      }
      return states.get(plugin) as T;
    },
  };
}
