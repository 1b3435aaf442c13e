/** A number that goes up. */
export interface CounterMetric {
  increment(): void;
}

/** A number that goes up and down. */
export interface GaugeMetric extends CounterMetric {
  decrement(): void;
}

/** A number that is set. */
export interface SettableGaugeMetric {
  set(value: number): void;
}

/** A distribution of observed values. */
export interface HistogramMetric {
  observe(value: number): void;
}

/**
 * What one queue reports. Times are in seconds. The names on the wire are client-go's
 * `workqueue_*`, which dashboards and alerts already know.
 */
export interface QueueMetrics {
  /** `workqueue_depth`: items that wait. */
  readonly depth: GaugeMetric;
  /** `workqueue_adds_total`: adds that changed something. */
  readonly adds: CounterMetric;
  /** `workqueue_queue_duration_seconds`: from add to get. */
  readonly latency: HistogramMetric;
  /** `workqueue_work_duration_seconds`: from get to done. */
  readonly workDuration: HistogramMetric;
  /** `workqueue_unfinished_work_seconds`: what is being worked on, summed up. Growing means stuck. */
  readonly unfinishedWorkSeconds: SettableGaugeMetric;
  /** `workqueue_longest_running_processor_seconds`. */
  readonly longestRunningProcessorSeconds: SettableGaugeMetric;
  /** `workqueue_retries_total`: delayed adds. */
  readonly retries: CounterMetric;
}

/** Makes the metrics of a queue by its name. A queue without a name reports nothing. */
export interface QueueMetricsProvider {
  metricsOf(queueName: string): QueueMetrics;
}
