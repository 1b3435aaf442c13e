import type { DashboardCore, ProblemRow } from '@waygate/dashboard';
import type { UpProblem } from './problem-board.ts';

const lookMs = 500;

/**
 * Tells what is wrong in the cluster and the gateway, as the dashboard and `waygate problems` say it, until
 * the signal aborts. What is so only for a moment, while a change is on its way, is not told.
 */
export async function watchClusterProblems(
  core: DashboardCore,
  isKnown: (row: ProblemRow) => boolean,
  onProblems: (problems: readonly UpProblem[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let before = new Set<string>();
  while (!signal.aborted) {
    const rows = core.problems().filter((row) => !isKnown(row));
    const seen = before;
    onProblems(rows.filter((row) => seen.has(keyOf(row))).map(problemOf));
    before = new Set(rows.map(keyOf));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, lookMs);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

const keyOf = ({ id, message }: ProblemRow): string => `${id} ${message}`;

function problemOf({ id, object, field, message, fix }: ProblemRow): UpProblem {
  const name =
    object === undefined
      ? 'the gateway'
      : `${object.kind} ${object.namespace === '' ? '' : `${object.namespace}/`}${object.name}`;
  return { key: id, object: name, field, message, fix };
}
