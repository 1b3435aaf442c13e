import { LeaderElector, LeaseLock, leaseClient } from '@waygate/runtime';
import { type Print, withCluster } from './cluster.ts';

/** Two candidates and one lease: one leads, and when it steps down the other does. */
export async function leaderElection(print: Print): Promise<void> {
  await withCluster(async (client, namespace) => {
    const candidate = (identity: string) => {
      const stopping = new AbortController();
      let lead = () => {};
      const leads = new Promise<void>((resolve) => {
        lead = resolve;
      });
      const elector = new LeaderElector({
        lock: new LeaseLock({ client: leaseClient(client), namespace, name: 'work', identity }),
        // Short, so that the example is; the defaults (15 s, 10 s, 2 s) spare the API.
        leaseDurationMs: 3_000,
        renewDeadlineMs: 2_000,
        retryPeriodMs: 100,
        // Given back on the way out, so that nobody waits for it to run out.
        releaseOnCancel: true,
        callbacks: {
          onStartedLeading: (signal) => {
            print(`${identity} leads`);
            lead();
            return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
          },
          onStoppedLeading: () => print(`${identity} leads no more`),
        },
      });
      const running = elector.run(stopping.signal);
      return {
        leads,
        stop: () => {
          stopping.abort();
          return running;
        },
      };
    };

    const first = candidate('first');
    await first.leads;
    const second = candidate('second');
    await first.stop();
    await second.leads;
    await second.stop();
  });
}
