import { oncePer } from '@waygate/text';
import { fromLua } from '../../lua/lua-data.ts';
import { LuaProgram, programProblem } from '../../lua/lua-program.ts';
import { LuaTableValue } from '../../lua/lua-table.ts';
import { LuaFailure } from '../../lua/lua-value.ts';
import type { ConfigProblems } from '../../plugin/config-schema.ts';
import { logEntry } from '../../plugin/log-entry.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { sharedTableKey } from '../../template/request-world.ts';
import { FunctionExit } from '../functions/function-host.ts';
import { budgetOf, functionLibraries } from '../functions/function-plugins.ts';

/** What every log plugin may be told of its entries. */
export interface LogFields {
  /** Fields that are put into each entry, or taken from it, by the functions that give their values. */
  readonly custom_fields_by_lua?: Readonly<Record<string, string>> | null;
}

/** The line that a log plugin writes down for a request: its entry as JSON. */
export function logLine(
  context: RequestContext,
  { custom_fields_by_lua: custom }: LogFields,
): string {
  const entry = logEntry(context);
  const fields = custom ?? {};
  for (const [path, program] of programsOf(fields)) {
    put(entry, path.split('.'), fieldValue(context, program));
  }
  return JSON.stringify(entry);
}

/** What is wrong with the functions of a log plugin. */
export function logFieldProblems({
  custom_fields_by_lua: custom,
}: LogFields): ConfigProblems | undefined {
  const found = Object.entries(custom ?? {}).flatMap(([path, source]) => {
    const problem = programProblem(source);
    return problem === undefined ? [] : [[path, problem] as const];
  });
  return found.length === 0 ? undefined : { custom_fields_by_lua: Object.fromEntries(found) };
}

/** Kept as long as the configuration that they are of. */
const programsOf = oncePer(
  (fields: Readonly<Record<string, string>>) =>
    new Map(
      Object.entries(fields).map(([path, source]) => [
        path,
        new LuaProgram(source, functionLibraries),
      ]),
    ),
);

/** What a function returns; undefined for nothing, and if it fails. */
function fieldValue(context: RequestContext, program: LuaProgram): unknown {
  const budget = budgetOf(context);
  const shared =
    (context.shared.get(sharedTableKey) as LuaTableValue | undefined) ?? new LuaTableValue();
  const own = new LuaTableValue();
  budget.host = {
    context,
    phase: 'log',
    own,
    shared,
    body: undefined,
    plugin: 'custom_fields_by_lua',
  };
  try {
    const [value] = program.run(budget);
    return value === undefined ? undefined : fromLua(value, budget);
  } catch (error) {
    if (!(error instanceof LuaFailure) && !(error instanceof FunctionExit)) throw error;
    context.runtime.log.error('a function for a field of a log failed', {
      error: error instanceof LuaFailure ? error.shown : 'it ended the request',
    });
    return undefined;
  }
}

/** Sets a field by its path; nothing takes it out. */
function put(entry: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first = '', ...rest] = path;
  if (first === '__proto__') return;
  if (rest.length === 0) {
    if (value === undefined) delete entry[first];
    else entry[first] = value;
    return;
  }
  const inner = entry[first];
  const copy = typeof inner === 'object' && inner !== null ? { ...inner } : {};
  if (value === undefined && inner === undefined) return;
  put(copy as Record<string, unknown>, rest, value);
  entry[first] = copy;
}
