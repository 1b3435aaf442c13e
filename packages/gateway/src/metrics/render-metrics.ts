import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import { nodeId } from '../node-id.ts';
import { kongVersion } from '../version.ts';
import { CounterFamily, HistogramFamily, renderGauges } from './metric-family.ts';
import type { MetricsReport } from './metrics-report.ts';
import { NginxMetrics } from './nginx-metrics.ts';
import { renderNginxProcess } from './nginx-process.ts';

const proxyBuckets = [1, 2, 5, 7, 10, 15, 20, 30, 50, 75, 100, 200, 500, 750, 1_000, 3_000, 6_000];
const requestBuckets = [
  25, 50, 80, 100, 250, 400, 700, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000,
];

/** The families of Kong's metrics that are counted; empty ones are not shown. */
export function createFamilies() {
  return {
    requests: new CounterFamily(
      'kong_http_requests_total',
      'HTTP status codes per consumer/service/route in Kong',
    ),
    bandwidth: new CounterFamily(
      'kong_bandwidth_bytes',
      'Total bandwidth (ingress/egress) throughput in bytes',
    ),
    kongLatency: new HistogramFamily(
      'kong_kong_latency_ms',
      'Latency added by Kong and enabled plugins for each service/route in Kong',
      proxyBuckets,
    ),
    requestLatency: new HistogramFamily(
      'kong_request_latency_ms',
      'Total latency incurred during requests for each service/route in Kong',
      requestBuckets,
    ),
    upstreamLatency: new HistogramFamily(
      'kong_upstream_latency_ms',
      'Latency added by upstream response for each service/route in Kong',
      requestBuckets,
    ),
    sessions: new CounterFamily(
      'kong_stream_sessions_total',
      'Stream status codes per service/route in Kong',
    ),
  };
}

/** The text of `/metrics`: all processes added up, and the health of targets. */
export function renderMetrics(
  reports: readonly MetricsReport[],
  balancers: BalancerRegistry,
  isDatastoreReachable = true,
): string {
  const families = createFamilies();
  const nginx = new NginxMetrics();
  for (const report of reports) {
    families.requests.merge(report.requests);
    families.bandwidth.merge(report.bandwidth);
    families.sessions.merge(report.sessions);
    families.kongLatency.merge(report.kongLatency);
    families.requestLatency.merge(report.requestLatency);
    families.upstreamLatency.merge(report.upstreamLatency);
    nginx.merge(report.nginx);
  }
  const connections = sumConnections(reports);
  return [
    families.bandwidth.render(),
    renderGauges('kong_datastore_reachable', 'Datastore reachable from Kong, 0 is unreachable', [
      [{}, isDatastoreReachable ? 1 : 0],
    ]),
    families.requests.render(),
    families.kongLatency.render(),
    renderGauges(
      'kong_memory_workers_lua_vms_bytes',
      'Allocated bytes in worker Lua VM',
      reports
        .filter((report) => report.heapBytes > 0)
        .map((report) => [
          { node_id: nodeId, pid: String(report.processId), kong_subsystem: 'http' },
          report.heapBytes,
        ]),
    ),
    renderGauges(
      'kong_nginx_connections_total',
      'Number of connections by subsystem',
      Object.entries(connections)
        .map(([name, value]) => [name.replace(/^connections_|_requests$/, ''), value] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([state, value]) => [{ node_id: nodeId, subsystem: 'http', state }, value]),
    ),
    '# HELP kong_nginx_metric_errors_total Number of nginx-lua-prometheus errors\n' +
      '# TYPE kong_nginx_metric_errors_total counter\nkong_nginx_metric_errors_total 0\n',
    renderGauges('kong_nginx_requests_total', 'Number of requests total', [
      [{ node_id: nodeId, subsystem: 'http' }, connections.total_requests ?? 0],
    ]),
    // No timer of a process runs while it counts them.
    renderGauges('kong_nginx_timers', 'Number of nginx timers', [
      [
        { state: 'pending' },
        reports.reduce((sum, report) => sum + report.process.waitingTimers, 0),
      ],
      [{ state: 'running' }, 0],
    ]),
    renderGauges('kong_node_info', 'Kong Node metadata information', [
      [{ node_id: nodeId, version: kongVersion }, 1],
    ]),
    families.requestLatency.render(),
    families.upstreamLatency.render(),
    families.sessions.render(),
    nginx.render(),
    renderNginxProcess(reports, connections, nginx.place),
    reports.some((report) => report.areTargetsShown) ? renderTargets(balancers) : '',
  ].join('');
}

/** As `/status` shows them. */
export function sumConnections(reports: readonly MetricsReport[]): Record<string, number> {
  let totalRequests = 0;
  let accepted = 0;
  let active = 0;
  let writing = 0;
  for (const { connections } of reports) {
    totalRequests += connections.totalRequests;
    accepted += connections.accepted;
    active += connections.active;
    writing += connections.writing;
  }
  return {
    total_requests: totalRequests,
    connections_accepted: accepted,
    connections_handled: accepted,
    connections_active: active,
    connections_reading: 0,
    connections_writing: writing,
    connections_waiting: Math.max(active - writing, 0),
  };
}

function renderTargets(balancers: BalancerRegistry): string {
  const rows: [Record<string, string>, number][] = [];
  for (const balancer of balancers.balancers) {
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
