import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ProgramOutcome, ProgramRequest } from '@waygate/kustomize';
import type { CliContext } from '../context.ts';
import { type RunLimits, runProgram } from '../run-program.ts';

/** Runs the functions and plugins that a build names. */
export function programRunner(
  context: CliContext,
  limits: RunLimits,
): (request: ProgramRequest) => Promise<ProgramOutcome> {
  return async (request) => {
    const scratch = mkdtempSync(join(tmpdir(), 'waygate-plugin-'));
    try {
      const args = [...request.args];
      if (request.configuration !== undefined) {
        const file = join(scratch, 'config.yaml');
        writeFileSync(file, request.configuration);
        args.unshift(file);
      }
      const path = request.path.includes('/')
        ? resolve(request.directory, request.path)
        : request.path;
      const env = { ...context.env, ...request.env };
      const options = { cwd: request.directory, input: request.input, env };
      return await runProgram(path, args, options, limits, context.signal);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  };
}

/** Where plugins of the older kind are looked for: the first of these that is there. */
export function findPluginHome(env: CliContext['env']): string | undefined {
  if (env.KUSTOMIZE_PLUGIN_HOME) return env.KUSTOMIZE_PLUGIN_HOME;
  const home = env.HOME ?? '';
  const places = [
    join(env.XDG_CONFIG_HOME || join(home, '.config'), 'kustomize', 'plugin'),
    join(home, 'kustomize', 'plugin'),
  ];
  return places.find((place) => existsSync(place));
}
