import { isWork, type Witness, type Write } from './recording-proxy.ts';

interface LeaseObject {
  readonly metadata?: { readonly name?: string };
  readonly spec?: { readonly holderIdentity?: string };
}

/**
 * What all replicas wrote, in the order in which it happened: who held which Lease meanwhile, and what
 * was written by one who held none, or twice.
 */
export class Ledger {
  /** What must not have happened, in words. */
  readonly faults: string[] = [];
  /** Writes that only a leader may do. */
  count = 0;
  /** How long nobody renewed a Lease before another took it from one who had not given it back, in ms. */
  readonly vacancies: number[] = [];
  readonly #holders = new Map<string, string>();
  readonly #renewedMs = new Map<string, number>();
  /** The last thing that was written to each place of a gateway. */
  readonly #entities = new Map<string, string>();

  holderOf(lease: string): string {
    return this.#holders.get(lease) ?? '';
  }

  /** Looks at what the replicas of one kind write to the API; they lead by this Lease. */
  api(lease: string): Witness {
    return {
      onSent: (write) => this.#checkHolder(lease, write),
      onDone: (write, status, answer) => {
        if (status >= 300 || !write.path.includes('/leases')) return;
        const { metadata, spec } = JSON.parse(answer) as LeaseObject;
        if (metadata?.name === lease) this.#hold(lease, spec?.holderIdentity ?? '');
      },
    };
  }

  #hold(lease: string, holder: string): void {
    const before = this.holderOf(lease);
    const nowMs = performance.now();
    if (before !== '' && holder !== '' && before !== holder)
      this.vacancies.push(nowMs - (this.#renewedMs.get(lease) ?? nowMs));
    this.#holders.set(lease, holder);
    this.#renewedMs.set(lease, nowMs);
  }

  /** Looks at what they write to the gateway. */
  gateway(lease: string): Witness {
    return {
      onSent: (write) => this.#checkHolder(lease, write),
      onDone: (write, status) => {
        const { by, method, path, body } = write;
        if (status >= 300 || path.startsWith('/schemas')) return;
        const content = method === 'DELETE' ? 'gone' : body;
        if (this.#entities.get(path) === content)
          this.faults.push(`${by} wrote to the gateway what was there: ${method} ${path} ${body}`);
        this.#entities.set(path, content);
      },
    };
  }

  #checkHolder(lease: string, write: Write): void {
    if (!isWork(write)) return;
    this.count += 1;
    const holder = this.holderOf(lease);
    if (holder.split('_')[0] === write.by) return;
    const { by, method, path } = write;
    this.faults.push(`${by} wrote while ${lease} was held by "${holder}": ${method} ${path}`);
  }
}
