import { type LuaTableValue, readOnlyTable } from '../../lua/lua-table.ts';
import {
  type LuaBudget,
  LuaFailure,
  type LuaFunction,
  type LuaTable,
  type LuaValue,
} from '../../lua/lua-value.ts';
import type { RequestContext } from '../../plugin/request-context.ts';

/** Where in the life of a request a function runs. */
export type FunctionPhase = 'rewrite' | 'access' | 'header_filter' | 'body_filter' | 'log';

/** What the functions of Kong's development kit work on: one request, in one phase. */
export interface FunctionHost {
  readonly context: RequestContext;
  readonly phase: FunctionPhase;
  /** `kong.ctx.plugin` and `kong.ctx.shared`. */
  readonly own: LuaTableValue;
  readonly shared: LuaTableValue;
  /** The client's body, if a function asks for it and it was read. */
  readonly body: Buffer | undefined;
  /** The answer's body while it is filtered. */
  responseBody?: Buffer;
  readonly plugin: string;
}

/** Ends the functions of a phase: an answer was given. Nothing in a program can catch it. */
export class FunctionExit extends Error {}

export function hostOf(budget: LuaBudget): FunctionHost {
  return budget.host as FunctionHost;
}

/** A function of the kit: it gives a value, a list of values, or nothing. */
type HostFunction = (host: FunctionHost, args: readonly LuaValue[], budget: LuaBudget) => unknown;

/** A part of the kit: its functions by name. Programs can read it and not change it. */
export function hostTable(
  functions: Readonly<Record<string, HostFunction>>,
  more: Readonly<Record<string, LuaValue>> = {},
  phases: Readonly<Record<string, readonly FunctionPhase[]>> = {},
): LuaTable {
  const entries = Object.entries(functions).map(([name, run]) => {
    const allowed = phases[name];
    const called: LuaFunction = (args, budget) => {
      const host = hostOf(budget);
      if (allowed !== undefined && !allowed.includes(host.phase)) {
        throw new LuaFailure(
          `function cannot be called in ${host.phase} phase (only in: ${allowed.join(', ')})`,
        );
      }
      const result = run(host, args, budget);
      return Array.isArray(result) ? (result as readonly LuaValue[]) : [result as LuaValue];
    };
    return [name, called] as const;
  });
  return readOnlyTable({ ...Object.fromEntries(entries), ...more });
}
