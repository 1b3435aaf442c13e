import { headBytes } from '../http/header-list.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import type { RouteEntry } from '../router/route-match.ts';
import { type Cell, type Histogram, labelText } from './metric-family.ts';
import type { ConnectionCounts, MetricsReport } from './metrics-report.ts';
import { NginxMetrics } from './nginx-metrics.ts';
import { processFacts } from './process-facts.ts';
import { createFamilies } from './render-metrics.ts';

/** Which metrics a `prometheus` plugin asks for, for the requests that it applies to. */
interface MetricSettings {
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

/** The numbers of one route, found once, so that a request adds to them without making labels. */
interface RouteCells {
  readonly service: string;
  readonly route: string;
  readonly byCode: Map<number, Cell>;
  egress: Cell | undefined;
  ingress: Cell | undefined;
  latency:
    | { readonly total: Histogram; readonly kong: Histogram; upstream?: Histogram }
    | undefined;
}

const workspace = 'default';
const sources = { upstream: 'service', exit: 'exit', error: 'error' } as const;

/** What this process counts, with Kong's names. */
export class GatewayMetrics {
  readonly #families = createFamilies();
  /** Counted where a plugin `nginx-metrics` asks for it. */
  readonly nginx = new NginxMetrics();
  readonly #byRoute = new WeakMap<RouteEntry, RouteCells>();
  readonly #unmatched: RouteCells = newCells('', '');
  /** Set while some plugin asks for it. */
  areTargetsShown = false;
  #totalRequests = 0;
  #accepted = 0;
  #active = 0;
  #writing = 0;

  connectionOpened(): void {
    this.#accepted += 1;
    this.#active += 1;
  }

  connectionClosed(): void {
    this.#active -= 1;
  }

  /** Every request, whether or not a plugin asks for more. */
  requestStarted(): void {
    this.#totalRequests += 1;
    this.#writing += 1;
  }

  requestEnded(): void {
    this.#writing -= 1;
  }

  /** A request that a `prometheus` plugin applies to. */
  observeRequest(context: RequestContext, settings: MetricSettings): void {
    const { response, timings, consumer } = context;
    const cells = this.#cellsOf(context.match?.entry);
    const who = settings.perConsumer ? String(consumer?.username ?? consumer?.custom_id ?? '') : '';
    if (settings.statusCodes) {
      this.#codeCell(cells, response?.status ?? 499, response?.source ?? 'error', who).value += 1;
    }
    if (settings.bandwidth) this.#countBytes(cells, who, context);
    if (settings.latency) {
      const { kongLatency, requestLatency, upstreamLatency } = this.#families;
      const key = () => labelText({ service: cells.service, route: cells.route, workspace });
      cells.latency ??= { total: requestLatency.cell(key()), kong: kongLatency.cell(key()) };
      const total = performance.now() - timings.startedAt;
      const hasUpstream = timings.upstreamAnsweredAt > 0;
      const upstream = hasUpstream ? timings.upstreamAnsweredAt - timings.proxiedAt : 0;
      requestLatency.observe(cells.latency.total, total);
      kongLatency.observe(cells.latency.kong, Math.max(total - upstream, 0));
      if (hasUpstream) {
        cells.latency.upstream ??= upstreamLatency.cell(key());
        upstreamLatency.observe(cells.latency.upstream, upstream);
      }
    }
  }

  observeStream(facts: StreamFacts): void {
    const { route, service } = facts;
    const base = { service, route, workspace };
    const { sessions, bandwidth } = this.#families;
    sessions.add({ ...base, code: '200', source: 'service' }, 1);
    const { workspace: _, ...names } = base;
    bandwidth.add({ ...names, direction: 'egress', workspace, consumer: '' }, facts.sentBytes);
    bandwidth.add({ ...names, direction: 'ingress', workspace, consumer: '' }, facts.receivedBytes);
  }

  /** Of this process. */
  get connections(): ConnectionCounts {
    return {
      totalRequests: this.#totalRequests,
      accepted: this.#accepted,
      active: this.#active,
      writing: this.#writing,
    };
  }

  report(): MetricsReport {
    const families = this.#families;
    return {
      processId: process.pid,
      heapBytes: process.memoryUsage().heapUsed,
      process: processFacts(),
      areTargetsShown: this.areTargetsShown,
      connections: this.connections,
      requests: families.requests.series(),
      bandwidth: families.bandwidth.series(),
      sessions: families.sessions.series(),
      kongLatency: families.kongLatency.series(),
      requestLatency: families.requestLatency.series(),
      upstreamLatency: families.upstreamLatency.series(),
      nginx: this.nginx.series(),
    };
  }

  #cellsOf(entry: RouteEntry | undefined): RouteCells {
    if (entry === undefined) return this.#unmatched;
    let cells = this.#byRoute.get(entry);
    if (cells === undefined) {
      const { route, service } = entry;
      cells = newCells(
        String(service?.name ?? service?.host ?? ''),
        String(route.name ?? route.id ?? ''),
      );
      this.#byRoute.set(entry, cells);
    }
    return cells;
  }

  #codeCell(
    cells: RouteCells,
    status: number,
    source: keyof typeof sources,
    consumer: string,
  ): Cell {
    const isPlain = source === 'upstream' && consumer === '';
    let cell = isPlain ? cells.byCode.get(status) : undefined;
    if (cell === undefined) {
      const { service, route } = cells;
      const labels = { service, route, code: String(status), source: sources[source] };
      cell = this.#families.requests.cell(labelText({ ...labels, workspace, consumer }));
      if (isPlain) cells.byCode.set(status, cell);
    }
    return cell;
  }

  #countBytes(cells: RouteCells, consumer: string, context: RequestContext): void {
    const find = (direction: string) => {
      const { service, route } = cells;
      const labels = { service, route, direction, workspace, consumer };
      return this.#families.bandwidth.cell(labelText(labels));
    };
    const sent = context.responseBytes + headBytes(context.response?.headers.raw ?? []);
    const received = context.requestBytes + headBytes(context.headers.raw);
    if (consumer !== '') {
      find('egress').value += sent;
      find('ingress').value += received;
      return;
    }
    cells.egress ??= find('egress');
    cells.egress.value += sent;
    cells.ingress ??= find('ingress');
    cells.ingress.value += received;
  }
}

function newCells(service: string, route: string): RouteCells {
  const empty = { egress: undefined, ingress: undefined, latency: undefined };
  return { service, route, byCode: new Map(), ...empty };
}
