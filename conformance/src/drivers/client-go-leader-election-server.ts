import { KubeError } from '@waygate/kube';
import type { FakeClock, LeaseClient } from '@waygate/runtime';
import type { Lease } from '@waygate/schema';

/** A lease record as the scenarios write it. */
export interface RecordData {
  readonly holder?: string;
  readonly durationSeconds?: number;
  readonly transitions?: number;
  readonly renewTimeOffsetMs?: number;
  readonly acquireTimeOffsetMs?: number;
}

type Verb = 'get' | 'create' | 'update';
export type ApiAnswer = readonly [verb: Verb, answer: string | RecordData | Lease];

export function leaseFrom(record: RecordData, epochMs: number): Lease {
  const time = (offsetMs: number) =>
    new Date(epochMs + offsetMs).toISOString().replace('Z', '000Z');
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'lease', namespace: 'default', resourceVersion: '1' },
    spec: {
      holderIdentity: record.holder ?? '',
      leaseDurationSeconds: record.durationSeconds ?? 0,
      leaseTransitions: record.transitions ?? 0,
      ...(record.renewTimeOffsetMs === undefined
        ? {}
        : { renewTime: time(record.renewTimeOffsetMs) }),
      ...(record.acquireTimeOffsetMs === undefined
        ? {}
        : { acquireTime: time(record.acquireTimeOffsetMs) }),
    },
  };
}

/** Answers each call from a script, in order, and notes what does not follow it. */
export class ScriptedLeaseClient implements LeaseClient {
  lastWrite: Lease | undefined;
  private readonly epochMs: number;
  private answers: ApiAnswer[] = [];
  private unexpected: string | undefined;

  constructor(epochMs: number) {
    this.epochMs = epochMs;
  }

  script(answers: readonly ApiAnswer[]): void {
    this.answers = [...answers];
    this.unexpected = undefined;
  }

  problem(): string | undefined {
    if (this.unexpected !== undefined) return this.unexpected;
    const rest = this.answers.map(([verb]) => verb);
    return rest.length === 0 ? undefined : `calls that were not made: ${rest.join(', ')}`;
  }

  get(): Promise<Lease> {
    return this.answer('get', undefined);
  }

  create(lease: Lease): Promise<Lease> {
    return this.answer('create', lease);
  }

  update(lease: Lease): Promise<Lease> {
    return this.answer('update', lease);
  }

  private async answer(verb: Verb, written: Lease | undefined): Promise<Lease> {
    const next = this.answers.shift();
    if (next === undefined || next[0] !== verb) {
      this.unexpected ??= `${verb} was called, expected ${next?.[0] ?? 'no call'}`;
      throw apiError('error');
    }
    const [, answer] = next;
    if (typeof answer === 'object')
      return 'metadata' in answer ? answer : leaseFrom(answer, this.epochMs);
    if (answer !== 'ok' || written === undefined) throw apiError(answer);
    this.lastWrite = written;
    return written;
  }
}

export type RunServer =
  | 'memory'
  | {
      readonly holder?: string;
      readonly renewsForever?: boolean;
      readonly durationSeconds?: number;
    };

/** A Lease in memory with optimistic concurrency, whose calls can be held until they are cancelled. */
export class MemoryLeaseServer implements LeaseClient {
  /** When each try began, by its first call. */
  readonly tryTimesMs: number[] = [];
  private readonly clock: FakeClock;
  private readonly renewsForever: boolean;
  private lease: Lease | undefined;
  private resourceVersion = 0;
  private held: Verb | undefined;

  constructor(clock: FakeClock, server: RunServer | undefined) {
    this.clock = clock;
    this.renewsForever = typeof server === 'object' && server.renewsForever === true;
    if (typeof server !== 'object' || server.holder === undefined) return;
    const { holder, durationSeconds = 15 } = server;
    this.store(leaseFrom({ holder, durationSeconds, renewTimeOffsetMs: 0 }, clock.now()));
  }

  get holder(): string | undefined {
    return this.lease?.spec?.holderIdentity ?? undefined;
  }

  /** The next call of the verb stays unanswered; a renewal reaches a `get` only when its update fails. */
  hold(verb: Verb): void {
    this.held = verb;
  }

  letGo(): void {
    this.held = undefined;
  }

  async get(_namespace: string, _name: string, options: { signal?: AbortSignal }): Promise<Lease> {
    this.tryTimesMs.push(this.clock.monotonicMs());
    await this.pass('get', options.signal);
    if (this.lease === undefined) throw apiError('notFound');
    if (this.renewsForever) {
      const renewTime = new Date(this.clock.now()).toISOString().replace('Z', '000Z');
      this.store({ ...this.lease, spec: { ...this.lease.spec, renewTime } });
    }
    return this.lease;
  }

  async create(lease: Lease, options: { signal?: AbortSignal }): Promise<Lease> {
    await this.pass('create', options.signal);
    if (this.lease !== undefined) throw apiError('alreadyExists');
    return this.store(lease);
  }

  async update(lease: Lease, options: { signal?: AbortSignal }): Promise<Lease> {
    await this.pass('update', options.signal);
    if (this.held === 'get') throw apiError('error');
    if (lease.metadata.resourceVersion !== this.lease?.metadata.resourceVersion)
      throw apiError('conflict');
    return this.store(lease);
  }

  private store(lease: Lease): Lease {
    const resourceVersion = String(++this.resourceVersion);
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion } };
    return this.lease;
  }

  private pass(verb: Verb, signal: AbortSignal | undefined): Promise<void> {
    if (this.held !== verb) return Promise.resolve();
    this.held = undefined;
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(apiError('error')), { once: true });
    });
  }
}

function apiError(kind: string): KubeError {
  const code = { notFound: 404, conflict: 409, alreadyExists: 409 }[kind];
  if (code === undefined) return new KubeError('WG_KUBE_CONNECTION', `scripted: ${kind}`);
  return new KubeError('WG_KUBE_API', `scripted: ${kind}`, { statusCode: code });
}
