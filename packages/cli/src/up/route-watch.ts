import { type NginxOptions, type UnservedRoute, unservedRoutes } from '@waygate/ingress';
import type { KubeClient } from '@waygate/kube';
import {
  CoreEventRecorder,
  coreEventSink,
  createInformer,
  type SharedInformer,
} from '@waygate/runtime';
import { type Kind, type KubeObject, kinds } from '@waygate/schema';
import {
  gatewayClassKind,
  gatewayKind,
  grpcRouteKind,
  httpRouteKind,
  listenerSetKind,
} from './gateway-kinds.ts';
import { OwnGateway } from './own-gateway.ts';

const settleMs = 100;

/** What the Events say that tell of routes which nobody serves. */
export const notServed = 'NotServed';

interface RouteWatchOptions {
  readonly client: KubeClient;
  readonly nginx: NginxOptions | undefined;
  /** Whether what the project brings is there: before, a Gateway that is missing may only be late. */
  readonly isApplied: () => boolean;
  readonly onUnserved: (routes: readonly UnservedRoute[]) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Watches for routes that will never come into force, and says why, to whoever asked and in an Event on each;
 * has a Gateway made where there is none. Until the signal aborts.
 */
export class RouteWatch {
  readonly #options: RouteWatchOptions;
  readonly #informers: readonly { kind: Kind<KubeObject>; informer: SharedInformer<KubeObject> }[];
  readonly #recorder: CoreEventRecorder;
  readonly #gateway: OwnGateway;
  /** What was told of each object, so that an Event says it once. */
  #told = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RouteWatchOptions) {
    const { client, onError } = options;
    this.#options = options;
    this.#informers = followed.map((kind) => ({
      kind,
      informer: createInformer(client, kind, { transform: withoutStatus }),
    }));
    const source = { component: 'waygate-up' };
    this.#recorder = new CoreEventRecorder({ sink: coreEventSink(client), source, onError });
    this.#gateway = new OwnGateway(client);
  }

  /** Looks again soon, whatever changed. */
  look(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, settleMs);
  }

  async run(signal: AbortSignal): Promise<void> {
    const changed = (): void => this.look();
    this.#signal = signal;
    this.look();
    try {
      await Promise.all([
        this.#recorder.run(signal),
        ...this.#informers.map(({ informer }) => {
          informer.addEventHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
          return informer.run(signal);
        }),
      ]);
    } finally {
      clearTimeout(this.#timer);
    }
  }

  #signal: AbortSignal | undefined;

  #look(): void {
    const signal = this.#signal;
    if (signal === undefined || signal.aborted) return;
    const { nginx, onUnserved, onError, isApplied } = this.#options;
    const objects = this.#informers.flatMap(({ kind, informer }) =>
      informer.indexer.list().map((object) => ({
        ...object,
        apiVersion: `${kind.group}/${kind.version}`,
        kind: kind.kind,
      })),
    );
    const gateways = objects.filter(({ kind }) => kind === gatewayKind.kind);
    const hasSeenAll = isApplied() && this.#informers.every(({ informer }) => informer.hasSynced);
    if (hasSeenAll)
      this.#gateway.look(gateways, signal).catch((error: unknown) => {
        if (!signal.aborted) onError(error);
      });
    const hasGateways = hasSeenAll && gateways.length > 0;
    const options = { ingressClass: 'kong', isWhole: true, nginx };
    const unserved = unservedRoutes(objects, options).filter(
      // That a Gateway refused it says its status; one that is not there yet may be on its way.
      ({ object, reason }) => reason === undefined && (hasGateways || object.kind === 'Ingress'),
    );
    this.#record(unserved);
    onUnserved(unserved);
  }

  #record(unserved: readonly UnservedRoute[]): void {
    const told = new Map<string, string>();
    for (const { object, field, message, fix } of unserved) {
      const key = `${object.metadata.uid} ${field}`;
      told.set(key, message);
      if (this.#told.get(key) !== message)
        this.#recorder.event(object, 'Warning', notServed, `${field} ${message}; ${fix}`);
    }
    this.#told = told;
  }
}

/** All are of the stack's own API. */
const followed: readonly Kind<KubeObject>[] = [
  kinds.Ingress as Kind<KubeObject>,
  kinds.IngressClass as Kind<KubeObject>,
  gatewayClassKind,
  gatewayKind,
  listenerSetKind,
  httpRouteKind,
  grpcRouteKind,
];

/** Objects lose here what is not asked for: statuses and managed fields are most of them. */
function withoutStatus(object: KubeObject): KubeObject {
  const managedFields = object.metadata.managedFields?.map(({ manager, subresource }) => ({
    ...(manager === undefined ? {} : { manager }),
    ...(subresource === undefined ? {} : { subresource }),
  }));
  return {
    ...object,
    status: undefined,
    metadata: { ...object.metadata, managedFields },
  } as unknown as KubeObject;
}
