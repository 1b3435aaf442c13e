import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { programBeside } from '@waygate/text';
import type { PassthroughTable } from './config.ts';
import { newCounters, type PassthroughCounters, sumCounters } from './metrics.ts';
import type { ListenAddress, PassthroughOptions } from './proxy.ts';
import type { FromWorker, ToWorker } from './worker-protocol.ts';

/** The options of each worker, and how many there are. */
export interface PassthroughClusterOptions extends PassthroughOptions {
  /** Processes that share the port; limits on connections are split between them. */
  readonly workers: number;
  /** Told when a worker died and is replaced. */
  readonly onWorkerExit?:
    | ((detail: { readonly processId: number | undefined }) => void)
    | undefined;
}

const restartDelayMs = 500;

/**
 * The proxy on several cores: worker processes that share one listening socket. A worker that dies
 * is replaced and gets the table of the moment.
 *
 * ```ts
 * const endpoints = [{ address: '10.0.0.7', port: 8443 }];
 * const cluster = new PassthroughCluster({
 *   workers: 4,
 *   table: { hosts: [{ host: 'shop.example.com', backend: { name: 'shop', endpoints } }] },
 * });
 * await cluster.start({ host: '0.0.0.0', port: 443 });
 * ```
 */
export class PassthroughCluster {
  readonly #options: PassthroughClusterOptions;
  readonly #workers = new Set<Worker>();
  /** Those that were told to start. What others are told is lost, and nobody would answer. */
  readonly #told = new Set<Worker>();
  /** Who waits for the answer to a question, by the question's id. */
  readonly #waiting = new Map<number, (counters: PassthroughCounters) => void>();
  /** The table of now: a worker that is started again starts with it. */
  #table: PassthroughTable;
  /** Once the first worker listens, with the real port, so that later ones share it. */
  #listen: ListenAddress | undefined;
  /** Counts of workers that are gone, so that totals never go back. */
  #retired: PassthroughCounters = newCounters();
  /** The last counters of each worker that lives; they go to `#retired` when it ends. */
  readonly #latest = new Map<Worker, PassthroughCounters>();
  #restartTimers = new Set<NodeJS.Timeout>();
  #nextId = 0;
  #isStopping = false;

  constructor(options: PassthroughClusterOptions) {
    this.#options = options;
    this.#table = options.table;
  }

  async start(listen: ListenAddress): Promise<ListenAddress> {
    // The kernel hands connections out: the primary is not on the path of any of them.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({
      ...programBeside(import.meta.url, 'worker.js'),
      serialization: 'advanced',
    });
    this.#listen = listen;
    const addresses = await Promise.all(
      Array.from({ length: this.#options.workers }, () => this.#fork()),
    );
    this.#listen = addresses[0]!;
    return addresses[0]!;
  }

  /** Resolves when every worker routes by the new table; one that is about to start will start with it. */
  async update(table: PassthroughTable): Promise<void> {
    this.#table = table;
    await this.#askAll((id) => ({ type: 'update', id, table }));
  }

  /** The counters of all workers together. */
  async counters(): Promise<PassthroughCounters> {
    const answers = await this.#askAll((id) => ({ type: 'counters', id }));
    return sumCounters([this.#retired, ...answers]);
  }

  async stop({ drainMs = 0 }: { drainMs?: number } = {}): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#restartTimers) clearTimeout(timer);
    await Promise.all(
      [...this.#workers].map(async (worker) => {
        const exited = once(worker, 'exit');
        tell(worker, { type: 'stop', drainMs });
        await exited;
      }),
    );
  }

  async #fork(): Promise<ListenAddress> {
    const worker = cluster.fork();
    this.#workers.add(worker);
    worker.on('error', () => {});
    const listening = new Promise<ListenAddress>((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        // A stop that was said before the worker could hear it is said again.
        if (message.type === 'ready') {
          tell(worker, this.#isStopping ? { type: 'stop', drainMs: 0 } : this.#startMessage());
          this.#told.add(worker);
        } else if (message.type === 'listening') resolve(message.address);
        else if (message.type === 'failed')
          reject(Object.assign(new Error(message.message), { code: message.code }));
        else this.#hear(worker, message);
      });
      worker.once('exit', () => reject(new Error('a worker ended before it listened')));
    });
    worker.once('exit', () => this.#exited(worker));
    return listening;
  }

  /** Made when the worker is ready, so that it starts with the table of that moment. */
  #startMessage(): ToWorker {
    const { workers, onConnection, onWorkerExit: _, limits, ...options } = this.#options;
    return {
      type: 'start',
      options: { ...options, table: this.#table, limits: partOf(limits, workers) },
      listen: this.#listen!,
      reportConnections: onConnection !== undefined,
    };
  }

  #hear(worker: Worker, message: FromWorker): void {
    if (message.type === 'connection') this.#options.onConnection?.(message.summary);
    if (message.type !== 'answer') return;
    this.#latest.set(worker, message.counters);
    this.#waiting.get(message.id)?.(message.counters);
  }

  #exited(worker: Worker): void {
    this.#workers.delete(worker);
    this.#told.delete(worker);
    const last = this.#latest.get(worker);
    if (last !== undefined) {
      // Its gauges went with it; its totals stay.
      const hosts = Object.entries(last.hosts).map(([host, counters]) => [
        host,
        { ...counters, active: 0 },
      ]);
      const totals = { ...last, active: 0, pendingHellos: 0, hosts: Object.fromEntries(hosts) };
      this.#retired = sumCounters([this.#retired, totals]);
      this.#latest.delete(worker);
    }
    if (this.#isStopping) return;
    this.#options.onWorkerExit?.({ processId: worker.process.pid });
    const timer = setTimeout(() => {
      this.#restartTimers.delete(timer);
      // A worker that cannot start again ends, and is tried again by its own exit.
      this.#fork().catch(() => {});
    }, restartDelayMs);
    this.#restartTimers.add(timer);
  }

  async #askAll(message: (id: number) => ToWorker): Promise<PassthroughCounters[]> {
    const answers = [...this.#told].map((worker) => this.#ask(worker, message));
    return (await Promise.all(answers)).filter((answer) => answer !== undefined);
  }

  /** Undefined when the worker went away before it answered. */
  async #ask(
    worker: Worker,
    message: (id: number) => ToWorker,
  ): Promise<PassthroughCounters | undefined> {
    const id = this.#nextId;
    this.#nextId += 1;
    let exited: (() => void) | undefined;
    try {
      return await new Promise<PassthroughCounters | undefined>((resolve) => {
        exited = () => resolve(undefined);
        worker.once('exit', exited);
        this.#waiting.set(id, resolve);
        tell(worker, message(id));
      });
    } finally {
      this.#waiting.delete(id);
      if (exited !== undefined) worker.off('exit', exited);
    }
  }
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}

/** Each worker gets its part of the limits that hold for the whole. */
export function partOf(
  limits: PassthroughClusterOptions['limits'],
  workers: number,
): NonNullable<PassthroughClusterOptions['limits']> {
  const part = (limit: number | undefined, name: string) =>
    limit === undefined ? {} : { [name]: Math.ceil(limit / workers) };
  return {
    ...limits,
    ...part(limits?.maxConnections, 'maxConnections'),
    ...part(limits?.maxConnectionsPerAddress, 'maxConnectionsPerAddress'),
  };
}
