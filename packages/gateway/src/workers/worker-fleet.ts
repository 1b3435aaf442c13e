import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { programBeside } from '@waygate/text';
import type { HealthEvent } from '../balancer/health-counter.ts';
import type { AddressHealth } from '../balancer/health-link.ts';
import type { EntityUpdate } from '../configuration/entity-difference.ts';
import { GatewayError } from '../gateway-error.ts';
import { addReports, type MetricsReport, retire } from '../metrics/metrics-report.ts';
import { nodeId, nodeIdVariable } from '../node-id.ts';
import type { AskPlugin, GatewayLog } from '../plugin/plugin-runtime.ts';
import type { FromWorker, ToWorker, WorkerAddresses, WorkerSettings } from './worker-message.ts';

interface WorkerFleetOptions {
  readonly count: number;
  readonly settings: WorkerSettings;
  /** All entities of now, for a worker that starts. */
  readonly entities: () => Iterable<EntityUpdate>;
  readonly ask: AskPlugin;
  readonly onPassive: (upstream: string, authority: string, event: HealthEvent) => void;
  readonly accessLog: ((line: string) => void) | undefined;
  readonly log: GatewayLog;
}

/**
 * One for each core.
 *
 * ```ts
 * new Gateway({ workers: workersForThisMachine() });
 * ```
 */
export function workersForThisMachine(): number {
  return availableParallelism();
}

const restartDelayMs = 100;
const maximumRestartDelayMs = 10_000;
/** A worker that lived this long did not die of its start. */
const steadyMs = 5_000;
/** A worker that is so late is not waited for: it has the change in its queue. */
const settleTimeoutMs = 2_000;
const reportTimeoutMs = 1_000;

/** The ports of a process's workers are told apart by their numbers only. */
let isRunning = false;

interface Member {
  readonly worker: Worker;
  readonly startedAt: number;
  applied: number;
  /** What it counted when it was last asked: kept when it dies, so that totals never go back. */
  report: MetricsReport | undefined;
}

/**
 * The worker processes of a gateway. They share its ports; this process hands connections to them in
 * turn. Every one has all entities, gets each change at once, and is replaced when it dies.
 */
export class WorkerFleet {
  readonly #options: WorkerFleetOptions;
  readonly #members = new Set<Member>();
  /** What is not healthy, or may become so, for workers that start. */
  readonly #health = new Map<string, AddressHealth>();
  readonly #reports = new Map<number, (report: MetricsReport) => void>();
  #retired: MetricsReport | undefined;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #waiting = new Set<() => void>();
  #revision = 0;
  #nextId = 0;
  #restartDelayMs = restartDelayMs;
  #isStopping = false;

  constructor(options: WorkerFleetOptions) {
    this.#options = options;
  }

