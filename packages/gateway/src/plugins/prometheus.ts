import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';

interface Config {
  readonly per_consumer: boolean;
  readonly status_code_metrics: boolean;
  readonly latency_metrics: boolean;
  readonly bandwidth_metrics: boolean;
  readonly upstream_health_metrics: boolean;
}

/** Counts requests for `/metrics`. */
export function prometheus(metrics: GatewayMetrics): AnyPlugin {
  return definePlugin<Config>({
    name: 'prometheus',
    priority: 13,
    log(context, config) {
      metrics.areTargetsShown ||= config.upstream_health_metrics;
      metrics.observeRequest(context, {
        perConsumer: config.per_consumer,
        statusCodes: config.status_code_metrics,
        latency: config.latency_metrics,
        bandwidth: config.bandwidth_metrics,
      });
    },
  });
}
