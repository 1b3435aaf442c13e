import { isIP } from 'node:net';
import type { Condition, Gateway, GatewayClass } from '../objects/gateway-api.ts';
import type { LoadBalancerIngress } from '../objects/ingress.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { backendCertificate } from '../translate/gateway/backend-certificate.ts';
import { mergeConditions, type WantedCondition } from './conditions.ts';
import type { GatewayPlaces } from './gateway-places.ts';
import { listenerSetStatuses } from './listener-set-status.ts';
import { attachedRoutes, GatewayListeners, type ListenersState } from './listener-statuses.ts';
import type { StatusPatch } from './status-writer.ts';
import { type FeatureFacts, supportedFeatures } from './supported-features.ts';

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
    const listeners = new GatewayListeners(reader, gateway, attached, now, places);
    const sets = listenerSetStatuses(reader, gateway, listeners, now);
    const further = tlsConditions(reader, gateway);
    const patch = gatewayStatus(
      gateway,
      addresses,
      listeners,
      sets.acceptedCount,
      further,
      now,
      places,
    );
    if (patch !== undefined) patches.push(patch);
    patches.push(...sets.patches);
  }
  return patches;
}

function isOurs(reader: ObjectReader, className: string, controllerName: string): boolean {
  const gatewayClass = reader.get<GatewayClass>('GatewayClass', '', className);
  return gatewayClass?.spec?.controllerName === controllerName;
}

function gatewayStatus(
  gateway: Gateway,
  addresses: readonly LoadBalancerIngress[],
  all: GatewayListeners,
  setCount: number,
  further: readonly WantedCondition[],
  now: Date,
  places: GatewayPlaces | undefined,
): StatusPatch | undefined {
  const own = places?.addressOf(gateway);
  const refusal = gatewayRefusal(gateway, places !== undefined && own === undefined);
  const state = all.stateOf(gateway);
  // What is said of certificates ends with them.
  const known = (gateway.status?.conditions ?? []).filter(
    ({ type }) => !ofCertificates.has(type) || further.some((one) => one.type === type),
  );
  const merged = mergeConditions(
    known,
    [...(refusal ?? gatewayConditions(state)), ...further],
    gateway.metadata.generation ?? 0,
    now,
  );
  const mine: readonly LoadBalancerIngress[] = own === undefined ? [] : [{ ip: own }];
  const shown = (places === undefined ? addresses : mine).map(({ ip, hostname }) => {
    const value = ip ?? hostname ?? '';
    return { type: isIP(value) === 0 ? 'Hostname' : 'IPAddress', value };
  });
  const isChanged =
    state.isChanged ||
    known.length !== (gateway.status?.conditions ?? []).length ||
    merged.isChanged ||
    (gateway.status?.attachedListenerSets ?? 0) !== setCount ||
    JSON.stringify(gateway.status?.addresses ?? []) !== JSON.stringify(shown);
  if (!isChanged) return undefined;
  const { conditions } = merged;
  const hadSets = gateway.status?.attachedListenerSets != null;
  return {
    object: gateway,
    status: {
      conditions,
      listeners: state.statuses,
      addresses: shown,
      // Releases before 1.5 do not know the number.
      ...((setCount > 0 || hadSets) && { attachedListenerSets: setCount }),
    },
  };
}

const ofCertificates: ReadonlySet<string> = new Set([
  'ResolvedRefs',
  'InsecureFrontendValidationMode',
]);

/** What a Gateway says of the certificates that it shows and asks for beside its listeners'. */
function tlsConditions(reader: ObjectReader, gateway: Gateway): WantedCondition[] {
  const conditions: WantedCondition[] = [];
  const shown = backendCertificate(reader, gateway);
  if (shown !== undefined)
    conditions.push(
      'reason' in shown
        ? { type: 'ResolvedRefs', status: 'False', ...shown }
        : { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs' },
    );
  const { default: usual, perPort } = gateway.spec?.tls?.frontend ?? {};
  const modes = [usual, ...(perPort ?? []).map(({ tls }) => tls)].map(
    (one) => one?.validation?.mode,
  );
  if (modes.includes('AllowInsecureFallback'))
    conditions.push({
      type: 'InsecureFrontendValidationMode',
      status: 'True',
      reason: 'ConfigurationChanged',
      message: 'clients without a right certificate are let in, too',
    });
  return conditions;
}

/** A Gateway works with some of its listeners, too, and says that not all of them are right. */
function gatewayConditions({ validCount, waitCount, statuses }: ListenersState): WantedCondition[] {
  const isWhole = validCount + waitCount === statuses.length && statuses.length > 0;
  return [
    {
      type: 'Accepted',
      status: validCount + waitCount > 0 ? 'True' : 'False',
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
