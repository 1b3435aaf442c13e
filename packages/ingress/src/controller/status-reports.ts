import type { KubeObject } from '@waygate/schema';
import type { Condition, RouteObject } from '../objects/gateway-api.ts';
import type { Ingress, LoadBalancerIngress } from '../objects/ingress.ts';
import { isRouteKind, type KindId, kindIdOf } from '../objects/kind-id.ts';
import type { KnativeIngress } from '../objects/knative-ingress.ts';
import type { KongLicenseResource } from '../objects/kong-resources.ts';
import type { ObjectReference } from '../objects/reference.ts';
import type { PublishedAddresses } from '../status/address-source.ts';
import { areSameAddresses } from '../status/addresses.ts';
import type { GatewayPlaces } from '../status/gateway-places.ts';
import { gatewayStatuses } from '../status/gateway-status.ts';
import { knativeStatus } from '../status/knative-status.ts';
import { licenseStatus } from '../status/license-status.ts';
import { type ProgrammedState, programmedConditions } from '../status/programmed-condition.ts';
import { routeStatus } from '../status/route-status.ts';
import type { StatusPatch } from '../status/status-writer.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import type { Problem } from '../translate/problem.ts';

const withAddresses: ReadonlySet<KindId> = new Set(['Ingress', 'TCPIngress', 'UDPIngress']);

const withProgrammed: ReadonlySet<KindId> = new Set([
  'KongClusterPlugin',
  'KongConsumer',
  'KongConsumerGroup',
  'KongCustomEntity',
  'KongPlugin',
  'KongServiceFacade',
  'KongVault',
]);

/**
 * What is live, by name and generation. Not by identity: an object whose status alone changed while
 * a pass was under way is no less live for it.
 */
export type LiveObjects = ReadonlySet<string>;

export function liveObjects(objects: Iterable<KubeObject>): LiveObjects {
  const live = new Set<string>();
  for (const object of objects) live.add(liveKey(object));
  return live;
}

export function liveKey({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name} ${metadata.generation ?? 0}`;
}

/** The statuses that objects in a configuration that is live should have, where they have not. */
export function addressPatches(
  objects: Iterable<KubeObject>,
  published: PublishedAddresses,
): StatusPatch[] {
  const patches: StatusPatch[] = [];
  for (const { object, current, addresses } of withTheirAddresses(objects, published)) {
    if (addresses.length === 0 || areSameAddresses(current, addresses)) continue;
    patches.push({ object, status: { loadBalancer: { ingress: addresses } } });
  }
  return patches;
}

/** The statuses of objects that show these addresses, without them: nobody will serve them any more. */
export function withdrawalPatches(
  objects: Iterable<KubeObject>,
  published: PublishedAddresses,
): StatusPatch[] {
  const patches: StatusPatch[] = [];
  for (const { object, current, addresses } of withTheirAddresses(objects, published)) {
    if (current.length > 0 && areSameAddresses(current, addresses))
      patches.push({ object, status: { loadBalancer: { ingress: null } } });
  }
  return patches;
}

/** Objects whose status shows addresses, with those that it shows and those that it should. */
function* withTheirAddresses(objects: Iterable<KubeObject>, { tcp, udp }: PublishedAddresses) {
  for (const object of objects) {
    const kind = kindIdOf(object);
    if (kind === undefined || !withAddresses.has(kind)) continue;
    const current = (object as Ingress).status?.loadBalancer?.ingress ?? [];
    yield { object, current, addresses: kind === 'UDPIngress' ? udp : tcp };
  }
}

/** Knative's Ingresses wait to be told that the network is there. */
export function knativePatches(
  objects: Iterable<KubeObject>,
  publishService: string,
  clusterDomain: string,
  now: Date,
): StatusPatch[] {
  const patches: StatusPatch[] = [];
  for (const object of objects) {
    if (kindIdOf(object) !== 'KnativeIngress') continue;
    const patch = knativeStatus(object as KnativeIngress, publishService, clusterDomain, now);
    if (patch !== undefined) patches.push(patch);
  }
  return patches;
}

/** Which licence is in use; nothing when none is, because the gateway does not need one. */
export function licensePatches(
  reader: ObjectReader,
  inUse: readonly { readonly id: string }[],
  now: Date,
): StatusPatch[] {
  const [chosen] = inUse;
  if (chosen === undefined) return [];
  return reader
    .list<KongLicenseResource>('KongLicense')
    .filter(({ enabled }) => enabled !== false)
    .flatMap((license) => licenseStatus(license, license.metadata.uid === chosen.id, now) ?? []);
}

/** Whether each Kong resource is in force, is wrong, or is not used by anything yet. */
export function programmedPatches(
  objects: Iterable<KubeObject>,
  live: LiveObjects,
  wrong: readonly ObjectReference[],
  now: Date,
): StatusPatch[] {
  const wrongKeys = new Set(
    wrong.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`),
  );
  const patches: StatusPatch[] = [];
  for (const object of objects) {
    const kind = kindIdOf(object);
    if (kind === undefined || !withProgrammed.has(kind)) continue;
    const { namespace = '', name = '' } = object.metadata;
    const isWrong = wrongKeys.has(`${object.kind} ${namespace}/${name}`);
    let state: ProgrammedState = live.has(liveKey(object)) ? 'programmed' : 'pending';
    if (isWrong) state = 'invalid';
    const conditions = programmedConditions(
      object as KubeObject & { status?: { conditions?: readonly Condition[] } },
      state,
      now,
    );
    if (conditions !== undefined) patches.push({ object, status: { conditions } });
  }
  return patches;
}

