import type { RequestEnd } from '@waygate/kube';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type InformerMetrics, informerMetrics } from '../cache/informer-metrics.ts';
import type { LeaderElectionMetrics } from '../election/leader-election-options.ts';
import { prometheusQueueMetrics } from '../queue/prometheus-queue-metrics.ts';
import type { QueueMetricsProvider } from '../queue/queue-metrics.ts';
import type { ControllerMetrics, ControllerMetricsProvider } from './controller-metrics.ts';

/** Where an API client reports what client-go reports as `rest_client_*`. */
export interface RestClientMetrics {
  /** Give it to a `KubeClient` as `onRequestEnd`. */
  readonly requested: (end: RequestEnd) => void;
}

/** Everything that this room can report, on one registry. */
export interface Metrics {
  readonly registry: Registry;
  readonly queue: QueueMetricsProvider;
  readonly controller: ControllerMetricsProvider;
  readonly informer: InformerMetrics;
  readonly leaderElection: LeaderElectionMetrics;
  readonly restClient: RestClientMetrics;
}

const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const requestBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/**
 * The metrics of a program on one prom-client registry, under the names that client-go and
 * controller-runtime use, so that their dashboards and alerts work unchanged.
 *
 * ```ts
 * const metrics = prometheusMetrics();
 * const client = new KubeClient(await loadConfig(), { onRequestEnd: metrics.restClient.requested });
 * const operator = new Operator({ name: 'widget-operator', client, metrics });
 * await operator.run(signal);
 * console.log(await metrics.registry.metrics());
 * ```
 */
export function prometheusMetrics(
  options: { readonly registry?: Registry; readonly withProcess?: boolean } = {},
): Metrics {
  const registry = options.registry ?? new Registry();
  // prom-client registers process metrics without a timer: they are read when scraped.
  if (options.withProcess) collectDefaultMetrics({ register: registry });
  return {
    registry,
    queue: prometheusQueueMetrics(registry),
    controller: controllerMetrics(registry),
    informer: informerMetrics(registry),
    leaderElection: leaderElectionMetrics(registry),
    restClient: restClientMetrics(registry),
  };
}

function controllerMetrics(registry: Registry): ControllerMetricsProvider {
  const shared = { registers: [registry], labelNames: ['controller'] as const };
  const counter = (name: string, help: string) =>
    new Counter({ ...shared, name: `controller_runtime_${name}`, help });
  const total = new Counter({
    registers: [registry],
    labelNames: ['controller', 'result'] as const,
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciliations, by controller and result',
  });
  const errors = counter('reconcile_errors_total', 'Reconciliations that failed');
  const terminal = counter(
    'terminal_reconcile_errors_total',
    'Reconciliations that failed and are not tried again',
  );
  const panics = counter('reconcile_panics_total', 'Reconciliations that failed by a bug');
  const timeouts = counter('reconcile_timeouts_total', 'Reconciliations that ran out of time');
  const time = new Histogram({
    ...shared,
    buckets: reconcileBuckets,
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Seconds that one reconciliation took',
  });
  const active = new Gauge({
    ...shared,
    name: 'controller_runtime_active_workers',
    help: 'Workers that reconcile right now',
  });
  const most = new Gauge({
    ...shared,
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Workers that a controller has',
  });
  return {
    metricsOf(controller): ControllerMetrics {
      const labels = { controller };
      const results = {
        success: total.labels({ controller, result: 'success' }),
        error: total.labels({ controller, result: 'error' }),
        requeue: total.labels({ controller, result: 'requeue' }),
        requeue_after: total.labels({ controller, result: 'requeue_after' }),
      };
      const [failed, gaveUp, broke, late] = [errors, terminal, panics, timeouts].map((each) =>
        each.labels(labels),
      ) as [Counter.Internal, Counter.Internal, Counter.Internal, Counter.Internal];
      const workers = active.labels(labels);
      const duration = time.labels(labels);
      // A rate needs its first sample: every series is there, at zero, from the start.
      for (const each of [...Object.values(results), failed, gaveUp, broke, late]) each.inc(0);
      workers.set(0);
      return {
        reconciled(result, seconds) {
          results[result].inc();
          duration.observe(seconds);
        },
        error: () => failed.inc(),
        terminalError: () => gaveUp.inc(),
        panic: () => broke.inc(),
        timeout: () => late.inc(),
        activeWorkers: (change) => workers.inc(change),
        maxConcurrentReconciles: (count) => most.labels(labels).set(count),
      };
    },
  };
}

function leaderElectionMetrics(registry: Registry): LeaderElectionMetrics {
  const shared = { registers: [registry], labelNames: ['name'] as const };
  const status = new Gauge({
    ...shared,
    name: 'leader_election_master_status',
    help: 'Whether this process leads: 1, or 0 while it is a candidate',
  });
  const slowpath = new Counter({
    ...shared,
    name: 'leader_election_slowpath_total',
    help: 'Renewals that had to read the lease first',
  });
  return {
    leaderOn: (name) => status.labels({ name }).set(1),
    leaderOff: (name) => status.labels({ name }).set(0),
    slowpathExercised: (name) => slowpath.labels({ name }).inc(),
  };
}

function restClientMetrics(registry: Registry): RestClientMetrics {
  const requests = new Counter({
    registers: [registry],
    labelNames: ['code', 'method', 'host'] as const,
    name: 'rest_client_requests_total',
    help: 'Calls on the Kubernetes API, by status, method and host',
  });
  const latency = new Histogram({
    registers: [registry],
    labelNames: ['verb', 'host'] as const,
    buckets: requestBuckets,
    name: 'rest_client_request_duration_seconds',
    help: 'Seconds that a call on the Kubernetes API took',
  });
  return {
    requested({ method, host, statusCode, durationMs }) {
      // client-go's word for a call that got no answer.
      const code = statusCode === undefined ? '<error>' : String(statusCode);
      requests.labels({ code, method, host }).inc();
      latency.labels({ verb: method, host }).observe(durationMs / 1000);
    },
  };
}
