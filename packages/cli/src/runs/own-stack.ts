import type { CliContext } from '../context.ts';
import { stackVerbs } from '../stack-verbs.ts';
import { findRun } from './find-run.ts';

const choices = ['--kubeconfig', '--context', '--kong-addr', '--config'];

/** Whether a verb asks for a cluster or a gateway without saying which. */
export function asksForStack(
  args: readonly string[],
  path: readonly string[],
  env: CliContext['env'],
): boolean {
  const isChosen = args.some((each) =>
    choices.some((choice) => each === choice || each.startsWith(`${choice}=`)),
  );
  const isInEnvironment = [env.KUBECONFIG, env.DECK_KONG_ADDR].some((each) => (each ?? '') !== '');
  const isHelp = args.includes('--help') || args.includes('-h');
  const isRun = path[0] === 'gateway' && (path[1] === 'run' || path[1] === 'validate');
  // A kustomization file, and what is only printed, are nobody's cluster.
  const isFile = path[0] === 'create' && (path[1] === undefined || args.includes('--export'));
  return (
    stackVerbs.has(path[0] ?? '') && !isChosen && !isInEnvironment && !isHelp && !isRun && !isFile
  );
}

/**
 * A context in which a verb that names no cluster finds the `waygate up` of the directory, if one runs;
 * that is said, as a kubeconfig of the user's own would have been taken otherwise.
 *
 * @throws CliError when several run
 */
export function withOwnStack(context: CliContext): CliContext {
  const run = findRun(context.cwd, context.env);
  if (run === undefined) return context;
  context.stderr.write(
    `(the waygate up of ${run.directory}; KUBECONFIG chooses another cluster)\n`,
  );
  const env = { ...context.env, KUBECONFIG: run.kubeconfig };
  return Object.create(context, { env: { value: env, enumerable: true } }) as CliContext;
}
