import type { Health } from '../protocol/reference.ts';

/** What a gateway has counted for a route since it started. */
export interface RouteCounters {
  requests: number;
  /** Answers of 500 and above. */
  errors: number;
  /** Requests that took at most so many milliseconds, by that number; the last is infinite. */
  readonly buckets: Map<number, number>;
}

/** What a gateway tells in its metrics of routes, and of targets by their upstreams. */
interface GatewayMetrics {
  readonly routes: Map<string, RouteCounters>;
  readonly targets: Map<string, Map<string, Health>>;
}

const line =
  /^(kong_http_requests_total|kong_request_latency_ms_bucket|kong_upstream_target_health)\{([^}]*)\} (\S+)/;
const label = /(\w+)="((?:\\.|[^"\\])*)"/g;
/** As many lines as are read in a few milliseconds. */
const atOnce = 2_000;

/**
 * Reads the text of a Prometheus endpoint, as Kong's plugin writes it. Counters of several services, codes or
 * consumers of one route are added up; what is something else is passed over. Of a gateway with thousands of
 * routes there are a hundred thousand lines: others get their turn in between.
 */
export async function gatewayMetrics(
  text: string,
  pause: () => Promise<void>,
): Promise<GatewayMetrics> {
  const found: GatewayMetrics = { routes: new Map(), targets: new Map() };
  let count = 0;
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    takeLine(text.slice(start, end), found);
    start = end + 1;
    count += 1;
    if (count % atOnce === 0) await pause();
  }
  return found;
}

function takeLine(text: string, { routes, targets }: GatewayMetrics): void {
  const match = line.exec(text);
  if (match === null) return;
  const [, name = '', labels = '', number = ''] = match;
  const value = Number(number);
  if (Number.isNaN(value)) return;
  if (name === 'kong_upstream_target_health') takeTarget(labelsOf(labels), value, targets);
  else takeRoute(name, labelsOf(labels), value, routes);
}

function takeRoute(
  name: string,
  { route = '', code = '', le }: Labels,
  value: number,
  found: Map<string, RouteCounters>,
): void {
  if (route === '') return;
  let counters = found.get(route);
  if (counters === undefined) {
    counters = { requests: 0, errors: 0, buckets: new Map() };
    found.set(route, counters);
  }
  if (name === 'kong_http_requests_total') {
    counters.requests += value;
    if (Number(code) >= 500) counters.errors += value;
  } else {
    const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
    counters.buckets.set(bound, (counters.buckets.get(bound) ?? 0) + value);
  }
}

/** A target has a line for each of its addresses and, in some versions, states: that which holds is 1. */
function takeTarget(
  { upstream = '', target = '', address = '', state = '', subsystem = 'http' }: Labels,
  value: number,
  found: Map<string, Map<string, Health>>,
): void {
  if (value !== 1 || upstream === '' || target === '' || subsystem !== 'http') return;
  const health = targetHealth(state);
  // A line without an address tells of a name that could not be looked up.
  if (address === '' && health !== 'degraded') return;
  const known = found.get(upstream) ?? new Map<string, Health>();
  found.set(upstream, known);
  // One address that answers is enough for a target to get requests.
  if (known.get(target) !== 'healthy') known.set(target, health);
}

/** What a gateway calls it, in either case. */
export function targetHealth(state: string): Health {
  const word = state.toUpperCase();
  if (word === 'HEALTHY' || word === 'HEALTHCHECKS_OFF') return 'healthy';
  return word === 'UNHEALTHY' || word === 'DNS_ERROR' ? 'degraded' : 'unknown';
}

type Labels = Readonly<Record<string, string>>;

function labelsOf(text: string): Labels {
  const labels: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(label))
    labels[name] = value.replaceAll(/\\(.)/g, (_, escaped: string) =>
      escaped === 'n' ? '\n' : escaped,
    );
  return labels;
}
