/** How a reconciliation ended, as its metric has it. */
export type ReconcileLabel = 'success' | 'error' | 'requeue' | 'requeue_after';

/** What one controller reports. The names on the wire are controller-runtime's. */
export interface ControllerMetrics {
  /** `controller_runtime_reconcile_total` and `controller_runtime_reconcile_time_seconds`. */
  reconciled(result: ReconcileLabel, seconds: number): void;
  /** `controller_runtime_reconcile_errors_total`. */
  error(): void;
  /** `controller_runtime_terminal_reconcile_errors_total`: an error that is not tried again. */
  terminalError(): void;
  /** `controller_runtime_reconcile_panics_total`: the code itself is at fault. */
  panic(): void;
  /** `controller_runtime_reconcile_timeouts_total`. */
  timeout(): void;
  /** `controller_runtime_active_workers`. */
  activeWorkers(change: 1 | -1): void;
  /** `controller_runtime_max_concurrent_reconciles`. */
  maxConcurrentReconciles(count: number): void;
}

/** Makes the metrics of a controller by its name. */
export interface ControllerMetricsProvider {
  metricsOf(controllerName: string): ControllerMetrics;
}
