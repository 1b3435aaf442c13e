import type { KubeClient } from '@waygate/kube';
import {
  type Clock,
  type Controller,
  type EventRecorder,
  type Metrics,
  type Rival,
  RivalLeases,
  RivalWriters,
  rivalText,
} from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { Gauge } from 'prom-client';
import { durationMs } from './interval.ts';
import type { OwnObjects } from './own-objects.ts';

/** The controllers of this room that have a counterpart in Flux. */
type Part = 'source' | 'kustomize' | 'helm' | 'notification';

/** The Leases of Flux' controllers, each with what it would do in our place. */
const leaseNames: ReadonlyMap<string, Part> = new Map([
  ['source-controller-leader-election', 'source'],
  ['kustomize-controller-leader-election', 'kustomize'],
  ['helm-controller-leader-election', 'helm'],
  ['notification-controller-leader-election', 'notification'],
]);

/** What another replica of ours wrote before we led may be seen for so long. */
const settlingMs = 10_000;

interface StandingAsideOptions {
  readonly client: KubeClient;
  readonly parts: readonly Part[];
  /** Only Leases of this namespace, for controllers that act only there. */
  readonly namespace?: string | undefined;
  /** Whether this process acts only while it holds a Lease; when it got it, and whether it has it. */
  readonly isElected: boolean;
  readonly elected: Promise<void>;
  readonly isLeading: () => boolean;
  /** Which objects are ours, when they are shared out among several controllers. */
  readonly isOurs: (object: KubeObject) => boolean;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly events: () => EventRecorder;
  /** Told of each part that stands aside, and of each that takes over. */
  readonly onChange?: ((part: string, rival: Rival | undefined) => void) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Keeps controllers from acting on kinds while Flux' do: two that write the same objects undo each
 * other's work. Caches stay full meanwhile, so that the take-over costs nothing.
 */
export class StandingAside {
  readonly leases: RivalLeases<Part>;
  readonly #writers: RivalWriters<Part>;
  readonly #options: StandingAsideOptions;
  /** All objects that each part answers for, of every kind. */
  readonly #objects = new Map<Part, (() => readonly KubeObject[])[]>();
  #settledMs = Number.POSITIVE_INFINITY;
  /** When the holder of a Lease was last seen to leave. */
  readonly #leftMs = new Map<Part, number>();

