import type { PassReport } from '../controller/configuration-loop.ts';
import { refusalOf } from '../sync/admin-api.ts';
import { MetricRegistry } from './metric-registry.ts';

const prefix = 'ingress_controller_';
const pushBuckets = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200];
const translationBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];

/** The controller's metrics under the names that Kong Ingress Controller gives them. */
export class IngressMetrics {
  readonly registry = new MetricRegistry();
  readonly #protocol: string;
  readonly #dataplane: () => string;

  constructor(protocol: 'db-less' | 'deck', dataplane: () => string) {
    this.#protocol = protocol;
    this.#dataplane = dataplane;
    const { registry } = this;
    for (const kind of ['', 'fallback_']) {
      const name = (rest: string) => `${prefix}${kind}${rest}`;
      const of = kind === '' ? '' : 'fallback ';
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
        name(kind === '' ? 'configuration_push_last_successful' : 'configuration_push_last'),
        'gauge',
        `Time of the last successful ${of}push, in seconds since the epoch.`,
      );
      registry.define(
        name('configuration_push_size'),
        'gauge',
        `Size in bytes of the last successful ${of}push.`,
      );
      registry.define(
        name('configuration_push_duration_milliseconds'),
        'histogram',
        `How long ${of}pushes took, in milliseconds.`,
        pushBuckets,
      );
      registry.define(
        name('translation_count'),
        'counter',
        `Count of ${of}translations by success.`,
      );
      registry.define(
        name('translation_broken_resource_count'),
        'gauge',
        `Number of resources that could not be translated in the last ${of}translation.`,
      );
      registry.define(
        name('translation_duration_milliseconds'),
        'histogram',
        `How long ${of}translations took, in milliseconds.`,
        translationBuckets,
      );
    }
  }

  /** Counts a pass; one that leaves rejected objects out is a fallback. */
  pass(
    { outcome, snapshot, rejected, translationMs, syncMs }: PassReport,
    isFallback: boolean,
    nowMs: number,
  ): void {
    const { registry } = this;
    const name = (rest: string) => `${prefix}${isFallback ? 'fallback_' : ''}${rest}`;
    const dataplane = { dataplane: this.#dataplane() };
    const translated = { success: 'true' };
    registry.increment(name('translation_count'), translated);
    registry.observe(name('translation_duration_milliseconds'), translationMs, translated);
    if (snapshot !== undefined) {
      const broken = new Set(
        snapshot.problems.map(({ object }) => `${object.kind} ${object.namespace}/${object.name}`),
      );
      registry.set(name('translation_broken_resource_count'), broken.size);
    }
    if (outcome.kind === 'unchanged') return;
    const isSuccess = outcome.kind === 'applied';
    const labels = { success: String(isSuccess), protocol: this.#protocol, ...dataplane };
    registry.increment(name('configuration_push_count'), {
      ...labels,
      failure_reason: isSuccess ? '' : reasonOf(outcome.error),
    });
    registry.observe(name('configuration_push_duration_milliseconds'), syncMs, labels);
    registry.set(name('configuration_push_broken_resource_count'), rejected.length, dataplane);
    if (!isSuccess) return;
    const last = isFallback ? 'configuration_push_last' : 'configuration_push_last_successful';
    registry.set(name(last), Math.floor(nowMs / 1000), dataplane);
    registry.set(name('configuration_push_size'), outcome.bytes, dataplane);
  }
}

function reasonOf(error: Error): 'conflict' | 'network' | 'other' {
  const status = refusalOf(error)?.status;
  if (status === undefined) return 'network';
  return status === 409 || status === 400 ? 'conflict' : 'other';
}
