import type { Gateway, GatewayClass, Listener } from '../../objects/gateway-api.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { PluginEntity } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import { listenersOf, servedListeners } from './gateway-listeners.ts';

/**
 * What lets the gateway notice requests that came on a connection for another listener: a plugin for all
 * requests that knows the host names of HTTPS listeners that share a port. None where there are none, or
 * where Gateways have no addresses of their own.
 */
export function listenerHostPlugins(
  reader: ObjectReader,
  { gatewayAddress, gatewayControllerName, features }: ResolvedOptions,
): PluginEntity[] {
  if (gatewayAddress === undefined || !features.httpRoutePlugins) return [];
  const places = reader.list<Gateway>('Gateway').flatMap((gateway) => {
    const gatewayClass = reader.get<GatewayClass>(
      'GatewayClass',
      '',
      gateway.spec?.gatewayClassName ?? '',
    );
    if (gatewayClass?.spec?.controllerName !== gatewayControllerName) return [];
    const address = gatewayAddress(gateway);
    if (address === undefined) return [];
    return placesAt(address, servedListeners(listenersOf(reader, gateway)));
  });
  return places.length === 0 ? [] : [{ name: 'http-route-listeners', config: { places } }];
}

function placesAt(address: string, listeners: readonly Listener[]) {
  const byPort = new Map<number, Set<string>>();
  for (const { protocol, port, hostname } of listeners) {
    if (protocol !== 'HTTPS') continue;
    byPort.set(port, (byPort.get(port) ?? new Set()).add(hostname ?? ''));
  }
  return [...byPort]
    .filter(([, hostnames]) => hostnames.size > 1)
    .map(([port, hostnames]) => ({ address, port, hostnames: [...hostnames] }));
}
