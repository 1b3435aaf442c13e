import { isIP } from 'node:net';
import type { KubeObject } from '@waygate/schema';
import type {
  Condition,
  Gateway,
  GatewayClass,
  Listener,
  RouteObject,
} from '../objects/gateway-api.ts';
import type { LoadBalancerIngress } from '../objects/ingress.ts';
import { routeKinds } from '../objects/kind-id.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import {
  listenersTaking,
  ownGateway,
  supportedKinds,
} from '../translate/gateway/route-attachment.ts';
import { mergeConditions, type WantedCondition } from './conditions.ts';
import type { GatewayPlaces, PortState } from './gateway-places.ts';
import { isProgrammedListener, listenerConditions } from './listener-conditions.ts';
import type { StatusPatch } from './status-writer.ts';
import { type FeatureFacts, supportedFeatures } from './supported-features.ts';

interface ListenerStatus {
  name: string;
  attachedRoutes: number;
  supportedKinds: { group: string; kind: string }[];
  conditions: Condition[];
}

interface ClassStatus {
  conditions?: Condition[];
  supportedFeatures?: { name: string }[];
}

const featuresMessage = 'what can be asked for is in status.supportedFeatures';

/** The statuses of GatewayClasses and Gateways that are ours, where they differ from what is there. */
export function gatewayStatuses(
  reader: ObjectReader,
  controllerName: string,
  addresses: readonly LoadBalancerIngress[],
  now: Date,
  places?: GatewayPlaces,
  facts: Omit<FeatureFacts, 'hasPlaces'> = { isExpressions: false, hasOwnPlugins: false },
): StatusPatch[] {
  const patches: StatusPatch[] = [];
  const features = supportedFeatures({ ...facts, hasPlaces: places !== undefined });
  for (const gatewayClass of reader.list<GatewayClass & { status?: ClassStatus }>('GatewayClass')) {
    if (gatewayClass.spec?.controllerName !== controllerName) continue;
    const { conditions, isChanged } = mergeConditions(
      gatewayClass.status?.conditions ?? [],
      [{ type: 'Accepted', status: 'True', reason: 'Accepted', message: featuresMessage }],
      gatewayClass.metadata.generation ?? 0,
      now,
    );
    // An API server of an older release of the Gateway API drops them: that is no reason to write again.
    const before = gatewayClass.status?.supportedFeatures;
    const isOther = before !== undefined && JSON.stringify(before) !== JSON.stringify(features);
    if (isChanged || isOther)
      patches.push({ object: gatewayClass, status: { conditions, supportedFeatures: features } });
  }
  const gateways = reader
    .list<Gateway>('Gateway')
    .filter(({ spec }) => isOurs(reader, spec?.gatewayClassName ?? '', controllerName));
  if (gateways.length === 0) return patches;
  const attached = attachedRoutes(reader, controllerName);
  for (const gateway of gateways) {
    const patch = gatewayStatus(reader, gateway, addresses, attached, now, places);
    if (patch !== undefined) patches.push(patch);
  }
  return patches;
}

function isOurs(reader: ObjectReader, className: string, controllerName: string): boolean {
  const gatewayClass = reader.get<GatewayClass>('GatewayClass', '', className);
  return gatewayClass?.spec?.controllerName === controllerName;
}

