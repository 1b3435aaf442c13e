import type { Socket } from 'node:net';
import { plainAddress } from '@waygate/text';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { Destination } from '../balancer/destination.ts';
import type { ProxiedAddresses } from '../listener/read-proxy-header.ts';
import { type ServiceSettings, serviceSettings } from '../proxy/service-settings.ts';
import type { RouteMatch } from '../router/route-match.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** Where a stream came from and goes to. */
export interface StreamAddresses {
  readonly sourceIp: string;
  readonly sourcePort: number;
  readonly destinationIp: string;
  readonly destinationPort: number;
}

/** A stream that has a route, with what its service says. */
export interface RoutedStream {
  readonly match: RouteMatch;
  readonly settings: ServiceSettings;
}

export function addressesOf(
  socket: Socket,
  proxied: ProxiedAddresses | undefined,
  publicPort: number | undefined,
): StreamAddresses {
  return (
    proxied ?? {
      sourceIp: plainAddress(socket.remoteAddress ?? '0.0.0.0'),
      sourcePort: socket.remotePort ?? 0,
      destinationIp: plainAddress(socket.localAddress ?? '0.0.0.0'),
      destinationPort: publicPort ?? socket.localPort ?? 0,
    }
  );
}

/** Finds the route of a stream; undefined if none matches or it has no service. */
export function routeStream(
  snapshot: Snapshot,
  protocol: 'tcp' | 'tls' | 'udp',
  sni: string | undefined,
  addresses: StreamAddresses,
): RoutedStream | undefined {
  const match = snapshot.routers.stream.match({
    ...addresses,
    protocol,
    sni,
    method: '',
    path: '',
    host: '',
    header: () => undefined,
    query: () => undefined,
  });
  const service = match?.entry.service;
  return match === undefined || service === undefined
    ? undefined
    : { match, settings: serviceSettings(service, snapshot) };
}

/** Chooses a target for a stream. Streams hash on the client's address only. */
export async function pickTarget(
  balancers: BalancerRegistry,
  { settings }: RoutedStream,
  sourceIp: string,
  tried: Parameters<BalancerRegistry['pick']>[3],
): Promise<Destination> {
  return balancers.pick(
    settings.host,
    settings.port,
    (upstream) => (upstream.hash_on === 'none' ? undefined : sourceIp),
    tried,
  );
}
