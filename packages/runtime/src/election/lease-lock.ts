import type { Lease } from '@waygate/schema';
import { RuntimeError } from '../runtime-error.ts';
import {
  type LeaderElectionRecord,
  leaseSpecToRecord,
  rawRecord,
  recordToLeaseSpec,
} from './leader-election-record.ts';

/** The calls on Leases that an election makes. A test serves them from memory. */
export interface LeaseClient {
  get(namespace: string, name: string, options: { signal?: AbortSignal }): Promise<Lease>;
  create(lease: Lease, options: { signal?: AbortSignal }): Promise<Lease>;
  update(lease: Lease, options: { signal?: AbortSignal }): Promise<Lease>;
  /** Calls back when the Lease may have changed, until the signal aborts. Without it candidates only look now and then. */
  follow?(
    namespace: string,
    name: string,
    onChange: () => void,
    signal: AbortSignal,
  ): Promise<void>;
}

/** What a lock holds, and the text by which a change of it is seen. */
export interface LockReading {
  readonly record: LeaderElectionRecord;
  readonly raw: string;
}

/** Where an election keeps its record. A write fails when somebody else wrote since the last reading. */
export interface ResourceLock {
  readonly identity: string;
  describe(): string;
  /** Throws a not-found error when there is no lock yet. */
  get(signal?: AbortSignal): Promise<LockReading>;
  create(record: LeaderElectionRecord, signal?: AbortSignal): Promise<void>;
  update(record: LeaderElectionRecord, signal?: AbortSignal): Promise<void>;
  /** Calls back when the lock may have changed, until the signal aborts, where that can be known without asking. */
  follow?(onChange: () => void, signal: AbortSignal): Promise<void>;
  /** Tells people: an Event on the lock, where the lock can have one. */
  recordEvent(message: string): void;
}

/** Which Lease it is, and in whose name it is held. */
export interface LeaseLockOptions {
  readonly client: LeaseClient;
  readonly namespace: string;
  readonly name: string;
  /** Unique among the candidates: two with one identity would both lead. */
  readonly identity: string;
  /** Put on the Lease; labels that others put there stay. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Put on the Lease with each write of ours, as they are then: what others may know of the holder. */
  readonly annotations?: () => Readonly<Record<string, string>>;
  /** Told when leadership begins and ends, with the Lease that it concerns. */
  readonly onEvent?: (lease: Lease, message: string) => void;
}

/**
 * A lock in a `coordination.k8s.io/v1` Lease. It remembers the Lease as last seen, so that an update
 * carries its resourceVersion and is refused by the API when somebody else was quicker.
 *
 * ```ts
 * const lock = new LeaseLock({
 *   client: leaseClient(client),
 *   namespace: 'default',
 *   name: 'my-operator',
 *   identity: 'replica-1',
 * });
 * lock.describe(); // 'default/my-operator'
 * ```
 */
export class LeaseLock implements ResourceLock {
  readonly identity: string;
  readonly #options: LeaseLockOptions;
  #lease: Lease | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.identity = options.identity;
  }

  describe(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }

  async get(signal?: AbortSignal): Promise<LockReading> {
    const { client, namespace, name } = this.#options;
    const lease = await client.get(namespace, name, withSignal(signal));
    this.#lease = lease;
    const record = leaseSpecToRecord(lease.spec);
    return { record, raw: rawRecord(record) };
  }

  async create(record: LeaderElectionRecord, signal?: AbortSignal): Promise<void> {
    const { client, namespace, name } = this.#options;
    this.#lease = await client.create(
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: this.#metadata({ name, namespace }),
        spec: recordToLeaseSpec(record),
      },
      withSignal(signal),
    );
  }

  async update(record: LeaderElectionRecord, signal?: AbortSignal): Promise<void> {
    if (this.#lease === undefined)
      throw new RuntimeError(
        'WG_RUNTIME_LOCK_NOT_INITIALIZED',
        `lease ${this.describe()} is not initialized: call get or create before update`,
      );
    this.#lease = await this.#options.client.update(
      {
        ...this.#lease,
        metadata: this.#metadata(this.#lease.metadata),
        spec: recordToLeaseSpec(record),
      },
      withSignal(signal),
    );
  }

  async follow(onChange: () => void, signal: AbortSignal): Promise<void> {
    const { client, namespace, name } = this.#options;
    await client.follow?.(namespace, name, onChange, signal);
  }

  #metadata(metadata: Lease['metadata']): Lease['metadata'] {
    const { labels, annotations } = this.#options;
    return {
      ...metadata,
      ...(labels === undefined ? {} : { labels: { ...metadata.labels, ...labels } }),
      ...(annotations === undefined
        ? {}
        : { annotations: { ...metadata.annotations, ...annotations() } }),
    };
  }

  recordEvent(message: string): void {
    if (this.#lease !== undefined)
      this.#options.onEvent?.(this.#lease, `${this.identity} ${message}`);
  }
}

function withSignal(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
