import type { ProblemRow } from '../protocol/problems.ts';
import type { ReportedProblem } from '../view/problem-rows.ts';
import { DashboardCore, type DashboardCoreOptions } from './dashboard-core.ts';

/**
 * What is wrong now, as the page would show it to whoever may see everything that the client can read.
 *
 * ```ts
 * const options = { client, kinds: [kinds.Ingress as unknown as Kind], objectOf: () => undefined };
 * for (const { severity, message } of await currentProblems(options, [], signal)) console.log(severity, message);
 * ```
 */
export async function currentProblems(
  options: DashboardCoreOptions,
  reported: readonly ReportedProblem[],
  signal: AbortSignal,
): Promise<readonly ProblemRow[]> {
  const core = new DashboardCore(options);
  const done = new AbortController();
  const running = core.run(AbortSignal.any([signal, done.signal]));
  try {
    await Promise.race([core.ready, running]);
    core.setReported(reported);
    core.settleAll();
    return core.problems();
  } finally {
    done.abort();
    await running;
  }
}