/** Whether an object is told in conditions what became of it, which takes a look at everything. */
export function hasConditions(object: KubeObject): boolean {
  const kind = kindIdOf(object);
  if (kind === undefined) return false;
  if (kind === 'Gateway' || kind === 'GatewayClass' || kind === 'KongUpstreamPolicy') return true;
  if (kind === 'BackendTLSPolicy' || kind === 'ListenerSet') return true;
  return withProgrammed.has(kind) || isRouteKind(kind);
}

/** The statuses of the Gateway API's objects; of Gateways when a route, or all, changed. */
export function gatewayApiPatches(parts: {
  readonly reader: ObjectReader;
  readonly controllerName: string;
  readonly objects: Iterable<KubeObject>;
  readonly live: LiveObjects;
  readonly problems: readonly Problem[];
  readonly addresses: readonly LoadBalancerIngress[];
  /** Whether a Gateway may have other routes or listeners than before. */
  readonly concernsGateways: boolean;
  /** Where Gateways are, if each has an address of its own. */
  readonly places: GatewayPlaces | undefined;
  readonly isExpressions: boolean;
  readonly hasOwnPlugins: boolean;
  readonly now: Date;
}): StatusPatch[] {
  const { reader, controllerName, live, addresses, concernsGateways, now } = parts;
  const messages = new Map<string, string>();
  for (const { object, message } of parts.problems)
    messages.set(`${object.kind} ${object.namespace}/${object.name}`, message);
  const patches: StatusPatch[] = [];
  for (const object of parts.objects) {
    const kind = kindIdOf(object);
    if (kind === undefined || !isRouteKind(kind)) continue;
    const patch = routeStatus(object as RouteObject<object>, {
      reader,
      controllerName,
      now,
      isLive: (route) => live.has(liveKey(route)),
      problemOf: ({ kind: name, metadata }) =>
        messages.get(`${name} ${metadata.namespace ?? ''}/${metadata.name}`),
    });
    if (patch !== undefined) patches.push(patch);
  }
  if (concernsGateways)
    patches.push(...gatewayStatuses(reader, controllerName, addresses, now, parts.places, parts));
  return patches;
}
