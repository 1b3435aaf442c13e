import type {
  BackendReference,
  BackendTlsPolicy,
  Condition,
  Gateway,
  RouteObject,
} from '../objects/gateway-api.ts';
import { compareByAge, keyOf, namespacedKey } from '../objects/reference.ts';
import { entryOf } from '../store/entry-of.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { authoritiesOf, policyOfPort, sectionsOf } from '../translate/gateway/backend-tls.ts';
import { listenersTaking, ownParent } from '../translate/gateway/route-attachment.ts';
import { mergeConditions, type WantedCondition } from './conditions.ts';
import type { StatusPatch } from './status-writer.ts';

interface AncestorStatus {
  ancestorRef: { group?: string; kind?: string; namespace?: string; name: string };
  controllerName: string;
  conditions?: Condition[];
}

type BackendRoute = RouteObject<{ backendRefs?: BackendReference[] | null }>;

/** The Gateway API lets a status name this many ancestors. */
const mostAncestors = 16;

/**
 * What BackendTLSPolicies should say of the Gateways whose routes lead to their Services, where they do not
 * say so already. What other controllers say stays.
 */
export function backendTlsPolicyStatuses(
  reader: ObjectReader,
  controllerName: string,
  now: Date,
): StatusPatch[] {
  const policies = reader.list<BackendTlsPolicy>('BackendTLSPolicy');
  if (policies.length === 0) return [];
  const gateways = gatewaysByService(reader, controllerName);
  return policies.flatMap((policy) => policyStatus(policy, gateways, reader, controllerName, now));
}

type GatewaysByService = ReadonlyMap<string, ReadonlyMap<string, Gateway>>;

/** Our Gateways by the Services that their routes lead to. */
function gatewaysByService(reader: ObjectReader, controllerName: string): GatewaysByService {
  const found = new Map<string, Map<string, Gateway>>();
  for (const kind of ['HTTPRoute', 'GRPCRoute', 'TLSRoute'] as const) {
    for (const route of reader.list<BackendRoute>(kind)) {
      const services = (route.spec?.rules ?? []).flatMap(({ backendRefs }) =>
        (backendRefs ?? []).map(({ namespace, name }) =>
          namespacedKey(namespace ?? route.metadata.namespace ?? '', name),
        ),
      );
      for (const parent of route.spec?.parentRefs ?? []) {
        const own = ownParent(reader, route, parent, controllerName);
        if (own === undefined) continue;
        if (!Array.isArray(listenersTaking(reader, route, parent, own))) continue;
        const { gateway } = own;
        for (const service of services)
          entryOf(found, service, () => new Map<string, Gateway>()).set(keyOf(gateway), gateway);
      }
    }
  }
  return found;
}

function policyStatus(
  policy: BackendTlsPolicy & { status?: { ancestors?: AncestorStatus[] } },
  gateways: GatewaysByService,
  reader: ObjectReader,
  controllerName: string,
  now: Date,
): StatusPatch[] {
  const existing = policy.status?.ancestors ?? [];
  const foreign = existing.filter((one) => one.controllerName !== controllerName);
  const ours = existing.filter((one) => one.controllerName === controllerName);
  const ancestors = new Map<string, Gateway>();
  for (const { name } of policy.spec?.targetRefs ?? [])
    for (const [key, gateway] of gateways.get(
      namespacedKey(policy.metadata.namespace ?? '', name),
    ) ?? [])
      ancestors.set(key, gateway);
  const wanted = conditionsOf(policy, reader, now);
  let isChanged = false;
  const own = [...ancestors.values()]
    .sort(compareByAge)
    .slice(0, mostAncestors - foreign.length)
    .map(({ metadata }): AncestorStatus => {
      const { namespace = '', name = '' } = metadata;
      const ancestorRef = { group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace, name };
      const before = ours.find(
        (one) => one.ancestorRef.namespace === namespace && one.ancestorRef.name === name,
      );
      const generation = policy.metadata.generation ?? 0;
      const merged = mergeConditions(before?.conditions ?? [], wanted, generation, now);
      isChanged ||= merged.isChanged || before === undefined;
      return { ancestorRef, controllerName, conditions: merged.conditions };
    });
  isChanged ||= own.length !== ours.length;
  return isChanged ? [{ object: policy, status: { ancestors: [...foreign, ...own] } }] : [];
}

function conditionsOf(
  policy: BackendTlsPolicy,
  reader: ObjectReader,
  now: Date,
): WantedCondition[] {
  const authorities = authoritiesOf(policy, reader, now);
  const accepted = (reason: string, message?: string): WantedCondition => ({
    type: 'Accepted',
    status: reason === 'Accepted' ? 'True' : 'False',
    reason,
    ...(message === undefined ? {} : { message }),
  });
  if ('reason' in authorities)
    return [
      accepted('NoValidCACertificate', authorities.message),
      { type: 'ResolvedRefs', status: 'False', ...authorities },
    ];
  const rival = rivalOf(policy, reader);
  return [
    rival === undefined
      ? accepted('Accepted')
      : accepted('Conflicted', `${rival} is older, and for the same`),
    { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs' },
  ];
}

/** The older policy that takes the place of this one for all that this one is for. */
function rivalOf(policy: BackendTlsPolicy, reader: ObjectReader): string | undefined {
  const { namespace = '' } = policy.metadata;
  let rival: string | undefined;
  for (const { name } of policy.spec?.targetRefs ?? []) {
    for (const section of sectionsOf(policy, name)) {
      const port = section === undefined ? {} : { name: section };
      const winner = policyOfPort(reader, namespace, name, port);
      if (winner === undefined || keyOf(winner) === keyOf(policy)) return undefined;
      rival = keyOf(winner);
    }
  }
  return rival;
}
