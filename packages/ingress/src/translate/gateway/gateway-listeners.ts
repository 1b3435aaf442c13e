import type { KubeObject } from '@waygate/schema';
import { type LabelSelector, selectorFromLabelSelector } from '@waygate/text';
import type { Gateway, Listener, ListenerSet } from '../../objects/gateway-api.ts';
import { compareByAge } from '../../objects/reference.ts';
import type { ObjectReader } from '../../store/object-reader.ts';

/** Whose a listener is: routes name it, and its Secrets and routes are near to it. */
export type ListenerOwner = Gateway | ListenerSet;

/** A listener of a Gateway, which may come from a ListenerSet. */
interface OwnedListener {
  readonly owner: ListenerOwner;
  readonly listener: Listener;
}

/** Why a listener cannot be beside another one. */
export interface ListenerConflict {
  readonly reason: 'ProtocolConflict' | 'HostnameConflict';
  readonly message: string;
}

const gatewayGroup = 'gateway.networking.k8s.io';

/** Protocols whose listeners can share a port, told apart by host name. */
const sharingGroups: Readonly<Record<string, string>> = { HTTPS: 'TLS', TLS: 'TLS', HTTP: 'HTTP' };

/** The Gateway that a ListenerSet adds its listeners to, whether that lets it or not. */
export function gatewayOfSet(reader: ObjectReader, set: ListenerSet): Gateway | undefined {
  const parent = set.spec?.parentRef;
  if (parent === undefined || (parent.kind ?? 'Gateway') !== 'Gateway') return undefined;
  if ((parent.group ?? gatewayGroup) !== gatewayGroup) return undefined;
  const namespace = parent.namespace || (set.metadata.namespace ?? '');
  return reader.get<Gateway>('Gateway', namespace, parent.name);
}

/** Whether a Gateway takes listeners from sets of this namespace; without a word from it, from none. */
export function allowsSetsFrom(
  reader: ObjectReader,
  { metadata, spec }: Gateway,
  namespace: string,
): boolean {
  const { from = 'None', selector } = spec?.allowedListeners?.namespaces ?? {};
  return isNamespaceMeant(reader, from, selector, metadata.namespace ?? '', namespace);
}

/** Whether a namespace is one of those that `from` and `selector` of an object elsewhere mean. */
export function isNamespaceMeant(
  reader: ObjectReader,
  from: string,
  selector: LabelSelector | null | undefined,
  own: string,
  namespace: string,
): boolean {
  if (from === 'All') return true;
  if (from === 'Same') return namespace === own;
  if (from !== 'Selector' || !selector) return false;
  const labels = reader.get<KubeObject>('Namespace', '', namespace)?.metadata.labels ?? {};
  try {
    return selectorFromLabelSelector(selector).matches(labels);
  } catch {
    return false;
  }
}

/** The sets whose listeners a Gateway takes: of two that want the same, the first one has it. */
function listenerSetsOf(reader: ObjectReader, gateway: Gateway): ListenerSet[] {
  if ((gateway.spec?.allowedListeners?.namespaces?.from ?? 'None') === 'None') return [];
  return reader
    .list<ListenerSet>('ListenerSet')
    .filter(
      (set) =>
        isSame(gatewayOfSet(reader, set), gateway) &&
        allowsSetsFrom(reader, gateway, set.metadata.namespace ?? ''),
    )
    .sort(compareByAge);
}

function isSame(one: Gateway | undefined, { metadata }: Gateway): boolean {
  return one?.metadata.name === metadata.name && one?.metadata.namespace === metadata.namespace;
}

/** All listeners of a Gateway: its own, and then those of its sets, in the order of their rights. */
export function listenersOf(reader: ObjectReader, gateway: Gateway): OwnedListener[] {
  return [gateway, ...listenerSetsOf(reader, gateway)].flatMap((owner) =>
    (owner.spec?.listeners ?? []).map((listener) => ({ owner, listener })),
  );
}

/**
 * What is wrong between listeners. Two of the Gateway's own that want the same are both wrong, as nobody
 * can say which was meant; a set never takes anything from the Gateway, nor from an older set.
 */
export function conflictsOf(all: readonly OwnedListener[]): Map<Listener, ListenerConflict> {
  const conflicts = new Map<Listener, ListenerConflict>();
  const own = all.filter(({ owner }) => owner.kind !== 'ListenerSet');
  for (const one of own) {
    const others = new TakenPorts();
    for (const other of own) if (other !== one) others.take(other);
    const conflict = others.conflictWith(one.listener);
    if (conflict !== undefined) conflicts.set(one.listener, conflict);
  }
  // Sets can be many: each of their listeners is looked at once.
  const taken = new TakenPorts();
  for (const one of all) {
    const conflict = one.owner.kind === 'ListenerSet' && taken.conflictWith(one.listener);
    if (conflict) conflicts.set(one.listener, conflict);
    else taken.take(one);
  }
  return conflicts;
}

interface TakenPort {
  /** By what can share the port, the first that speaks it. */
  readonly groups: Map<string, OwnedListener>;
  readonly hosts: Map<string, OwnedListener>;
}

/** What listeners have: those on one port must speak the same, and are told apart by their host names. */
class TakenPorts {
  readonly #ports = new Map<string, TakenPort>();

  take(one: OwnedListener): void {
    const { listener } = one;
    const key = portKey(listener);
    const port = this.#ports.get(key) ?? { groups: new Map(), hosts: new Map() };
    this.#ports.set(key, port);
    const group = sharingGroups[listener.protocol] ?? listener.protocol;
    const host = listener.hostname ?? '';
    if (!port.groups.has(group)) port.groups.set(group, one);
    if (!port.hosts.has(host)) port.hosts.set(host, one);
  }

  conflictWith(listener: Listener): ListenerConflict | undefined {
    const port = this.#ports.get(portKey(listener));
    if (port === undefined) return undefined;
    const group = sharingGroups[listener.protocol];
    for (const [name, other] of port.groups)
      if (name !== group)
        return {
          reason: 'ProtocolConflict',
          message: `listener ${nameOf(other)} speaks ${other.listener.protocol} on the same port`,
        };
    const same = port.hosts.get(listener.hostname ?? '');
    if (same === undefined) return undefined;
    const message = `listener ${nameOf(same)} has the same port and host name`;
    return { reason: 'HostnameConflict', message };
  }
}

/** A port of UDP is another one than the port of TCP with the same number. */
function portKey({ protocol, port }: Listener): string {
  return `${protocol === 'UDP' ? 'udp' : 'tcp'} ${port}`;
}

function nameOf({ owner, listener }: OwnedListener): string {
  const { namespace, name } = owner.metadata;
  return owner.kind === 'ListenerSet'
    ? `${listener.name} of ListenerSet ${namespace}/${name}`
    : listener.name;
}

/** The listeners that an owner has in a Gateway: a set's that lost against another one are not there. */
export function servedListeners(all: readonly OwnedListener[], owner?: ListenerOwner): Listener[] {
  const hasSets = all.some((one) => one.owner.kind === 'ListenerSet');
  const conflicts = hasSets ? conflictsOf(all) : new Map<Listener, ListenerConflict>();
  return all
    .filter((one) => owner === undefined || one.owner === owner)
    .filter((one) => one.owner.kind !== 'ListenerSet' || !conflicts.has(one.listener))
    .map(({ listener }) => listener)
    .filter((listener) => !hasFilters(listener));
}

/**
 * Whether a listener asks for filters before routing, which nobody here can do. It is not served: they may
 * be what keeps strangers out.
 */
export function hasFilters({ filters }: Listener): boolean {
  return (filters?.requests ?? []).length > 0;
}
