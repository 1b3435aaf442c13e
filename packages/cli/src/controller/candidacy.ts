import type { KubeClient } from '@waygate/kube';
import { RuntimeError } from '@waygate/runtime';

interface CandidacyOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** Told each time that the Lease was lost. */
  readonly onLost: () => void;
}

/**
 * Runs what acts only while it holds a Lease, and runs it anew when the Lease was lost: an outage of
 * the API costs a controller its lead, but not its process. A run rejects with
 * `WG_RUNTIME_LEADERSHIP_LOST` only when nothing of it acts any more, so that is safe; any other
 * failure is the caller's.
 */
export async function asCandidate(
  run: () => Promise<void>,
  { client, signal, onLost }: CandidacyOptions,
): Promise<void> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      const isLost = error instanceof RuntimeError && error.code === 'WG_RUNTIME_LEADERSHIP_LOST';
      if (!isLost) throw error;
      if (signal.aborted) return;
      onLost();
    }
    // Caches are filled before anybody is elected: that needs an API that answers.
    if (!(await client.whenReachable(signal))) return;
  }
}
