import {
  deletionHandlingMetaNamespaceKey,
  type Metrics,
  type Reconcile,
  type SharedInformer,
} from '@waygate/runtime';
import type { Kind, KubeObject } from '@waygate/schema';
import { Gauge, Histogram } from 'prom-client';
import type { Condition } from './api/conditions.ts';

/** What the metrics read of an object of any of these kinds. */
interface Reconciled extends KubeObject {
  spec?: { suspend?: boolean; url?: string; endpoint?: string; path?: string };
  status?: {
    conditions?: Condition[];
    artifact?: { revision?: string };
    lastAppliedRevision?: string;
    lastAttemptedRevision?: string;
  };
}

interface Followed {
  readonly kind: Kind<KubeObject>;
  readonly list: () => readonly KubeObject[];
}

/** Ten steps from 10 ms to half an hour, as Flux has them. */
const durationBuckets = Array.from({ length: 10 }, (_one, index) => 0.01 * 180_000 ** (index / 9));

const statuses = ['True', 'False', 'Unknown'] as const;

/**
 * The `gotk_*` metrics under Flux' names, so that its dashboards and alerts work unchanged. How
 * objects are is read from the caches when somebody asks: there is nothing to keep in step, and what
 * is gone shows no more.
 *
 * ```ts
 * const operator = new Operator({ name: 'kustomize-controller', client });
 * const informer = operator.informerFor(kinds.Pod);
 * const gotk = new ReconcileMetrics(operator.metrics);
 * const reconcile = gotk.timed(kinds.Pod, informer, async (key) => console.log(key));
 * operator.addController({ name: 'pod', sources: [informerSource(informer)], reconcile });
 * ```
 */
export class ReconcileMetrics {
  readonly #duration: Histogram<'kind' | 'name' | 'namespace'>;
  readonly #followed: Followed[] = [];
  readonly #now: () => number;

  constructor(
    { registry }: Pick<Metrics, 'registry'>,
    now: () => number = () => performance.now(),
  ) {
    this.#now = now;
    this.#duration = new Histogram({
      registers: [registry],
      name: 'gotk_reconcile_duration_seconds',
      help: 'Seconds that one reconciliation of an object took',
      labelNames: ['kind', 'name', 'namespace'],
      buckets: durationBuckets,
    });
    const followed = this.#followed;
    new Gauge({
      registers: [registry],
      name: 'gotk_reconcile_condition',
      help: 'The Ready condition of an object: 1 for the status that it has',
      labelNames: ['kind', 'name', 'namespace', 'type', 'status'],
      collect() {
        this.reset();
        for (const { kind, object } of objectsOf(followed)) {
          const { namespace = '', name = '' } = object.metadata;
          const status = readyOf(object);
          for (const one of statuses) {
            const labels = { kind: kind.kind, name, namespace, type: 'Ready', status: one };
            this.set(labels, one === status ? 1 : 0);
          }
        }
      },
    });
    new Gauge({
      registers: [registry],
      name: 'gotk_suspend_status',
      help: '1 for an object that is suspended',
      labelNames: ['kind', 'name', 'namespace'],
      collect() {
        this.reset();
        for (const { kind, object } of objectsOf(followed)) {
          const { namespace = '', name = '' } = object.metadata;
          this.set({ kind: kind.kind, name, namespace }, object.spec?.suspend === true ? 1 : 0);
        }
      },
    });
    new Gauge({
      registers: [registry],
      name: 'gotk_resource_info',
      help: 'What an object is and how it is; always 1',
      labelNames: [...infoLabels],
      collect() {
        this.reset();
        for (const { kind, object } of objectsOf(followed)) this.set(infoOf(kind, object), 1);
      },
    });
  }

  /** A reconciliation that is timed, of objects that are shown; all ends with the object. */
  timed<T extends KubeObject>(
    kind: Kind<T>,
    informer: SharedInformer<T>,
    reconcile: Reconcile<string>,
  ): Reconcile<string> {
    this.#followed.push({ kind, list: () => informer.indexer.list() });
    informer.addEventHandler({
      onDelete: (deleted) => {
        this.#duration.remove(labelsOf(kind, deletionHandlingMetaNamespaceKey(deleted)));
      },
    });
    return async (key, context) => {
      const start = this.#now();
      try {
        return await reconcile(key, context);
      } finally {
        if (informer.indexer.getByKey(key) !== undefined) {
          this.#duration.observe(labelsOf(kind, key), (this.#now() - start) / 1000);
        }
      }
    };
  }
}

const infoLabels = [
  'customresource_group',
  'customresource_version',
  'customresource_kind',
  'exported_namespace',
  'name',
  'ready',
  'suspended',
  'revision',
  'url',
] as const;

function infoOf(
  kind: Kind<KubeObject>,
  object: Reconciled,
): Record<(typeof infoLabels)[number], string> {
  const { namespace = '', name = '' } = object.metadata;
  const { spec, status } = object;
  return {
    customresource_group: kind.group,
    customresource_version: kind.version,
    customresource_kind: kind.kind,
    exported_namespace: namespace,
    name,
    ready: readyOf(object),
    suspended: String(spec?.suspend === true),
    revision:
      status?.artifact?.revision ??
      status?.lastAppliedRevision ??
      status?.lastAttemptedRevision ??
      '',
    url: withoutUser(spec?.url ?? spec?.endpoint ?? ''),
  };
}

function labelsOf(kind: Kind<KubeObject>, key: string) {
  const [namespace = '', name = ''] = key.split('/');
  return { kind: kind.kind, name, namespace };
}

function* objectsOf(followed: readonly Followed[]) {
  for (const { kind, list } of followed) {
    for (const object of list()) yield { kind, object: object as Reconciled };
  }
}

function readyOf({ status }: Reconciled): string {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'Unknown';
}

/** People put passwords into URLs. */
function withoutUser(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1');
}
