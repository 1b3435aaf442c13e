import type { AddressInfo } from 'node:net';
import { type Clock, HealthServer, type MetricsSource } from '@waygate/runtime';
import { AccessReview } from '../metrics/access-review.ts';
import { MetricsServer } from '../metrics/metrics-server.ts';
import type { IngressControllerOptions } from './controller-options.ts';

export interface ProbeServersOptions {
  readonly options: IngressControllerOptions;
  readonly clock: Clock;
  readonly isReady: () => boolean;
  /** What is measured; undefined while there is nothing to measure yet. */
  readonly metrics: () => MetricsSource | undefined;
  readonly onError: (error: unknown) => void;
}

/**
 * Serves health and metrics from the start: who waits for a gateway that does not answer yet is alive
 * and not ready, and a kubelet that hears nothing would end it.
 */
export class ProbeServers {
  readonly #health: HealthServer | undefined;
  readonly #metrics: MetricsServer | undefined;

  constructor({ options, clock, isReady, metrics: measured, onError }: ProbeServersOptions) {
    const { client, health, metrics } = options;
    const source: MetricsSource = {
      get contentType() {
        return measured()?.contentType ?? 'text/plain; version=0.0.4; charset=utf-8';
      },
      metrics: async () => (await measured()?.metrics()) ?? '',
    };
    if (health !== undefined) {
      this.#health = new HealthServer({ ...health, metrics: source, clock });
      this.#health.addReadyCheck('configuration', () => {
        if (!isReady()) throw new Error('the gateways have no configuration yet');
      });
    }
    if (metrics !== undefined)
      this.#metrics = new MetricsServer({
        ...metrics,
        metrics: source,
        access: metrics.isRestricted ? new AccessReview(client, clock) : undefined,
        onError,
      });
  }

  get addresses(): { readonly health?: AddressInfo; readonly metrics?: AddressInfo } {
    const health = this.#health?.address;
    const metrics = this.#metrics?.address;
    return { ...(health && { health }), ...(metrics && { metrics }) };
  }

  async listen(): Promise<void> {
    await this.#health?.listen();
    await this.#metrics?.listen();
  }

  async close(): Promise<void> {
    await this.#metrics?.close();
    await this.#health?.close();
  }
}
