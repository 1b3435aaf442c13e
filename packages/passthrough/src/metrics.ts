/** How a connection ended before it reached a backend. */
export type Refusal =
  | 'too-many-connections'
  | 'too-many-from-address'
  | 'hello-timeout'
  | 'hello-too-large'
  | 'malformed-hello'
  | 'malformed-proxy-header'
  | 'not-tls'
  | 'unrecognized-name'
  | 'source-denied'
  | 'backend-unreachable'
  | 'client-gone';

interface HostCounters {
  connections: number;
  active: number;
  bytesIn: number;
  bytesOut: number;
  connectFailures: number;
}

/** Plain counters; one object a worker, added up by `sumCounters`. */
export interface PassthroughCounters {
  accepted: number;
  active: number;
  pendingHellos: number;
  serverNameFound: number;
  serverNameMissing: number;
  helloBytes: number;
  refusals: Partial<Record<Refusal, number>>;
  hosts: Record<string, HostCounters>;
}

/**
 * Counters that have counted nothing.
 *
 * ```ts
 * newCounters().accepted; // 0
 * ```
 */
export function newCounters(): PassthroughCounters {
  return {
    accepted: 0,
    active: 0,
    pendingHellos: 0,
    serverNameFound: 0,
    serverNameMissing: 0,
    helloBytes: 0,
    refusals: {},
    hosts: Object.create(null) as Record<string, HostCounters>,
  };
}

export function hostCounters(counters: PassthroughCounters, host: string): HostCounters {
  counters.hosts[host] ??= {
    connections: 0,
    active: 0,
    bytesIn: 0,
    bytesOut: 0,
    connectFailures: 0,
  };
  return counters.hosts[host];
}

export function countRefusal(counters: PassthroughCounters, refusal: Refusal): void {
  counters.refusals[refusal] = (counters.refusals[refusal] ?? 0) + 1;
}

/**
 * The counters of several proxies together.
 *
 * ```ts
 * const one = { ...newCounters(), accepted: 2 };
 * sumCounters([one, one]).accepted; // 4
 * ```
 */
export function sumCounters(all: readonly PassthroughCounters[]): PassthroughCounters {
  const sum = newCounters();
  for (const one of all) {
    for (const key of scalarKeys) sum[key] += one[key];
    for (const [refusal, count] of Object.entries(one.refusals) as [Refusal, number][])
      sum.refusals[refusal] = (sum.refusals[refusal] ?? 0) + count;
    for (const [host, counters] of Object.entries(one.hosts)) {
      const into = hostCounters(sum, host);
      for (const key of hostKeys) into[key] += counters[key];
    }
  }
  return sum;
}

const scalarKeys = [
  'accepted',
  'active',
  'pendingHellos',
  'serverNameFound',
  'serverNameMissing',
  'helloBytes',
] as const;
const hostKeys = ['connections', 'active', 'bytesIn', 'bytesOut', 'connectFailures'] as const;

/**
 * The Prometheus text format.
 *
 * ```ts
 * renderMetrics(newCounters()).includes('# TYPE'); // true
 * ```
 */
export function renderMetrics(counters: PassthroughCounters): string {
  const lines: string[] = [];
  const metric = (
    name: string,
    type: 'counter' | 'gauge',
    help: string,
    rows: [string, number][],
  ) => {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const [labels, value] of rows) lines.push(`${name}${labels} ${value}`);
  };
  const hosts = Object.entries(counters.hosts).sort(([a], [b]) => (a < b ? -1 : 1));
  const byHost = (key: (typeof hostKeys)[number]): [string, number][] =>
    hosts.map(([host, values]) => [`{host="${escapeLabel(host)}"}`, values[key]]);
  const refusals: [string, number][] = Object.entries(counters.refusals).map(([reason, count]) => [
    `{reason="${reason}"}`,
    count,
  ]);
  const prefix = 'waygate_passthrough';
  metric(`${prefix}_accepted_total`, 'counter', 'Connections accepted.', [['', counters.accepted]]);
  metric(`${prefix}_active_connections`, 'gauge', 'Connections open now.', [['', counters.active]]);
  metric(
    `${prefix}_pending_hellos`,
    'gauge',
    'Connections that have not sent a whole ClientHello yet.',
    [['', counters.pendingHellos]],
  );
  metric(`${prefix}_server_name_total`, 'counter', 'ClientHellos by whether they named a server.', [
    ['{found="true"}', counters.serverNameFound],
    ['{found="false"}', counters.serverNameMissing],
  ]);
  metric(`${prefix}_hello_bytes_total`, 'counter', 'Bytes of ClientHellos.', [
    ['', counters.helloBytes],
  ]);
  metric(`${prefix}_refused_total`, 'counter', 'Connections refused, by reason.', refusals);
  metric(
    `${prefix}_host_connections_total`,
    'counter',
    'Connections carried, by host rule.',
    byHost('connections'),
  );
  metric(
    `${prefix}_host_active_connections`,
    'gauge',
    'Connections open now, by host rule.',
    byHost('active'),
  );
  metric(
    `${prefix}_host_received_bytes_total`,
    'counter',
    'Bytes from clients.',
    byHost('bytesIn'),
  );
  metric(`${prefix}_host_sent_bytes_total`, 'counter', 'Bytes to clients.', byHost('bytesOut'));
  metric(
    `${prefix}_host_connect_failures_total`,
    'counter',
    'Endpoints that could not be reached.',
    byHost('connectFailures'),
  );
  return `${lines.join('\n')}\n`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
