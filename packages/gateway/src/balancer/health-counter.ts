import type { KongActiveHealthcheck, KongPassiveHealthcheck } from '@waygate/kong';

/** What happened to a request or a probe. */
export type HealthEvent =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'tcp-failure' }
  | { readonly kind: 'tcp-success' }
  | { readonly kind: 'timeout' };

type Settings = KongActiveHealthcheck | KongPassiveHealthcheck;

/**
 * Counts what happens to one address and says when that makes it healthy or unhealthy. Successes and
 * failures in a row count; each kind of failure has its own count. A threshold of 0 turns a count off.
 */
export class HealthCounter {
  #successes = 0;
  #httpFailures = 0;
  #tcpFailures = 0;
  #timeouts = 0;

  /** True or false if the address is now healthy or unhealthy, undefined if nothing follows. */
  record(settings: Settings, event: HealthEvent): boolean | undefined {
    const { healthy, unhealthy } = settings;
    switch (event.kind) {
      case 'status':
        if (healthy?.http_statuses?.includes(event.status)) return this.#succeed(healthy.successes);
        if (unhealthy?.http_statuses?.includes(event.status)) {
          this.#httpFailures += 1;
          return this.#failed(this.#httpFailures, unhealthy.http_failures);
        }
        return undefined;
      case 'tcp-success':
        return this.#succeed(healthy?.successes);
      case 'tcp-failure':
        this.#tcpFailures += 1;
        return this.#failed(this.#tcpFailures, unhealthy?.tcp_failures);
      case 'timeout':
        this.#timeouts += 1;
        return this.#failed(this.#timeouts, unhealthy?.timeouts);
    }
  }

  /** Whether a success would change anything. */
  get hasFailures(): boolean {
    return this.#httpFailures + this.#tcpFailures + this.#timeouts > 0;
  }

  reset(): void {
    this.#successes = 0;
    this.#clearFailures();
  }

  #succeed(threshold: number | undefined): boolean | undefined {
    this.#clearFailures();
    this.#successes += 1;
    return threshold !== undefined && threshold > 0 && this.#successes >= threshold
      ? true
      : undefined;
  }

  #failed(count: number, threshold: number | undefined): boolean | undefined {
    this.#successes = 0;
    return threshold !== undefined && threshold > 0 && count >= threshold ? false : undefined;
  }

  #clearFailures(): void {
    this.#httpFailures = 0;
    this.#tcpFailures = 0;
    this.#timeouts = 0;
  }
}