  async start(): Promise<WorkerAddresses> {
    if (isRunning) {
      throw new GatewayError('WG_GATEWAY_OPTION', 'only one gateway of a process may have workers');
    }
    isRunning = true;
    // In turn, so that each gets as many: a shared socket would let one take all that come at once.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({
      ...programBeside(import.meta.url, 'gateway-worker.js'),
      args: [],
      serialization: 'advanced',
    });
    // Workers that ask for any free port (0) in the same order all get the same ones.
    const [first] = await Promise.all(
      Array.from({ length: this.#options.count }, () => this.#fork()),
    );
    return first ?? { proxy: [], streams: [] };
  }

  get processIds(): number[] {
    return [...this.#members].flatMap(({ worker }) => worker.process.pid ?? []);
  }

  /** Sends a change to every worker; each takes it as a whole. */
  publish(updates: readonly EntityUpdate[]): void {
    if (updates.length > 0) {
      this.#revision += 1;
      this.#tellAll({ type: 'update', revision: this.#revision, updates });
    }
  }

  /** Resolves when every worker goes by what was published so far. */
  async settled(): Promise<void> {
    const revision = this.#revision;
    const isDone = () => [...this.#members].every((member) => member.applied >= revision);
    if (isDone()) return;
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve();
      };
      const check = () => {
        if (isDone()) finish();
      };
      const timer = setTimeout(() => {
        this.#options.log.warn('a worker is late with a change of the configuration');
        finish();
      }, settleTimeoutMs);
      this.#waiting.add(check);
    });
  }

  tellHealth(health: AddressHealth): void {
    const key = `${health.upstream} ${health.authority}`;
    if (health.isHealthy && !health.isWatched) {
      this.#health.delete(key);
    } else {
      this.#health.set(key, health);
    }
    this.#tellAll({ type: 'health', health });
  }

  /** What all workers counted, those that are gone included. */
  async reports(): Promise<readonly MetricsReport[]> {
    const live = await Promise.all([...this.#members].map((member) => this.#report(member)));
    return [this.#retired, ...live].filter((report) => report !== undefined);
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(
      [...this.#members].map(async ({ worker }) => {
        if (worker.isDead()) return;
        const exited = once(worker, 'exit');
        tell(worker, { type: 'stop', graceMs });
        const timer = setTimeout(() => worker.process.kill('SIGKILL'), graceMs + steadyMs);
        await exited;
        clearTimeout(timer);
      }),
    );
    isRunning = false;
  }

  #fork(): Promise<WorkerAddresses> {
    const worker = cluster.fork({ [nodeIdVariable]: nodeId });
    const member: Member = {
      worker,
      startedAt: performance.now(),
      applied: this.#revision,
      report: undefined,
    };
    worker.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        switch (message.type) {
          case 'ready':
            this.#admit(member);
            return;
          case 'listening':
            resolve(message.addresses);
            return;
          case 'failed':
            reject(Object.assign(new Error(message.message), { code: message.code }));
            worker.process.kill('SIGKILL');
            return;
          default:
            this.#hear(member, message);
        }
      });
      worker.once('exit', (code, signal) => {
        const how = signal ?? `code ${code}`;
        reject(new GatewayError('WG_GATEWAY_WORKER', `a worker ended with ${how} at its start`));
        this.#onExit(member, how);
      });
    });
  }

  /** From here on it gets every change; what came before is in what it starts with. */
  #admit(member: Member): void {
    if (this.#isStopping) {
      tell(member.worker, { type: 'stop', graceMs: 0 });
      return;
    }
    member.applied = this.#revision;
    this.#members.add(member);
    tell(member.worker, {
      type: 'start',
      settings: this.#options.settings,
      entities: [...this.#options.entities()],
      health: [...this.#health.values()],
    });
  }

  #hear(member: Member, message: FromWorker): void {
    const { onPassive, accessLog, log } = this.#options;
    switch (message.type) {
      case 'applied':
        member.applied = message.revision;
        for (const check of this.#waiting) check();
        return;
      case 'ask':
        void this.#answer(member.worker, message.id, message.plugin, message.request);
        return;
      case 'passive':
        onPassive(message.upstream, message.authority, message.event);
        return;
      case 'report':
        member.report = message.report;
        this.#reports.get(message.id)?.(message.report);
        return;
      case 'access':
        for (const line of message.lines) accessLog?.(line);
        return;
      case 'log':
        log[message.level](message.message, message.details);
    }
  }

  async #answer(worker: Worker, id: number, plugin: string, request: unknown): Promise<void> {
    try {
      tell(worker, { type: 'answer', id, value: await this.#options.ask(plugin, request) });
    } catch (error) {
      tell(worker, { type: 'refusal', id, message: (error as Error).message });
    }
  }

  #report(member: Member): Promise<MetricsReport | undefined> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#reports.delete(id);
        resolve(member.report);
      };
      const timer = setTimeout(finish, reportTimeoutMs);
      this.#reports.set(id, finish);
      tell(member.worker, { type: 'report', id });
    });
  }

  #onExit(member: Member, how: string): void {
    const wasAdmitted = this.#members.delete(member);
    for (const check of this.#waiting) check();
    if (member.report !== undefined) {
      this.#retired =
        this.#retired === undefined
          ? retire(member.report)
          : addReports(this.#retired, retire(member.report));
    }
    if (this.#isStopping || !wasAdmitted) return;
    this.#options.log.error('a worker died and is replaced', {
      process: member.worker.process.pid,
      how,
    });
    const isSteady = performance.now() - member.startedAt > steadyMs;
    this.#restartDelayMs = isSteady
      ? restartDelayMs
      : Math.min(this.#restartDelayMs * 2, maximumRestartDelayMs);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      // One that cannot start ends, and is tried again by its own exit.
      this.#fork().catch(() => undefined);
    }, this.#restartDelayMs);
    this.#timers.add(timer);
  }

  #tellAll(message: ToWorker): void {
    for (const { worker } of this.#members) tell(worker, message);
  }
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
