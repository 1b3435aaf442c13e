import { type CliContext, CliError, exitCode } from '../context.ts';
import { type RunRecord, RunRegistry, runsFor } from './run-registry.ts';

/**
 * The `waygate up` that runs for a place: for its directory, or one above or below it; of two on one directory
 * the newer. Undefined when there is none.
 *
 * @throws CliError when there are several, with the directories to choose from
 */
export function findRun(place: string, env: CliContext['env']): RunRecord | undefined {
  const found = runsFor(place, new RunRegistry(env).running());
  if (new Set(found.map(({ directory }) => directory)).size <= 1) return found[0];
  const lines = found.map(({ directory, process: { id } }) => `  ${directory}   (process ${id})`);
  throw new CliError(`several waygate up run for ${place}:\n${lines.join('\n')}`, {
    exitCode: exitCode.usage,
    hint: 'Go to the directory of one of them, or name its kubeconfig in KUBECONFIG.',
  });
}

/** The `waygate up` whose cluster a kubeconfig is of: the one that is named, or that of the environment. */
export function runOfKubeconfig(
  env: CliContext['env'],
  named: string | undefined = env.KUBECONFIG,
): RunRecord | undefined {
  if (named === undefined || named === '') return undefined;
  return new RunRegistry(env).running().find(({ kubeconfig }) => kubeconfig === named);
}
