/** What a gateway has counted for a route since it started. */
export interface RouteCounters {
  requests: number;
  /** Answers of 500 and above. */
  errors: number;
  /** Requests that took at most so many milliseconds, by that number; the last is infinite. */
  readonly buckets: Map<number, number>;
}

const line = /^(kong_http_requests_total|kong_request_latency_ms_bucket)\{([^}]*)\} (\S+)/;
const label = /(\w+)="((?:\\.|[^"\\])*)"/g;

/**
 * The counters of each route in the text of a Prometheus endpoint, as Kong's plugin writes it. Counters of
 * several services, codes or consumers of one route are added up; what is something else is passed over.
 */
export function routeCounters(text: string): Map<string, RouteCounters> {
  const found = new Map<string, RouteCounters>();
  for (const each of text.split('\n')) {
    const match = line.exec(each);
    if (match === null) continue;
    const [, name, labels = '', number = ''] = match;
    const { route = '', code = '', le } = labelsOf(labels);
    const value = Number(number);
    if (route === '' || Number.isNaN(value)) continue;
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
  return found;
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(label))
    labels[name] = value.replaceAll(/\\(.)/g, (_, escaped: string) =>
      escaped === 'n' ? '\n' : escaped,
    );
  return labels;
}
