import type { Listener, ParentReference } from '../../objects/gateway-api.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { listenersNamed, parentOf } from './route-attachment.ts';

/** The listeners that parent references select: all of a Gateway's, or those of a section or port. */
export function attachedListeners(
  reader: ObjectReader,
  routeNamespace: string,
  parents: readonly ParentReference[],
): Listener[] {
  return parents.flatMap((parent) => {
    const found = parentOf(reader, routeNamespace, parent);
    return found === undefined ? [] : listenersNamed(reader, found, parent);
  });
}

/** The protocols of HTTP routes follow the listeners; none known leaves them to the gateway. */
export function listenerProtocols(listeners: readonly Listener[]): string[] | undefined {
  const protocols = new Set<string>();
  for (const { protocol } of listeners) {
    if (protocol === 'HTTP') protocols.add('http');
    else if (protocol === 'HTTPS') protocols.add('https');
  }
  return protocols.size === 0 ? undefined : [...protocols].sort();
}