  constructor(options: StandingAsideOptions) {
    const { parts, metrics, clock } = options;
    this.#options = options;
    const names = new Map([...leaseNames].filter(([, part]) => parts.includes(part)));
    this.leases = new RivalLeases({
      client: options.client,
      names,
      namespace: options.namespace,
      clock,
      onError: options.onError,
      onChange: (part, rival) => {
        // Who is still seen to write has not left with its Lease.
        this.#tell(part, rival ?? this.#writers.of(part));
        if (rival === undefined) {
          this.#leftMs.set(part, clock.monotonicMs());
          return;
        }
        const [namespace = '', name = ''] = rival.lease.split('/');
        const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
        this.#warn(lease, part, rival);
      },
    });
    this.#writers = new RivalWriters({
      threshold: options.isElected ? 4 : 2,
      namespaces: (part) => this.#namespacesOf(part),
      clock,
      onChange: (part, rival) => {
        if (this.leases.of(part) === undefined) this.#tell(part, rival);
      },
    });
    void options.elected.then(() => {
      // Where nobody is elected there is none who led before.
      this.#settledMs = options.isElected ? clock.monotonicMs() + settlingMs : 0;
    });
    standingAsideGauge(metrics, parts, (part) => !this.isFree(part));
  }

  /** Whether a part may act now. */
  isFree(part: string): boolean {
    return this.#rivalOf(part as Part) === undefined;
  }

  /** Why nothing at all is done here; undefined when something is. */
  get reason(): string | undefined {
    const { parts } = this.#options;
    const held = parts.flatMap((part) => {
      const rival = this.#rivalOf(part);
      return rival === undefined ? [] : [standingAsideText(part, rival)];
    });
    return held.length > 0 && held.length === parts.length ? held.join('; ') : undefined;
  }

  /** Looks at who writes the statuses of these objects, and has all looked at when others are gone. */
  follows<T extends KubeObject>(
    part: string,
    controller: Pick<Controller, 'enqueue'>,
    { informer, authors }: OwnObjects<T>,
  ): void {
    const wake = (changed: Part) => {
      if (changed !== part || !this.isFree(part)) return;
      for (const key of informer.indexer.listKeys()) controller.enqueue(key);
    };
    this.leases.onChange(wake);
    this.#writers.onChange(wake);
    const lists = this.#objects.get(part as Part) ?? [];
    this.#objects.set(part as Part, [...lists, () => informer.indexer.list()]);
    authors.onForeign((object, manager) => this.#sawStatus(part as Part, object, manager));
  }

  /** In how many namespaces there is something that is reconciled. */
  #namespacesOf(part: Part): number {
    const objects = (this.#objects.get(part) ?? []).flatMap((list) => list());
    const active = objects.filter((object) => this.#options.isOurs(object) && !isSuspended(object));
    return new Set(active.map(({ metadata }) => metadata.namespace)).size;
  }

  #rivalOf(part: Part): Rival | undefined {
    return this.leases.of(part) ?? this.#writers.of(part);
  }

  #sawStatus(part: Part, object: KubeObject, manager: string): void {
    const { clock, isLeading, isOurs } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs < this.#settledMs || !isLeading() || !isOurs(object)) return;
    // Who holds a Lease is known by it, and is gone with it: what it wrote until then, which may be seen a little
    // later, would keep us from acting for as long as it may stay silent, which is two intervals.
    const leftMs = this.#leftMs.get(part);
    const isOfHolder = leftMs !== undefined && nowMs < leftMs + settlingMs;
    if (isOfHolder || this.leases.of(part) !== undefined) return;
    const { kind = '', metadata } = object;
    const name = `${kind} ${metadata.namespace}/${metadata.name}`;
    const before = this.#writers.of(part);
    const { namespace = '' } = metadata;
    this.#writers.saw(part, { manager, object: name, namespace, holdMs: holdMsOf(object) });
    const rival = this.#writers.of(part);
    if (before === undefined && rival !== undefined) this.#warn(object, part, rival);
  }

  #tell(part: Part, rival: Rival | undefined): void {
    this.#options.onChange?.(part, rival);
  }

  #warn(about: Parameters<EventRecorder['event']>[0], part: Part, rival: Rival): void {
    const text = standingAsideText(part, rival);
    this.#options.events().event(about, 'Warning', 'StandingAside', text);
  }
}

function isSuspended(object: KubeObject): boolean {
  return (object as { spec?: { suspend?: boolean } }).spec?.suspend === true;
}

/** Who writes an object at each of its intervals is gone when it missed one. */
function holdMsOf(object: KubeObject): number {
  const { spec } = object as { spec?: { interval?: string } };
  const intervalMs = durationMs(spec?.interval, 300_000);
  return Math.min(Math.max(2 * intervalMs, 60_000), 3_600_000);
}

/**
 * Shows which controllers stand aside.
 *
 * ```ts
 * const metrics = prometheusMetrics();
 * standingAsideGauge(metrics, ['kustomize-controller'], () => true);
 * (await metrics.registry.metrics()).includes('kustomize-controller'); // true
 * ```
 */
export function standingAsideGauge(
  { registry }: Pick<Metrics, 'registry'>,
  parts: readonly string[],
  isAside: (part: string) => boolean,
): void {
  new Gauge({
    registers: [registry],
    name: 'waygate_standing_aside',
    help: '1 for a controller that does not act because another one does',
    labelNames: ['controller'],
    collect() {
      for (const controller of parts) this.set({ controller }, isAside(controller) ? 1 : 0);
    },
  });
}

/** Why a part does nothing, and what ends that. */
function standingAsideText(part: string, rival: Rival): string {
  return `${part} stands aside: ${rivalText(rival)} and acts on the same kinds. It takes over when that one stops; --act-beside-others does not wait`;
}
