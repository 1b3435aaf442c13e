import type { KubeClient } from '@waygate/kube';
import {
  type Clock,
  type Controller,
  type EventRecorder,
  type Metrics,
  type Rival,
  RivalLeases,
  type SharedInformer,
} from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { Gauge } from 'prom-client';

/** The controllers of this room that have a counterpart in Flux. */
type Part = 'source' | 'kustomize' | 'helm' | 'notification';

/** The Leases of Flux' controllers, each with what it would do in our place. */
const leaseNames: ReadonlyMap<string, Part> = new Map([
  ['source-controller-leader-election', 'source'],
  ['kustomize-controller-leader-election', 'kustomize'],
  ['helm-controller-leader-election', 'helm'],
  ['notification-controller-leader-election', 'notification'],
]);

interface StandingAsideOptions {
  readonly client: KubeClient;
  readonly parts: readonly Part[];
  /** Only Leases of this namespace, for controllers that act only there. */
  readonly namespace?: string | undefined;
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
  readonly rivals: RivalLeases<Part>;
  readonly #parts: readonly Part[];

  constructor(options: StandingAsideOptions) {
    const { parts, metrics, events } = options;
    this.#parts = parts;
    const names = new Map([...leaseNames].filter(([, part]) => parts.includes(part)));
    const rivals = new RivalLeases({
      client: options.client,
      names,
      namespace: options.namespace,
      clock: options.clock,
      onError: options.onError,
      onChange: (part, rival) => {
        options.onChange?.(part, rival);
        if (rival === undefined) return;
        const [namespace = '', name = ''] = rival.lease.split('/');
        const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
        events().event(lease, 'Warning', 'StandingAside', standingAsideText(part, rival));
      },
    });
    this.rivals = rivals;
    standingAsideGauge(metrics, parts, (part) => !this.isFree(part));
  }

  /** Whether a part may act now. */
  isFree(part: string): boolean {
    return this.rivals.of(part as Part) === undefined;
  }

  /** Why nothing at all is done here; undefined when something is. */
  get reason(): string | undefined {
    const held = this.#parts.flatMap((part) => {
      const rival = this.rivals.of(part);
      return rival === undefined ? [] : [standingAsideText(part, rival)];
    });
    return held.length > 0 && held.length === this.#parts.length ? held.join('; ') : undefined;
  }

  /** Has everything looked at when the others are gone. */
  wakes<T extends KubeObject>(
    part: string,
    controller: Pick<Controller, 'enqueue'>,
    informer: SharedInformer<T>,
  ): void {
    this.rivals.onChange((changed) => {
      if (changed !== part || !this.isFree(part)) return;
      for (const key of informer.indexer.listKeys()) controller.enqueue(key);
    });
  }
}

/** Shows which controllers stand aside. */
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
function standingAsideText(part: string, { lease, holder }: Rival): string {
  return `${part} stands aside: ${holder} holds the Lease ${lease} and acts on the same kinds. It takes over when that one stops; --act-beside-others does not wait`;
}
