import { type ErrorBody, errorBody } from '../http/error-body.ts';

/** Where warnings and errors go. Nothing in them is secret. */
export interface GatewayLog {
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
}

/** What plugins may use of the world around them. */
export interface PluginRuntime {
  /** Milliseconds since the epoch. */
  now(): number;
  readonly log: GatewayLog;
  /** Values that outlive a request and a configuration, such as counters; by plugin. */
  state<T>(plugin: string, create: () => T): T;
  errorBody(message: string, requestId: string, accept: string | undefined): ErrorBody;
}

export function createPluginRuntime(now: () => number, log: GatewayLog): PluginRuntime {
  const states = new Map<string, unknown>();
  return {
    now,
    log,
    errorBody,
    state<T>(plugin: string, create: () => T): T {
      if (!states.has(plugin)) {
        states.set(plugin, create());
      }
      return states.get(plugin) as T;
    },
  };
}
