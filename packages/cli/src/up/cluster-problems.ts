import type { DashboardCore, ProblemRow } from '@waygate/dashboard';
import type { ChartPlaces } from './chart-places.ts';
import type { UpProblem } from './problem-board.ts';

const lookMs = 500;

/**
 * Tells what is wrong in the cluster and the gateway, as the dashboard and `waygate problems` say it, until
 * the signal aborts. What is so only for a moment, while a change is on its way, is not told, and what is not
 * so only for a moment, while it is tried again, is not called solved.
 */
export async function watchClusterProblems(
  core: DashboardCore,
  places: Pick<ChartPlaces, 'of'>,
  isKnown: (row: ProblemRow) => boolean,
  onProblems: (problems: readonly UpProblem[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const steady = new SteadyProblems();
  while (!signal.aborted) {
    const rows = core.problems().filter((row) => !isKnown(row));
    const at = await places.of(rows, signal);
    onProblems(steady.look(rows.map((row, index) => problemOf(row, at[index]))));
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

/** Problems from look to look: they appear when they are there twice in a row, and go when they are not. */
export class SteadyProblems {
  #before = new Map<string, UpProblem>();
  #told = new Map<string, UpProblem>();

  /** What to tell now, by what there is now. */
  look(problems: readonly UpProblem[]): readonly UpProblem[] {
    const now = new Map(problems.map((problem) => [problem.key, problem]));
    const told = new Map<string, UpProblem>();
    for (const [key, problem] of now) {
      if (this.#before.get(key)?.message === problem.message) told.set(key, problem);
    }
    for (const [key, problem] of this.#told) {
      const isFresh = this.#before.has(key) || now.has(key);
      if (isFresh && !told.has(key)) told.set(key, problem);
    }
    this.#before = now;
    this.#told = told;
    return [...told.values()];
  }
}

function problemOf(
  { id, object, field, message, fix }: ProblemRow,
  place: string | undefined,
): UpProblem {
  const name =
    object === undefined
      ? 'the gateway'
      : `${object.kind} ${object.namespace === '' ? '' : `${object.namespace}/`}${object.name}`;
  return { key: id, object: name, field, message, place, fix };
}
