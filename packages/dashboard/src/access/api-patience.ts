import type { Clock } from '@waygate/runtime';
import { DashboardError } from '../dashboard-error.ts';

/**
 * Asks the Kubernetes API something that somebody waits for: an API that stands still is told to them, and not waited
 * for.
 */
export async function patiently<Answer>(
  clock: Clock,
  patienceMs: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
  outer?: AbortSignal,
): Promise<Answer> {
  const over = new AbortController();
  let giveUp = (): void => undefined;
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = () => {
      reject(
        new DashboardError(
          'WG_DASHBOARD_UPSTREAM',
          `the Kubernetes API has not answered for ${patienceMs / 1_000} seconds`,
        ),
      );
      over.abort();
    };
  });
  const timer = clock.after(patienceMs, giveUp, { isBackground: true });
  const signal = outer === undefined ? over.signal : AbortSignal.any([outer, over.signal]);
  const asked = ask(signal);
  // Whoever gave up hears no more of it.
  asked.catch(() => undefined);
  try {
    return await Promise.race([asked, givenUp]);
  } finally {
    timer.cancel();
  }
}
