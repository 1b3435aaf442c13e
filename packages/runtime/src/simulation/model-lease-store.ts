import { KubeError } from '@waygate/kube';
import type { Lease } from '@waygate/schema';
import type { LeaseClient } from '../election/lease-lock.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { SimulationClock } from './simulation-clock.ts';

type Fate = 'served' | 'requestLost' | 'answerLost' | 'serverError' | 'conflict';
const fates: readonly Fate[] = [
  'requestLost',
  'answerLost',
  'answerLost',
  'serverError',
  'conflict',
];

/** One Lease with optimistic concurrency behind a bad network. */
export class ModelLeaseStore {
  isFaulty = true;
  faults = 0;
  /** Requests and answers that are on their way. */
  openCalls = 0;
  readonly #world: SimulationClock;
  readonly #random: SeededRandom;
  readonly #leaseDurationMs: number;
  #lease: Lease | undefined;
  #resourceVersion = 0;

  constructor(world: SimulationClock, random: SeededRandom, leaseDurationMs: number) {
    this.#world = world;
    this.#random = random;
    this.#leaseDurationMs = leaseDurationMs;
  }

  get holder(): string {
    return this.#lease?.spec?.holderIdentity ?? '';
  }

  clientOf(process: SimulatedProcess): LeaseClient {
    return {
      get: (_namespace, _name, { signal }) => this.#call(process, signal, () => this.#read()),
      create: (lease, { signal }) => this.#call(process, signal, () => this.#insert(lease)),
      update: (lease, { signal }) => this.#call(process, signal, () => this.#replace(lease)),
    };
  }

  #read(): Lease {
    if (this.#lease === undefined) throw status(404, 'NotFound');
    return this.#lease;
  }

  #insert(lease: Lease): Lease {
    if (this.#lease !== undefined) throw status(409, 'AlreadyExists');
    return this.#store(lease);
  }

  #replace(lease: Lease): Lease {
    if (this.#lease === undefined) throw status(404, 'NotFound');
    if (lease.metadata.resourceVersion !== this.#lease.metadata.resourceVersion)
      throw status(409, 'Conflict');
    return this.#store(lease);
  }

  #store(lease: Lease): Lease {
    const resourceVersion = String(++this.#resourceVersion);
    const metadata = { ...lease.metadata, resourceVersion };
    this.#lease = { ...lease, metadata, spec: { ...lease.spec } };
    return this.#lease;
  }

  #call(
    process: SimulatedProcess,
    signal: AbortSignal | undefined,
    operate: () => Lease,
  ): Promise<Lease> {
    const fate = this.#pickFate();
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal?.reason);
      const answer = (settle: () => void) => {
        this.#later(() => {
          process.deliver(() => {
            signal?.removeEventListener('abort', onAbort);
            settle();
          });
        });
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#later(() => {
        const outcome = this.#outcomeOf(fate, operate);
        // Half of what is lost is noticed as a broken connection; the other half is never heard of.
        if (outcome === 'lost' && this.#random.chance(0.5)) return;
        if (outcome === 'lost') answer(() => reject(connectionError()));
        else if (outcome instanceof KubeError) answer(() => reject(outcome));
        else answer(() => resolve(outcome));
      });
    });
  }

  /** One way through the network. */
  #later(arrive: () => void): void {
    this.openCalls++;
    this.#world.after(this.#delayMs(), () => {
      this.openCalls--;
      arrive();
    });
  }

  #outcomeOf(fate: Fate, operate: () => Lease): Lease | KubeError | 'lost' {
    if (fate === 'requestLost') return 'lost';
    if (fate === 'serverError') return status(500, 'InternalError');
    if (fate === 'conflict') return status(409, 'Conflict');
    let outcome: Lease | KubeError;
    try {
      outcome = operate();
    } catch (error) {
      outcome = error as KubeError;
    }
    return fate === 'answerLost' ? 'lost' : outcome;
  }

  #pickFate(): Fate {
    if (!this.isFaulty || !this.#random.chance(0.35)) return 'served';
    this.faults++;
    return this.#random.pick(fates);
  }

  /** Mostly quick; now and then longer than a lease. */
  #delayMs(): number {
    if (!this.isFaulty) return this.#random.next() * 50;
    const roll = this.#random.next();
    if (roll < 0.8) return this.#random.next() * 100;
    const leases = this.#random.next() * (roll < 0.97 ? 0.6 : 1.7);
    return leases * this.#leaseDurationMs;
  }
}

function status(code: number, reason: string): KubeError {
  return new KubeError('WG_KUBE_API', reason, { status: { code, reason } });
}

function connectionError(): KubeError {
  return new KubeError('WG_KUBE_CONNECTION', 'socket hang up');
}
