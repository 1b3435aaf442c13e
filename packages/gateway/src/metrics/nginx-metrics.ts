import {
  CounterFamily,
  type CounterSeries,
  HistogramFamily,
  type HistogramSeries,
  labelText,
} from './metric-family.ts';

/** The labels of ingress-nginx' metrics, in the order in which they stand. */
interface NginxLabels {
  readonly canary: string;
  readonly controller_class: string;
  readonly controller_namespace: string;
  readonly controller_pod: string;
  readonly host?: string;
  readonly ingress: string;
  readonly method: string;
  readonly namespace: string;
  readonly path: string;
  readonly service: string;
  readonly status: string;
}

/** What one request came to, in seconds and bytes. */
interface NginxObservation {
  readonly requestSeconds: number;
  readonly requestBytes: number;
  readonly sentBytes: number;
  /** Undefined when no upstream answered. */
  readonly upstream:
    | { readonly connectSeconds: number; readonly headSeconds: number; readonly seconds: number }
    | undefined;
}

const histograms = [
  'bytesSent',
  'connect',
  'header',
  'request',
  'requestSize',
  'response',
  'responseSize',
] as const;

/** The controller that asked for the numbers. */
export type NginxPlace = Pick<
  NginxLabels,
  'controller_class' | 'controller_namespace' | 'controller_pod'
>;

/** The numbers of one process as plain data. */
export interface NginxSeries {
  /** Undefined until something was counted. */
  readonly place?: NginxPlace | undefined;
  readonly requests: CounterSeries;
  readonly histograms: Readonly<Record<(typeof histograms)[number], HistogramSeries>>;
}

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const lengths = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
const sizes = [10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const prefix = 'nginx_ingress_controller_';
const digits = 6;

/** Requests counted under the names of ingress-nginx, so that dashboards and alerts for it live on. */
export class NginxMetrics {
  readonly #requests = new CounterFamily(
    `${prefix}requests`,
    'The total number of client requests',
  );
  readonly #histograms = {
    bytesSent: family('bytes_sent', 'The number of bytes sent to a client', sizes),
    connect: family('connect_duration_seconds', 'The time spent on connecting upstream', seconds),
    header: family(
      'header_duration_seconds',
      'The time until the first header of the upstream',
      seconds,
    ),
    request: family('request_duration_seconds', 'The time of a request in all', seconds),
    requestSize: family('request_size', 'The length of requests', lengths),
    response: family(
      'response_duration_seconds',
      'The time spent on receiving the answer of the upstream',
      seconds,
    ),
    responseSize: family('response_size', 'The length of answers', lengths),
  };

  #place: NginxPlace | undefined;

  get place(): NginxPlace | undefined {
    return this.#place;
  }

  observe(labels: NginxLabels, seen: NginxObservation): void {
    const { controller_class, controller_namespace, controller_pod } = labels;
    this.#place = { controller_class, controller_namespace, controller_pod };
    const key = labelText({ ...labels });
    this.#requests.cell(key).value += 1;
    this.#add('request', key, seen.requestSeconds);
    this.#add('requestSize', key, seen.requestBytes);
    this.#add('bytesSent', key, seen.sentBytes);
    this.#add('responseSize', key, seen.sentBytes);
    if (seen.upstream !== undefined) {
      this.#add('connect', key, seen.upstream.connectSeconds);
      this.#add('header', key, seen.upstream.headSeconds);
      this.#add('response', key, seen.upstream.seconds);
    }
  }

  series(): NginxSeries {
    const all = histograms.map((name) => [name, this.#histograms[name].series()]);
    return {
      place: this.#place,
      requests: this.#requests.series(),
      histograms: Object.fromEntries(all) as NginxSeries['histograms'],
    };
  }

  merge({ requests, histograms: from, place }: NginxSeries): void {
    this.#place ??= place;
    this.#requests.merge(requests);
    for (const name of histograms) this.#histograms[name].merge(from[name]);
  }

  render(): string {
    return [
      this.#requests.render(),
      ...histograms.map((name) => this.#histograms[name].render()),
    ].join('');
  }

  #add(name: (typeof histograms)[number], key: string, value: number): void {
    const one = this.#histograms[name];
    one.observe(one.cell(key), value);
  }
}

/** Two of them as one. */
export function addNginxSeries(one: NginxSeries, two: NginxSeries): NginxSeries {
  const sum = new NginxMetrics();
  sum.merge(one);
  sum.merge(two);
  return sum.series();
}

function family(name: string, help: string, buckets: readonly number[]): HistogramFamily {
  return new HistogramFamily(`${prefix}${name}`, help, buckets, digits);
}
