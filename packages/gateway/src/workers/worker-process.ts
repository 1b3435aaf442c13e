import { BalancerRegistry } from '../balancer/balancer-registry.ts';
import { DnsCache } from '../balancer/dns-cache.ts';
import type { AddressHealth, HealthLink } from '../balancer/health-link.ts';
import { systemResolver } from '../balancer/system-resolver.ts';
import type { EntityUpdate } from '../configuration/entity-difference.ts';
import { EntityReplica } from '../configuration/entity-replica.ts';
import { DataPlane } from '../data-plane.ts';
import { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import { loadPlugins } from '../plugin/load-plugins.ts';
import { createPluginRuntime, type GatewayLog } from '../plugin/plugin-runtime.ts';
import { pluginMap } from '../plugins/built-in-plugins.ts';
import { LineBuffer } from './line-buffer.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './worker-message.ts';

const accessLogDelayMs = 20;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What a worker process does: carries requests by a copy of the primary's entities. */
export class WorkerProcess {
  readonly #say: (message: FromWorker) => void;
  readonly #exit: (code: number) => void;
  readonly #replica = new EntityReplica();
  readonly #metrics = new GatewayMetrics();
  /** By upstream and authority, as the primary last said. */
  readonly #health = new Map<string, AddressHealth>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #access: LineBuffer;
  readonly #log: GatewayLog;
  #balancers: BalancerRegistry | undefined;
  #plane: DataPlane | undefined;
  #nextId = 0;

  constructor(say: (message: FromWorker) => void, exit: (code: number) => void) {
    this.#say = say;
    this.#exit = exit;
    this.#access = new LineBuffer((lines) => say({ type: 'access', lines }), accessLogDelayMs);
    const tell = (level: 'warn' | 'error') => (message: string, details?: object) =>
      say({ type: 'log', level, message, details: plain(details) });
    this.#log = { warn: tell('warn'), error: tell('error') };
  }

  announce(): void {
    this.#say({ type: 'ready' });
  }

  hear(message: ToWorker): void {
    switch (message.type) {
      case 'start':
        void this.#start(message).catch((error: NodeJS.ErrnoException) =>
          this.#say({ type: 'failed', message: error.message, code: error.code }),
        );
        return;
      case 'update':
        this.#takeUpdates(message.updates);
        this.#say({ type: 'applied', revision: message.revision });
        return;
      case 'health':
        this.#takeHealth(message.health);
        return;
      case 'answer':
        this.#settle(message.id)?.resolve(message.value);
        return;
      case 'refusal':
        this.#settle(message.id)?.reject(new Error(message.message));
        return;
      case 'report':
        this.#say({ type: 'report', id: message.id, report: this.#metrics.report() });
        return;
      case 'stop':
        void this.#stop(message.graceMs);
    }
  }

  #takeUpdates(updates: readonly EntityUpdate[]): void {
    const differences = this.#replica.apply(updates);
    this.#balancers?.change(this.#replica, differences);
    this.#plane?.change(differences);
  }

  async #start({ settings, entities, health }: ToWorker & { type: 'start' }): Promise<void> {
    this.#replica.apply(entities);
    for (const item of health) this.#health.set(healthKey(item.upstream, item.authority), item);
    this.#plane = await this.#createPlane(settings);
    this.#balancers?.load(this.#replica);
    this.#plane.load();
    const { certificate, ticketKeys } = settings;
    const addresses = await this.#plane.listen({ certificate, ticketKeys });
    this.#say({ type: 'listening', addresses });
  }

  async #createPlane(settings: WorkerSettings): Promise<DataPlane> {
    const now = Date.now;
    const own = await loadPlugins(settings.pluginModules);
    const balancers = new BalancerRegistry({
      dns: new DnsCache(systemResolver(), now),
      random: Math.random,
      now,
      slowStartMs: settings.slowStartMs,
      health: this.#healthLink(),
    });
    this.#balancers = balancers;
    const { isFileAccessAllowed, syslog } = settings;
    const options = {
      isFileAccessAllowed,
      plugins: own,
      ...(syslog === undefined ? {} : { syslog }),
    };
    const { isAccessLogged } = settings;
    return new DataPlane({
      ...settings,
      source: this.#replica,
      settings: { flavor: settings.flavor, plugins: pluginMap(options, this.#metrics) },
      balancers,
      metrics: this.#metrics,
      runtime: createPluginRuntime(
        now,
        this.#log,
        (plugin, request) => this.#ask(plugin, request),
        (host, port) => balancers.locate(host, port),
      ),
      accessLog: isAccessLogged ? (line) => this.#access.push(line) : undefined,
    });
  }

  #healthLink(): HealthLink {
    return {
      stateOf: (upstream, authority) => this.#health.get(healthKey(upstream, authority)),
      report: (upstream, authority, event) => {
        const isGood = event.kind === 'tcp-success' || event.kind === 'status';
        const isWatched = this.#health.get(healthKey(upstream, authority))?.isWatched === true;
        // Successes matter only where something went wrong before; and of statuses, only the primary
        // knows which are good, so those that may be failures always go there.
        if (!isGood || isWatched || (event.kind === 'status' && event.status >= 400)) {
          this.#say({ type: 'passive', upstream, authority, event });
        }
      },
    };
  }

  #takeHealth(health: AddressHealth): void {
    const { upstream, authority, isHealthy, isWatched } = health;
    const key = healthKey(upstream, authority);
    if (isHealthy && !isWatched) {
      this.#health.delete(key);
    } else {
      this.#health.set(key, health);
    }
    this.#balancers?.believe(upstream, authority, isHealthy);
  }

  #ask(plugin: string, request: unknown): Promise<unknown> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#say({ type: 'ask', id, plugin, request });
    });
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  async #stop(graceMs: number): Promise<void> {
    await this.#plane?.stop(graceMs);
    this.#access.flush();
    this.#say({ type: 'report', id: -1, report: this.#metrics.report() });
    // What was said must have left before the process ends.
    setImmediate(() => this.#exit(0));
  }
}

function healthKey(upstream: string, authority: string): string {
  return `${upstream} ${authority}`;
}

/** Details may hold anything; only data travels. */
function plain(details: object | undefined): Readonly<Record<string, unknown>> | undefined {
  return details === undefined
    ? undefined
    : (JSON.parse(JSON.stringify(details)) as Record<string, unknown>);
}
