import type { KubeObject } from '@waygate/schema';
import type { Condition, Gateway, Listener, RouteObject } from '../objects/gateway-api.ts';
import { routeKinds } from '../objects/kind-id.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { asksClients, clientValidation } from '../translate/gateway/frontend-validation.ts';
import {
  conflictsOf,
  type ListenerConflict,
  type ListenerOwner,
  listenersOf,
} from '../translate/gateway/gateway-listeners.ts';
import {
  listenersTaking,
  ownParent,
  supportedKinds,
} from '../translate/gateway/route-attachment.ts';
import { mergeConditions } from './conditions.ts';
import type { GatewayPlaces, PortState } from './gateway-places.ts';
import {
  isProgrammedListener,
  type ListenerFacts,
  listenerConditions,
} from './listener-conditions.ts';

interface ListenerStatus {
  name: string;
  attachedRoutes: number;
  supportedKinds: { group: string; kind: string }[];
  conditions: Condition[];
}

/** What is to be said of the listeners of a Gateway or of a ListenerSet. */
export interface ListenersState {
  readonly statuses: readonly ListenerStatus[];
  /** Whether it is not what their owner says already. */
  readonly isChanged: boolean;
  readonly validCount: number;
  /** Those whose ports are on their way, which is nobody's fault. */
  readonly waitCount: number;
}

/** How many routes each listener has. */
export function attachedRoutes(
  reader: ObjectReader,
  controllerName: string,
): ReadonlyMap<Listener, number> {
  const counts = new Map<Listener, number>();
  for (const kind of routeKinds) {
    for (const route of reader.list<RouteObject<unknown>>(kind)) {
      const listeners = new Set<Listener>();
      for (const parent of route.spec?.parentRefs ?? []) {
        const found = ownParent(reader, route as KubeObject, parent, controllerName);
        const taking = found && listenersTaking(reader, route, parent, found);
        if (Array.isArray(taking)) for (const one of taking) listeners.add(one);
      }
      for (const one of listeners) counts.set(one, (counts.get(one) ?? 0) + 1);
    }
  }
  return counts;
}

/** All listeners of a Gateway, those of its ListenerSets too, and what became of each. */
export class GatewayListeners {
  readonly #reader: ObjectReader;
  readonly #gateway: Gateway;
  readonly #attached: ReadonlyMap<Listener, number>;
  readonly #now: Date;
  readonly #places: GatewayPlaces | undefined;
  readonly #conflicts: ReadonlyMap<Listener, ListenerConflict>;

  constructor(
    reader: ObjectReader,
    gateway: Gateway,
    attached: ReadonlyMap<Listener, number>,
    now: Date,
    places: GatewayPlaces | undefined,
  ) {
    this.#reader = reader;
    this.#gateway = gateway;
    this.#attached = attached;
    this.#now = now;
    this.#places = places;
    this.#conflicts = conflictsOf(listenersOf(reader, gateway));
  }

  stateOf(owner: ListenerOwner): ListenersState {
    const existing = (owner.status?.listeners ?? []) as ListenerStatus[];
    const listeners = owner.spec?.listeners ?? [];
    let isChanged = existing.length !== listeners.length;
    let validCount = 0;
    let waitCount = 0;
    const statuses = listeners.map((listener): ListenerStatus => {
      const { name } = listener;
      const before = existing.find((one) => one.name === name);
      const wanted = listenerConditions(this.#reader, owner, listener, {
        port: this.#portOf(listener),
        conflict: this.#conflicts.get(listener),
        clients: this.#clientsOf(listener),
      });
      validCount += Number(isProgrammedListener(wanted));
      waitCount += Number(
        wanted.some(({ type, reason }) => type === 'Programmed' && reason === 'Pending'),
      );
      const generation = owner.metadata.generation ?? 0;
      const merged = mergeConditions(before?.conditions ?? [], wanted, generation, this.#now);
      const count = this.#attached.get(listener) ?? 0;
      const kinds = supportedKinds(listener);
      isChanged ||= merged.isChanged || before?.attachedRoutes !== count;
      isChanged ||= JSON.stringify(before?.supportedKinds) !== JSON.stringify(kinds);
      const { conditions } = merged;
      return { name, attachedRoutes: count, supportedKinds: kinds, conditions };
    });
    return { statuses, isChanged, validCount, waitCount };
  }

  #clientsOf(listener: Listener): ListenerFacts['clients'] {
    if (this.#places === undefined && asksClients(this.#gateway, listener))
      return 'certificates of clients are asked for only where Gateways have addresses of their own';
    return clientValidation(this.#reader, this.#gateway, listener, this.#now);
  }

  #portOf(listener: Listener): PortState {
    const isPlaced = this.#places?.addressOf(this.#gateway) !== undefined;
    return (isPlaced && this.#places?.stateOf(this.#gateway, listener)) || 'open';
  }
}
