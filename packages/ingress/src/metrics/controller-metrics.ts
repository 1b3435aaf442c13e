import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { refusalOf } from '../sync/admin-api.ts';
import type { Push } from '../sync/gateway-sync.ts';
import type { PassReport } from '../sync/pass-report.ts';

const prefix = 'ingress_controller_';
/** Both as Kong Ingress Controller has them, so that its dashboards show the same. */
const pushBuckets = exponential(100, 1.33, 30);
const durationBuckets = exponential(1, 60_000 ** (1 / 29), 30);

const ofInstance = ['instance_id'] as const;
const ofPlace = ['dataplane', ...ofInstance] as const;
const ofPush = ['success', 'protocol', ...ofPlace] as const;
const ofSuccess = ['success', ...ofInstance] as const;

/**
 * The controller's metrics under the names that Kong Ingress Controller gives them.
 *
 * ```ts
 * const { registry } = prometheusMetrics();
 * new IngressMetrics(registry, 'db-less', 'pod-1').fallback(12);
 * (await registry.metrics()).includes('fallback'); // true
 * ```
 */
export class IngressMetrics {
  readonly #protocol: string;
  readonly #instance: { readonly instance_id: string };
  readonly #ordinary: PushMetrics;
  readonly #fallback: PushMetrics;
  readonly #fallbackDuration: Histogram<(typeof ofSuccess)[number]>;
  readonly #hits: Counter<'instance_id'>;
  readonly #misses: Counter<'instance_id'>;

  /** `instanceId` tells replicas apart. */
  constructor(registry: Registry, protocol: 'db-less' | 'deck', instanceId: string) {
    this.#protocol = protocol;
    this.#instance = { instance_id: instanceId };
    this.#ordinary = pushMetrics(registry, false);
    this.#fallback = pushMetrics(registry, true);
    const registers = [registry];
    this.#fallbackDuration = new Histogram({
      registers,
      name: `${prefix}fallback_cache_generation_duration_milliseconds`,
      help: 'How long it took to work out which objects to leave out, in milliseconds.',
      labelNames: ofSuccess,
      buckets: durationBuckets,
    });
    this.#hits = new Counter({
      registers,
      name: `${prefix}processed_config_snapshot_cache_hit`,
      help: 'Count of passes that found nothing changed.',
      labelNames: ofInstance,
    });
    this.#misses = new Counter({
      registers,
      name: `${prefix}processed_config_snapshot_cache_miss`,
      help: 'Count of passes that had something to translate.',
      labelNames: ofInstance,
    });
  }

  /** Counts the translation of a pass; one that leaves rejected objects out is a fallback. */
  pass(report: PassReport, isFallback: boolean): void {
    const { outcome, snapshot, services, changed, translationMs } = report;
    const metrics = isFallback ? this.#fallback : this.#ordinary;
    const problems = snapshot?.problems ?? services.flatMap((service) => [...service.problems]);
    const labels = { success: String(problems.length === 0), ...this.#instance };
    metrics.translations.inc(labels);
    metrics.translationDuration.observe(labels, translationMs);
    const isHit = outcome.kind === 'unchanged' && changed.length === 0;
    (isHit ? this.#hits : this.#misses).inc(this.#instance);
    if (snapshot === undefined) return;
    const broken = new Set(
      problems.map(({ object }) => `${object.kind} ${object.namespace}/${object.name}`),
    );
    metrics.brokenInTranslation.set(this.#instance, broken.size);
  }

  /** Counts what one gateway was sent. */
  push(
    { dataplane, durationMs, bytes, brokenCount, error }: Push,
    isFallback: boolean,
    nowMs: number,
  ): void {
    const metrics = isFallback ? this.#fallback : this.#ordinary;
    const place = { dataplane, ...this.#instance };
    const isGood = error === undefined;
    const labels = { success: String(isGood), protocol: this.#protocol, ...place };
    metrics.pushes.inc({ ...labels, failure_reason: isGood ? '' : reasonOf(error) });
    metrics.pushDuration.observe(labels, durationMs);
    metrics.brokenInPush.set(place, brokenCount);
    if (bytes !== undefined) metrics.pushSize.set(labels, bytes);
    if (isGood) metrics.lastPush.set(place, Math.floor(nowMs / 1000));
  }

  /** Counts how long it took to leave out what a gateway refused. */
  fallback(durationMs: number): void {
    this.#fallbackDuration.observe({ success: 'true', ...this.#instance }, durationMs);
  }
}

type PushMetrics = ReturnType<typeof pushMetrics>;

function pushMetrics(registry: Registry, isFallback: boolean) {
  const of = isFallback ? 'fallback ' : '';
  const named = <const Label extends string>(
    rest: string,
    labelNames: readonly Label[],
    help: string,
  ) => {
    const name = `${prefix}${isFallback ? 'fallback_' : ''}${rest}`;
    return { registers: [registry], name, labelNames, help };
  };
  const push = (rest: string) => `configuration_push_${rest}`;
  const lastName = push(isFallback ? 'last' : 'last_successful');
  const countLabels = [...ofPush, 'failure_reason'] as const;
  return {
    pushes: new Counter(
      named(
        push('count'),
        countLabels,
        `Count of ${of}configuration pushes by success and failure reason.`,
      ),
    ),
    brokenInPush: new Gauge(
      named(
        push('broken_resource_count'),
        ofPlace,
        `Number of resources that the gateway refused in the last ${of}push.`,
      ),
    ),
    lastPush: new Gauge(
      named(
        lastName,
        ofPlace,
        `Time of the last successful ${of}push, in seconds since the epoch.`,
      ),
    ),
    pushSize: new Gauge(
      named(push('size'), ofPush, `Size in bytes of the last ${of}push; not with a database.`),
    ),
    pushDuration: new Histogram({
      ...named(
        push('duration_milliseconds'),
        ofPush,
        `How long ${of}pushes took, in milliseconds.`,
      ),
      buckets: pushBuckets,
    }),
    translations: new Counter(
      named('translation_count', ofSuccess, `Count of ${of}translations by success.`),
    ),
    brokenInTranslation: new Gauge(
      named(
        'translation_broken_resource_count',
        ofInstance,
        `Number of resources that could not be translated in the last ${of}translation.`,
      ),
    ),
    translationDuration: new Histogram({
      ...named(
        'translation_duration_milliseconds',
        ofSuccess,
        `How long ${of}translations took, in milliseconds.`,
      ),
      buckets: durationBuckets,
    }),
  };
}

function exponential(start: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => start * factor ** index);
}

function reasonOf(error: Error): 'conflict' | 'network' | 'other' {
  const status = refusalOf(error)?.status;
  if (status === undefined) return 'network';
  return status === 409 || status === 400 ? 'conflict' : 'other';
}
