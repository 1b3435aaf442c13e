import { encodeProxyV1, encodeProxyV2 } from '@waygate/text';
import type { StreamManner } from '../plugin/plugin.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { RoutedStream, StreamAddresses } from './stream-route.ts';

const plain: StreamManner = { takesProxyHeader: false, sendsProxyHeader: 'none' };

/** How a stream is carried, as a plugin of its route or service says. */
export function streamManner(snapshot: Snapshot, { match }: RoutedStream): StreamManner {
  const { route, service } = match.entry;
  for (const planned of snapshot.plan.forRoute(route, service)) {
    const active = planned.definition.stream && planned.resolve(undefined);
    if (active !== undefined) return active.definition.stream?.(active.config) ?? plain;
  }
  return plain;
}

/** What a target is told of the client, before the client's first byte. */
export function prefaceOf(
  { sendsProxyHeader }: StreamManner,
  addresses: StreamAddresses,
): Buffer | undefined {
  if (sendsProxyHeader === 'none') return undefined;
  const ends = {
    sourceAddress: addresses.sourceIp,
    sourcePort: addresses.sourcePort,
    destinationAddress: addresses.destinationIp,
    destinationPort: addresses.destinationPort,
  };
  return sendsProxyHeader === 'v1' ? encodeProxyV1(ends) : encodeProxyV2(ends);
}
