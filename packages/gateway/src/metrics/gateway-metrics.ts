import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { RequestContext } from '../proxy/request-context.ts';
import { kongVersion } from '../version.ts';
import { CounterFamily, HistogramFamily, renderGauges } from './metric-family.ts';

const proxyBuckets = [1, 2, 5, 7, 10, 15, 20, 30, 50, 75, 100, 200, 500, 750, 1_000, 3_000, 6_000];
const requestBuckets = [
  25, 50, 80, 100, 250, 400, 700, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000,
];

/** Which metrics a `prometheus` plugin asks for, for the requests that it applies to. */
export interface MetricSettings {
  readonly perConsumer: boolean;
  readonly statusCodes: boolean;
  readonly latency: boolean;
  readonly bandwidth: boolean;
}

/** What a stream connection came to. */
export interface StreamFacts {
  readonly route: string;
  readonly service: string;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly durationMs: number;
}

/** The numbers of the gateway, with Kong's names. */
export class GatewayMetrics {
  readonly #balancers: BalancerRegistry;
  readonly #requests = new CounterFamily(
    'kong_http_requests_total',
    'HTTP status codes per consumer/service/route in Kong',
  );
  readonly #bandwidth = new CounterFamily(
    'kong_bandwidth_bytes',
    'Total bandwidth (ingress/egress) throughput in bytes',
  );
  readonly #kongLatency = new HistogramFamily(
    'kong_kong_latency_ms',
    'Latency added by Kong and enabled plugins for each service/route in Kong',
    proxyBuckets,
  );
  readonly #requestLatency = new HistogramFamily(
    'kong_request_latency_ms',
    'Total latency incurred during requests for each service/route in Kong',
    requestBuckets,
  );
  readonly #upstreamLatency = new HistogramFamily(
    'kong_upstream_latency_ms',
    'Latency added by upstream response for each service/route in Kong',
    requestBuckets,
  );
  readonly #sessions = new CounterFamily(
    'kong_stream_sessions_total',
    'Stream status codes per service/route in Kong',
  );
  /** Set while some plugin asks for it. */
  areTargetsShown = false;
  #totalRequests = 0;
  #activeRequests = 0;
  #acceptedConnections = 0;

  constructor(balancers: BalancerRegistry) {
    this.#balancers = balancers;
  }

  countConnection(): void {
    this.#acceptedConnections += 1;
  }

  /** Every request, whether or not a plugin asks for more. */
  observe(_context: RequestContext): void {
    this.#totalRequests += 1;
  }

  /** A request that a `prometheus` plugin applies to. */
  observeRequest(context: RequestContext, settings: MetricSettings): void {
    const { match, response, timings, consumer } = context;
    const route = match?.entry.route;
    const service = match?.entry.service;
    const base = {
      service: String(service?.name ?? service?.host ?? ''),
      route: String(route?.name ?? route?.id ?? ''),
    };
    const workspace = 'default';
    const who = settings.perConsumer ? String(consumer?.username ?? consumer?.custom_id ?? '') : '';
    if (settings.statusCodes) {
      const source = { upstream: 'service', exit: 'exit', error: 'error' }[
        response?.source ?? 'error'
      ];
      const code = String(response?.status ?? 499);
      this.#requests.add({ ...base, code, source, workspace, consumer: who }, 1);
    }
    if (settings.bandwidth) {
      const add = (direction: string, bytes: number) =>
        this.#bandwidth.add({ ...base, direction, workspace, consumer: who }, bytes);
      add('egress', context.responseBytes + headBytes(response?.headers.raw ?? []));
      add('ingress', context.requestBytes + headBytes(context.headers.raw));
    }
    if (settings.latency) {
      const labels = { ...base, workspace };
      const total = performance.now() - timings.startedAt;
      const upstream =
        timings.upstreamAnsweredAt > 0 ? timings.upstreamAnsweredAt - timings.proxiedAt : undefined;
      this.#requestLatency.observe(labels, total);
      this.#kongLatency.observe(labels, Math.max(total - (upstream ?? 0), 0));
      if (upstream !== undefined) {
        this.#upstreamLatency.observe(labels, upstream);
      }
    }
  }

  observeStream(facts: StreamFacts): void {
    const { route, service } = facts;
    const base = { service, route, workspace: 'default' };
    this.#sessions.add({ ...base, code: '200', source: 'service' }, 1);
    this.#bandwidth.add({ ...base, direction: 'egress', consumer: '' }, facts.sentBytes);
    this.#bandwidth.add({ ...base, direction: 'ingress', consumer: '' }, facts.receivedBytes);
  }

  /** As `/status` shows them. */
  connections(): Readonly<Record<string, number>> {
    return {
      total_requests: this.#totalRequests,
      connections_accepted: this.#acceptedConnections,
      connections_handled: this.#acceptedConnections,
      connections_active: this.#activeRequests,
      connections_reading: 0,
      connections_writing: this.#activeRequests,
      connections_waiting: 0,
    };
  }

  render(): string {
    return [
      this.#bandwidth.render(),
      renderGauges('kong_datastore_reachable', 'Datastore reachable from Kong, 0 is unreachable', [
        [{}, 1],
      ]),
      this.#requests.render(),
      this.#kongLatency.render(),
      renderGauges('kong_memory_workers_lua_vms_bytes', 'Allocated bytes in worker Lua VM', [
        [{ pid: String(process.pid), kong_subsystem: 'http' }, process.memoryUsage().heapUsed],
      ]),
      renderGauges('kong_nginx_requests_total', 'Number of requests total', [
        [{ subsystem: 'http' }, this.#totalRequests],
      ]),
      renderGauges('kong_node_info', 'Kong Node metadata information', [
        [{ version: kongVersion }, 1],
      ]),
      this.#requestLatency.render(),
      this.#upstreamLatency.render(),
      this.#sessions.render(),
      this.areTargetsShown ? this.#renderTargets() : '',
    ].join('');
  }

  #renderTargets(): string {
    const rows: [Record<string, string>, number][] = [];
    for (const balancer of this.#balancers.balancers) {
      for (const state of balancer.states) {
        const health = balancer.healthOf(state).toLowerCase();
        for (const address of state.addresses) {
          rows.push([
            {
              upstream: String(balancer.upstream.name),
              target: String(state.target.target),
              address: address.authority,
              state: health,
              subsystem: 'http',
            },
            1,
          ]);
        }
      }
    }
    const help =
      'Health status of targets of upstream. States = healthchecks_off|healthy|unhealthy|dns_error, value is 1 when state is populated.';
    return renderGauges('kong_upstream_target_health', help, rows);
  }
}

/** About as many bytes as a head takes on the wire. */
function headBytes(raw: readonly string[]): number {
  let bytes = 0;
  for (const text of raw) {
    bytes += text.length + 2;
  }
  return bytes;
}