/** How many routes each listener has, by `namespace/gateway/listener`. */
function attachedRoutes(reader: ObjectReader, controllerName: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of routeKinds) {
    for (const route of reader.list<RouteObject<unknown>>(kind)) {
      const listeners = new Set<string>();
      for (const parent of route.spec?.parentRefs ?? []) {
        const gateway = ownGateway(reader, route as KubeObject, parent, controllerName);
        const taking = gateway && listenersTaking(reader, route, parent, gateway);
        if (!Array.isArray(taking)) continue;
        for (const { name } of taking) listeners.add(listenerKey(gateway!, name));
      }
      for (const key of listeners) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

function listenerKey({ metadata }: Gateway, listener: string): string {
  return `${metadata.namespace}/${metadata.name}/${listener}`;
}

function gatewayStatus(
  reader: ObjectReader,
  gateway: Gateway,
  addresses: readonly LoadBalancerIngress[],
  attached: ReadonlyMap<string, number>,
  now: Date,
  places: GatewayPlaces | undefined,
): StatusPatch | undefined {
  const generation = gateway.metadata.generation ?? 0;
  const existing = (gateway.status?.listeners ?? []) as ListenerStatus[];
  const own = places?.addressOf(gateway);
  const refusal = gatewayRefusal(gateway, places !== undefined && own === undefined);
  let validCount = 0;
  let isChanged = existing.length !== (gateway.spec?.listeners ?? []).length;
  const portState = (listener: Listener): PortState =>
    own === undefined ? 'open' : (places?.stateOf(gateway, listener) ?? 'open');
  const listeners = (gateway.spec?.listeners ?? []).map((listener): ListenerStatus => {
    const before = existing.find(({ name }) => name === listener.name);
    const wanted = listenerConditions(reader, gateway, listener, portState(listener));
    validCount += Number(isProgrammedListener(wanted));
    const merged = mergeConditions(before?.conditions ?? [], wanted, generation, now);
    const count = attached.get(listenerKey(gateway, listener.name)) ?? 0;
    const kinds = supportedKinds(listener);
    isChanged ||= merged.isChanged || before?.attachedRoutes !== count;
    isChanged ||= JSON.stringify(before?.supportedKinds) !== JSON.stringify(kinds);
    return {
      name: listener.name,
      attachedRoutes: count,
      supportedKinds: kinds,
      conditions: merged.conditions,
    };
  });
  const merged = mergeConditions(
    gateway.status?.conditions ?? [],
    refusal ?? gatewayConditions(validCount, listeners),
    generation,
    now,
  );
  const mine: readonly LoadBalancerIngress[] = own === undefined ? [] : [{ ip: own }];
  const shown = (places === undefined ? addresses : mine).map(({ ip, hostname }) => {
    const value = ip ?? hostname ?? '';
    return { type: isIP(value) === 0 ? 'Hostname' : 'IPAddress', value };
  });
  isChanged ||= merged.isChanged;
  isChanged ||= JSON.stringify(gateway.status?.addresses ?? []) !== JSON.stringify(shown);
  if (!isChanged) return undefined;
  return {
    object: gateway,
    status: { conditions: merged.conditions, listeners, addresses: shown },
  };
}

/** A Gateway works with some of its listeners, too, and says that not all of them are right. */
function gatewayConditions(
  validCount: number,
  listeners: readonly ListenerStatus[],
): WantedCondition[] {
  // A port that is on its way is nobody's fault.
  const waitCount = listeners.filter(({ conditions }) =>
    conditions.some(({ type, reason }) => type === 'Programmed' && reason === 'Pending'),
  ).length;
  const isWhole = validCount + waitCount === listeners.length && listeners.length > 0;
  const isAccepted = validCount + waitCount > 0;
  return [
    {
      type: 'Accepted',
      status: isAccepted ? 'True' : 'False',
      reason: isWhole ? 'Accepted' : 'ListenersNotValid',
    },
    validCount > 0 && waitCount === 0
      ? { type: 'Programmed', status: 'True', reason: 'Programmed' }
      : { type: 'Programmed', status: 'False', reason: waitCount > 0 ? 'Pending' : 'Invalid' },
  ];
}

/** Why a Gateway as a whole cannot be as it is asked for. */
function gatewayRefusal(
  { spec }: Gateway,
  isAddressRefused: boolean,
): WantedCondition[] | undefined {
  const refused = (reason: string, message: string): WantedCondition[] => [
    { type: 'Accepted', status: 'False', reason, message },
    { type: 'Programmed', status: 'False', reason: 'Invalid', message },
  ];
  const parameters = spec?.infrastructure?.parametersRef;
  if (parameters)
    return refused('InvalidParameters', `a Gateway takes no parameters from a ${parameters.kind}`);
  if (!isAddressRefused) return undefined;
  const strange = spec?.addresses?.find(({ type }) => (type ?? 'IPAddress') !== 'IPAddress');
  if (strange !== undefined)
    return refused('UnsupportedAddress', `an address cannot be a ${strange.type}`);
  const message = 'an address that is asked for cannot be had';
  return [
    { type: 'Accepted', status: 'True', reason: 'Accepted' },
    { type: 'Programmed', status: 'False', reason: 'AddressNotUsable', message },
  ];
}
