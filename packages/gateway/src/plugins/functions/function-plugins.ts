import { oncePer } from '@waygate/text';
import { LuaProgram, programProblem } from '../../lua/lua-program.ts';
import { LuaTableValue } from '../../lua/lua-table.ts';
import { LuaBudget, LuaFailure, type LuaValue } from '../../lua/lua-value.ts';
import type { ConfigProblems } from '../../plugin/config-schema.ts';
import { type AnyPlugin, definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { readBody } from '../../proxy/request-body.ts';
import { sharedTableKey } from '../../template/request-world.ts';
import { FunctionExit, type FunctionHost, type FunctionPhase } from './function-host.ts';
import { kit, logger } from './kit-client.ts';
import { applyWaitingHeaders } from './kit-response.ts';
import { clock, ngx } from './ngx-library.ts';

type FunctionConfig = Readonly<Record<FunctionPhase | 'certificate', readonly string[] | null>>;

const phases: readonly FunctionPhase[] = [
  'rewrite',
  'access',
  'header_filter',
  'body_filter',
  'log',
];

/** What all functions of a request may cost together: some hundredths of a second. */
const functionLimits = {
  steps: 1_000_000,
  bytes: 16 * 1_024 * 1_024,
  depth: 180,
  what: 'the functions of a request',
} as const;

const maximumBodyBytes = 8 * 1_024 * 1_024;

/** Whether a function looks at the client's body, which then has to be read first. */
const readsBody = /\b(get_raw_body|get_body|get_body_data|get_post_args)\b/;

/** What programs see besides Lua itself. */
export const functionLibraries: Readonly<Record<string, LuaValue>> = {
  kong: kit,
  ngx,
  os: clock,
  print: logger('notice'),
};

/** Runs functions in Lua that a configuration holds, before the other plugins (`pre`) or after them. */
export function functionPlugin(kind: 'pre' | 'post', random: () => number): AnyPlugin {
  const name = `${kind}-function`;
  /** Compiled once, and kept with what they hold as long as their configuration is. */
  const compiled = oncePer(
    (config: FunctionConfig) =>
      new Map(
        phases.map((phase) => [
          phase,
          (config[phase] ?? []).map((source) => new LuaProgram(source, functionLibraries, random)),
        ]),
      ),
  );

  const programsOf = (config: FunctionConfig, phase: FunctionPhase): readonly LuaProgram[] =>
    compiled(config).get(phase) ?? [];

  const run = (
    context: RequestContext,
    config: FunctionConfig,
    phase: FunctionPhase,
    bodies: Bodies = {},
  ): FunctionHost => runPrograms(name, programsOf(config, phase), context, phase, bodies);

  const isUsed = (config: FunctionConfig, phase: FunctionPhase) => (config[phase] ?? []).length > 0;

  return definePlugin<FunctionConfig>({
    name,
    priority: kind === 'pre' ? 1_000_000 : -1_000,
    check: (config) => functionProblems(name, config),
    rewrite(context, config) {
      if (isUsed(config, 'rewrite')) run(context, config, 'rewrite');
    },
    access(context, config) {
      if (!isUsed(config, 'access')) return undefined;
      if (!context.hasBody || !(config.access ?? []).some((source) => readsBody.test(source))) {
        run(context, config, 'access');
        return undefined;
      }
      return readBody(context, maximumBodyBytes).then((body) => {
        run(context, config, 'access', { body });
      });
    },
    headerFilter(context, config) {
      applyWaitingHeaders(context);
      if (isUsed(config, 'header_filter')) run(context, config, 'header_filter');
    },
    needsBody: (_context, config) => isUsed(config, 'body_filter'),
    bodyFilter(context, config, body) {
      return run(context, config, 'body_filter', { responseBody: body }).responseBody ?? body;
    },
    log(context, config) {
      if (isUsed(config, 'log')) run(context, config, 'log');
    },
  });
}

/** What a phase sees of the client's body, or of the answer's. */
interface Bodies {
  readonly body?: Buffer | undefined;
  readonly responseBody?: Buffer;
}

/** Runs the functions of a phase; what the last of them left is on the host. */
function runPrograms(
  name: string,
  programs: readonly LuaProgram[],
  context: RequestContext,
  phase: FunctionPhase,
  { body, ...response }: Bodies,
): FunctionHost {
  const host: FunctionHost = {
    context,
    phase,
    own: tableOf(context, `${name} own`),
    shared: tableOf(context, sharedTableKey),
    body,
    plugin: name,
    ...response,
  };
  const budget = budgetOf(context);
  budget.host = host;
  try {
    for (const program of programs) program.run(budget);
  } catch (error) {
    if (error instanceof FunctionExit) return host;
    if (!(error instanceof LuaFailure)) throw error;
    context.runtime.log.error('a function failed', {
      plugin: name,
      phase,
      error: error.shown,
      requestId: context.requestId,
    });
    if (phase === 'rewrite' || phase === 'access') {
      context.fail(500, 'An unexpected error occurred');
    }
  }
  return host;
}

function tableOf({ shared }: RequestContext, key: string): LuaTableValue {
  const known = shared.get(key) as LuaTableValue | undefined;
  const table = known ?? new LuaTableValue();
  shared.set(key, table);
  return table;
}

/** One for all functions of a request, of whichever plugin and phase. */
export function budgetOf({ shared }: RequestContext): LuaBudget {
  const known = shared.get('budget of functions') as LuaBudget | undefined;
  const budget = known ?? new LuaBudget(functionLimits);
  shared.set('budget of functions', budget);
  return budget;
}

/** What is wrong with functions, in Kong's words where they cannot be read. */
function functionProblems(name: string, config: FunctionConfig): ConfigProblems | undefined {
  const problems: ConfigProblems = {};
  for (const phase of phases) {
    const found = (config[phase] ?? []).map((source) => {
      const problem = programProblem(source);
      return problem === undefined ? null : `error parsing ${name}: ${problem}`;
    });
    if (found.some((each) => each !== null)) problems[phase] = found;
  }
  if ((config.certificate ?? []).length > 0) {
    problems.certificate = 'this gateway runs no functions while a TLS client shakes hands';
  }
  return Object.keys(problems).length === 0 ? undefined : problems;
}
