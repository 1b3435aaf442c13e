import type { CounterSeries, Histogram, HistogramSeries } from './metric-family.ts';
import { addNginxSeries, type NginxSeries } from './nginx-metrics.ts';
import { addFacts, type ProcessFacts, retiredFacts } from './process-facts.ts';

/** The connections of one process, in the words of `/status`. */
export interface ConnectionCounts {
  readonly totalRequests: number;
  readonly accepted: number;
  readonly active: number;
  /** Requests under way. */
  readonly writing: number;
}

/** What one process has counted so far, as plain data that travels between processes. */
export interface MetricsReport {
  readonly processId: number;
  readonly heapBytes: number;
  readonly process: ProcessFacts;
  readonly areTargetsShown: boolean;
  readonly connections: ConnectionCounts;
  readonly requests: CounterSeries;
  readonly bandwidth: CounterSeries;
  readonly sessions: CounterSeries;
  readonly kongLatency: HistogramSeries;
  readonly requestLatency: HistogramSeries;
  readonly upstreamLatency: HistogramSeries;
  readonly nginx: NginxSeries;
}

/** The totals of a process that is gone: what it held open is no more. */
export function retire(report: MetricsReport): MetricsReport {
  const { totalRequests, accepted } = report.connections;
  return {
    ...report,
    heapBytes: 0,
    process: retiredFacts(report.process),
    connections: { totalRequests, accepted, active: 0, writing: 0 },
  };
}

/** Two reports as one. */
export function addReports(a: MetricsReport, b: MetricsReport): MetricsReport {
  const sum = (x: number, y: number) => x + y;
  return {
    processId: b.processId,
    heapBytes: a.heapBytes + b.heapBytes,
    process: addFacts(a.process, b.process),
    areTargetsShown: a.areTargetsShown || b.areTargetsShown,
    connections: {
      totalRequests: a.connections.totalRequests + b.connections.totalRequests,
      accepted: a.connections.accepted + b.connections.accepted,
      active: a.connections.active + b.connections.active,
      writing: a.connections.writing + b.connections.writing,
    },
    requests: addSeries(a.requests, b.requests, sum),
    bandwidth: addSeries(a.bandwidth, b.bandwidth, sum),
    sessions: addSeries(a.sessions, b.sessions, sum),
    kongLatency: addSeries(a.kongLatency, b.kongLatency, addHistograms),
    requestLatency: addSeries(a.requestLatency, b.requestLatency, addHistograms),
    upstreamLatency: addSeries(a.upstreamLatency, b.upstreamLatency, addHistograms),
    nginx: addNginxSeries(a.nginx, b.nginx),
  };
}

function addSeries<T>(
  a: readonly (readonly [string, T])[],
  b: readonly (readonly [string, T])[],
  add: (x: T, y: T) => T,
): (readonly [string, T])[] {
  const all = new Map(a);
  for (const [key, value] of b) {
    const before = all.get(key);
    all.set(key, before === undefined ? value : add(before, value));
  }
  return [...all];
}

function addHistograms(a: Histogram, b: Histogram): Histogram {
  return {
    counts: a.counts.map((count, index) => count + (b.counts[index] ?? 0)),
    count: a.count + b.count,
    sum: a.sum + b.sum,
  };
}
