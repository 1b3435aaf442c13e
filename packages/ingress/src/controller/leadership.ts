import type { KubeClient } from '@waygate/kube';
import {
  type Clock,
  LeaderElector,
  type LeaderElectorOptions,
  LeaseLock,
  leaseClient,
} from '@waygate/runtime';

export type LeaderElectionSettings = {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
} & Pick<LeaderElectorOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>;

export interface LeadershipOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** False when this is the only replica, which then leads. */
  readonly election: false | LeaderElectionSettings;
  readonly onStart: () => void;
  readonly onError: (error: unknown) => void;
}

/** Whether this replica is the one that writes; it may become that, and cease to be it, at any time. */
export class Leadership {
  readonly #options: LeadershipOptions;
  #isLeader = false;

  constructor(options: LeadershipOptions) {
    this.#options = options;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** Leads at once when alone; else while it holds the lease. */
  async run(signal: AbortSignal): Promise<void> {
    const { election, client, clock, onError } = this.#options;
    if (election === false) {
      this.#start();
      return;
    }
    const { namespace, name, identity, ...timing } = election;
    while (!signal.aborted) {
      const elector = new LeaderElector({
        ...timing,
        lock: new LeaseLock({ client: leaseClient(client), namespace, name, identity }),
        releaseOnCancel: true,
        clock,
        onError,
        callbacks: {
          onStartedLeading: async (leading) => {
            this.#start();
            await new Promise<void>((resolve) => {
              leading.addEventListener('abort', () => resolve(), { once: true });
            });
            this.#isLeader = false;
          },
          onStoppedLeading: () => {
            this.#isLeader = false;
          },
        },
      });
      await elector.run(signal);
    }
  }

  #start(): void {
    this.#isLeader = true;
    this.#options.onStart();
  }
}
