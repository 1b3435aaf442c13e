import { Gauge, type Registry } from 'prom-client';

/** What an informer says of itself. */
export interface ObservedInformer {
  readonly secondsSinceLastEvent: number | undefined;
  readonly indexer: { readonly size: number };
}

/** Where informers report. */
export interface InformerMetrics {
  /** Reports an informer from now on, under the name of what it caches. */
  observe(name: string, informer: ObservedInformer): void;
}

/**
 * Gauges of informers, read when they are scraped. With bookmarks something comes about every minute:
 * an age of several minutes means a watch that nobody noticed has died.
 *
 * ```ts
 * const { registry } = prometheusMetrics();
 * informerMetrics(registry).observe('pods', createInformer(client, kinds.Pod));
 * ```
 */
export function informerMetrics(registry: Registry): InformerMetrics {
  const informers = new Map<string, ObservedInformer>();
  const shared = { registers: [registry], labelNames: ['name'] as const };
  new Gauge({
    ...shared,
    name: 'informer_last_event_age_seconds',
    help: 'Seconds since a list, an event or a bookmark came from the API',
    collect() {
      for (const [name, { secondsSinceLastEvent }] of informers)
        if (secondsSinceLastEvent !== undefined) this.set({ name }, secondsSinceLastEvent);
    },
  });
  new Gauge({
    ...shared,
    name: 'informer_objects',
    help: 'Objects in the cache',
    collect() {
      for (const [name, { indexer }] of informers) this.set({ name }, indexer.size);
    },
  });
  return {
    observe(name, informer) {
      informers.set(name, informer);
    },
  };
}
