import { CounterFamily, renderGauges } from './metric-family.ts';
import type { MetricsReport } from './metrics-report.ts';
import type { NginxPlace } from './nginx-metrics.ts';
import { addFacts } from './process-facts.ts';

const prefix = 'nginx_ingress_controller_nginx_process_';

/**
 * What ingress-nginx says of nginx' processes, said of the gateway's.
 *
 * @param connections - as `/status` shows them
 */
export function renderNginxProcess(
  reports: readonly MetricsReport[],
  connections: Readonly<Record<string, number>>,
  place: NginxPlace | undefined,
): string {
  const [first, ...others] = reports;
  if (place === undefined || first === undefined) return '';
  const own = { ...place };
  const state = (name: string) => connections[`connections_${name}`] ?? 0;
  const facts = others.reduce((sum, report) => addFacts(sum, report.process), first.process);
  const running = reports.filter((report) => report.heapBytes > 0).length;
  return [
    gauges(
      'connections',
      'Connections of clients, by what they do',
      ['active', 'reading', 'waiting', 'writing'].map((name) => [
        { ...own, state: name },
        state(name),
      ]),
    ),
    counters(
      'connections_total',
      'Connections of clients so far',
      ['accepted', 'handled'].map((name) => [{ ...own, state: name }, state(name)]),
    ),
    counters('cpu_seconds_total', 'Time of processors', [[own, facts.cpuSeconds]]),
    gauges('num_procs', 'Processes', [[own, running]]),
    gauges('oldest_start_time_seconds', 'Since when the oldest runs', [[own, facts.startedAt]]),
    counters('read_bytes_total', 'Bytes read from disks', [[own, facts.readBytes]]),
    counters('requests_total', 'Requests so far', [[own, connections.total_requests ?? 0]]),
    gauges('resident_memory_bytes', 'Memory in use', [[own, facts.residentBytes]]),
    gauges('virtual_memory_bytes', 'Memory that is addressed', [[own, facts.virtualBytes]]),
    counters('write_bytes_total', 'Bytes written to disks', [[own, facts.writtenBytes]]),
  ].join('');
}

type Rows = readonly (readonly [Readonly<Record<string, string>>, number])[];

function gauges(name: string, help: string, rows: Rows): string {
  return renderGauges(`${prefix}${name}`, help, rows);
}

function counters(name: string, help: string, rows: Rows): string {
  const family = new CounterFamily(`${prefix}${name}`, help);
  for (const [labels, value] of rows) family.add(labels, value);
  return family.render();
}
