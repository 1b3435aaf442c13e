import type { PassReport } from '../controller/configuration-loop.ts';
import { refusalOf } from '../sync/admin-api.ts';
import type { Push } from '../sync/gateway-sync.ts';
import { type Labels, MetricRegistry } from './metric-registry.ts';

const prefix = 'ingress_controller_';
/** Both as Kong Ingress Controller has them, so that its dashboards show the same. */
const pushBuckets = exponential(100, 1.33, 30);
const durationBuckets = exponential(1, 60_000 ** (1 / 29), 30);

/** The controller's metrics under the names that Kong Ingress Controller gives them. */
export class IngressMetrics {
  readonly registry = new MetricRegistry();
  readonly #protocol: string;
  readonly #instance: Labels;

  /** `instanceId` tells replicas apart. */
  constructor(protocol: 'db-less' | 'deck', instanceId: string) {
    this.#protocol = protocol;
    this.#instance = { instance_id: instanceId };
    for (const isFallback of [false, true]) definePushes(this.registry, isFallback);
    this.registry.define(
      `${prefix}fallback_cache_generation_duration_milliseconds`,
      'histogram',
      'How long it took to work out which objects to leave out, in milliseconds.',
      durationBuckets,
    );
    this.registry.define(
      `${prefix}processed_config_snapshot_cache_hit`,
      'counter',
      'Count of passes that found nothing changed.',
    );
    this.registry.define(
      `${prefix}processed_config_snapshot_cache_miss`,
      'counter',
      'Count of passes that had something to translate.',
    );
  }

  /** Counts the translation of a pass; one that leaves rejected objects out is a fallback. */
  pass(report: PassReport, isFallback: boolean): void {
    const { outcome, snapshot, services, changed, translationMs } = report;
    const { registry } = this;
    const name = (rest: string) => `${prefix}${isFallback ? 'fallback_' : ''}${rest}`;
    const problems = snapshot?.problems ?? services.flatMap((service) => [...service.problems]);
    const labels = { success: String(problems.length === 0), ...this.#instance };
    registry.increment(name('translation_count'), labels);
    registry.observe(name('translation_duration_milliseconds'), translationMs, labels);
    const isHit = outcome.kind === 'unchanged' && changed.length === 0;
    registry.increment(
      `${prefix}processed_config_snapshot_cache_${isHit ? 'hit' : 'miss'}`,
      this.#instance,
    );
    if (snapshot === undefined) return;
    const broken = new Set(
      problems.map(({ object }) => `${object.kind} ${object.namespace}/${object.name}`),
    );
    registry.set(name('translation_broken_resource_count'), broken.size, this.#instance);
  }

  /** Counts what one gateway was sent. */
  push(
    { dataplane, durationMs, bytes, brokenCount, error }: Push,
    isFallback: boolean,
    nowMs: number,
  ): void {
    const { registry } = this;
    const name = (rest: string) => `${prefix}${isFallback ? 'fallback_' : ''}${rest}`;
    const place = { dataplane, ...this.#instance };
    const labels = {
      success: String(error === undefined),
      protocol: this.#protocol,
      ...place,
    };
    registry.increment(name('configuration_push_count'), {
      ...labels,
      failure_reason: error === undefined ? '' : reasonOf(error),
    });
    registry.observe(name('configuration_push_duration_milliseconds'), durationMs, labels);
    registry.set(name('configuration_push_broken_resource_count'), brokenCount, place);
    if (bytes !== undefined) registry.set(name('configuration_push_size'), bytes, labels);
    if (error === undefined)
      registry.set(name(lastName(isFallback)), Math.floor(nowMs / 1000), place);
  }

  /** Counts how long it took to leave out what a gateway refused. */
  fallback(durationMs: number): void {
    const labels = { success: 'true', ...this.#instance };
    const name = `${prefix}fallback_cache_generation_duration_milliseconds`;
    this.registry.observe(name, durationMs, labels);
  }
}

function lastName(isFallback: boolean): string {
  return isFallback ? 'configuration_push_last' : 'configuration_push_last_successful';
}

function definePushes(registry: MetricRegistry, isFallback: boolean): void {
  const name = (rest: string) => `${prefix}${isFallback ? 'fallback_' : ''}${rest}`;
  const of = isFallback ? 'fallback ' : '';
  registry.define(
    name('configuration_push_count'),
    'counter',
    `Count of ${of}configuration pushes by success and failure reason.`,
  );
  registry.define(
    name('configuration_push_broken_resource_count'),
    'gauge',
    `Number of resources that the gateway refused in the last ${of}push.`,
  );
  registry.define(
    name(lastName(isFallback)),
    'gauge',
    `Time of the last successful ${of}push, in seconds since the epoch.`,
  );
  registry.define(
    name('configuration_push_size'),
    'gauge',
    `Size in bytes of the last ${of}push; not with a database.`,
  );
  registry.define(
    name('configuration_push_duration_milliseconds'),
    'histogram',
    `How long ${of}pushes took, in milliseconds.`,
    pushBuckets,
  );
  registry.define(name('translation_count'), 'counter', `Count of ${of}translations by success.`);
  registry.define(
    name('translation_broken_resource_count'),
    'gauge',
    `Number of resources that could not be translated in the last ${of}translation.`,
  );
  registry.define(
    name('translation_duration_milliseconds'),
    'histogram',
    `How long ${of}translations took, in milliseconds.`,
    durationBuckets,
  );
}

function exponential(start: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => start * factor ** index);
}

function reasonOf(error: Error): 'conflict' | 'network' | 'other' {
  const status = refusalOf(error)?.status;
  if (status === undefined) return 'network';
  return status === 409 || status === 400 ? 'conflict' : 'other';
}
