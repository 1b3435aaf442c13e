import { hostname } from 'node:os';
import type { MetricsReport } from '../metrics/metrics-report.ts';
import { renderMetrics, sumConnections } from '../metrics/render-metrics.ts';
import { nodeId } from '../node-id.ts';
import { pluginPriorities } from '../plugin/plugin-priorities.ts';
import { kongVersion } from '../version.ts';
import type { AdminApiOptions } from './admin-api.ts';
import { type AdminHandler, message, ok } from './admin-message.ts';
import type { Endpoint } from './endpoint-table.ts';
import { nodeConfiguration } from './node-configuration.ts';
import { listedPlugins } from './plugin-check.ts';

const onlyForControlPlanes = message(
  400,
  'this endpoint is only available when Kong is configured to run as Control Plane for the cluster',
);
const onlyWithWasm = message(400, 'this endpoint is only available when wasm is enabled');
const emptyHash = '0'.repeat(32);

/** The node itself: `/`, `/status`, `/metrics`, and what Kong answers for what it does not have. */
export function nodeEndpoints(
  options: AdminApiOptions,
  configHash: () => string,
  patterns: () => readonly string[],
): { readonly all: Endpoint[]; readonly status: Endpoint[] } {
  const isDbless = options.mode === 'dbless';
  const metrics: AdminHandler = async () => ({
    status: 200,
    headers: { 'Content-Type': 'text/plain; charset=UTF-8' },
    body: renderMetrics(
      await options.reports(),
      options.balancers,
      options.storageProblem() === undefined,
    ),
  });
  const status: Endpoint[] = [
    {
      pattern: '/status',
      methods: {
        GET: async () => {
          const reports = await options.reports();
          return ok({
            ...(isDbless ? { configuration_hash: configHash() } : {}),
            server: sumConnections(reports),
            memory: memory(reports),
            database: { reachable: options.storageProblem() === undefined },
          });
        },
      },
    },
    {
      pattern: '/status/ready',
      methods: {
        GET: () =>
          isDbless && configHash() === emptyHash
            ? message(503, 'no configuration available (empty configuration present)')
            : message(200, 'ready'),
      },
    },
    {
      pattern: '/status/dns',
      methods: { GET: () => message(501, 'not implemented with the legacy DNS client') },
    },
    { pattern: '/metrics', methods: { GET: metrics } },
  ];
  const wasm = { GET: () => onlyWithWasm, POST: () => onlyWithWasm };
  const wasmOne = {
    GET: () => onlyWithWasm,
    PUT: () => onlyWithWasm,
    PATCH: () => onlyWithWasm,
    DELETE: () => onlyWithWasm,
  };
  const all: Endpoint[] = [
    ...status.filter((endpoint) => endpoint.pattern !== '/status/ready'),
    { pattern: '/', methods: { GET: () => ok(root(options)) } },
    { pattern: '/endpoints', methods: { GET: () => ok({ data: patterns() }) } },
    { pattern: '/timers', methods: { GET: () => ok({ worker: { id: 0, count: 1 }, stats: {} }) } },
    {
      pattern: '/debug/node/log-level',
      methods: { GET: () => message(200, 'log level: notice') },
    },
    { pattern: '/clustering/status', methods: { GET: () => onlyForControlPlanes } },
    { pattern: '/clustering/data-planes', methods: { GET: () => onlyForControlPlanes } },
    { pattern: '/cache/{key}', methods: { GET: () => message(404, 'Not found') } },
    { pattern: '/filter-chains', methods: wasm },
    { pattern: '/filter-chains/{filter_chains}', methods: wasmOne },
  ];
  return { all, status };
}

function root({ mode, flavor, source, plugins, processIds, node }: AdminApiOptions): object {
  const enabled = new Set<string>();
  for (const plugin of source.list('plugins')) enabled.add(String(plugin.name));
  const available = Object.fromEntries(
    listedPlugins(plugins).map((name) => [
      name,
      {
        version: plugins.get(name)?.version ?? kongVersion,
        priority: plugins.get(name)?.priority ?? pluginPriorities[name] ?? 0,
      },
    ]),
  );
  return {
    version: kongVersion,
    tagline: 'Welcome to kong',
    edition: 'community',
    hostname: hostname(),
    node_id: nodeId,
    lua_version: 'none',
    pids: { master: process.pid, workers: processIds() },
    timers: { running: 0, pending: 0 },
    plugins: { available_on_server: available, enabled_in_cluster: [...enabled] },
    configuration: nodeConfiguration({
      database: mode === 'dbless' ? 'off' : 'postgres',
      flavor,
      plugins: Object.keys(available),
      workers: processIds().length,
      ...node(),
    }),
  };
}

function memory(reports: readonly MetricsReport[]): object {
  const workers = reports.filter((report) => report.heapBytes > 0);
  return {
    workers_lua_vms: workers.map(({ processId, heapBytes }) => ({
      pid: processId,
      http_allocated_gc: `${(heapBytes / 1_048_576).toFixed(2)} MiB`,
    })),
    lua_shared_dicts: {},
  };
}
