import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { QueueMetrics, QueueMetricsProvider } from './queue-metrics.ts';

/** Ten powers of ten from 10 ns, as client-go's buckets. */
const buckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];

/**
 * Reports queues to a prom-client registry under client-go's names, with the label `name`.
 *
 * ```ts
 * const provider = prometheusQueueMetrics(prometheusMetrics().registry);
 * const queue = new RateLimitingQueue<string>({ name: 'widgets', metricsProvider: provider });
 * ```
 */
export function prometheusQueueMetrics(registry: Registry): QueueMetricsProvider {
  const shared = { registers: [registry], labelNames: ['name', 'controller'] as const };
  const depth = new Gauge({ ...shared, name: 'workqueue_depth', help: 'Items that wait' });
  const adds = new Counter({ ...shared, name: 'workqueue_adds_total', help: 'Items added' });
  const latency = new Histogram({
    ...shared,
    buckets,
    name: 'workqueue_queue_duration_seconds',
    help: 'Seconds that an item waited before it was taken',
  });
  const workDuration = new Histogram({
    ...shared,
    buckets,
    name: 'workqueue_work_duration_seconds',
    help: 'Seconds that work on an item took',
  });
  const unfinished = new Gauge({
    ...shared,
    name: 'workqueue_unfinished_work_seconds',
    help: 'Seconds of work in progress, summed over items; growth means stuck workers',
  });
  const longest = new Gauge({
    ...shared,
    name: 'workqueue_longest_running_processor_seconds',
    help: 'Seconds that the item longest in work has been worked on',
  });
  const retries = new Counter({ ...shared, name: 'workqueue_retries_total', help: 'Retries' });
  return {
    metricsOf(queueName: string): QueueMetrics {
      const labels = { name: queueName, controller: queueName };
      const gauge = depth.labels(labels);
      const added = adds.labels(labels);
      const retried = retries.labels(labels);
      return {
        depth: { increment: () => gauge.inc(), decrement: () => gauge.dec() },
        adds: { increment: () => added.inc() },
        latency: latency.labels(labels),
        workDuration: workDuration.labels(labels),
        unfinishedWorkSeconds: unfinished.labels(labels),
        longestRunningProcessorSeconds: longest.labels(labels),
        retries: { increment: () => retried.inc() },
      };
    },
  };
}
