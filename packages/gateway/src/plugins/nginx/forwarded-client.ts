import { isIP } from 'node:net';
import { plainAddress } from '@waygate/text';
import type { ClientFacts } from '../../exchange/client-facts.ts';
import type { HeaderList } from '../../http/header-list.ts';
import { isInList } from '../../plugin/address-list.ts';

/** What is believed of the proxies that stand before the gateway. */
export interface ForwardedConfig {
  readonly trust: boolean;
  readonly append: boolean;
  readonly real_ip: boolean;
  readonly for_header: string;
  readonly host_header: string;
  readonly trusted_cidrs: readonly string[];
}

/** Whether a peer is one of the proxies that are believed. */
export function isTrustedPeer({ trusted_cidrs: list }: ForwardedConfig, peer: string): boolean {
  return isInList(list, peer);
}

/**
 * The client's address: the peer's, or if that is trusted the last one in its header that is not a
 * trusted proxy itself, as nginx's `real_ip_recursive` finds it.
 */
export function clientAddress(
  config: ForwardedConfig,
  headers: HeaderList,
  { remoteAddress }: ClientFacts,
): string {
  if (!(config.trust || config.real_ip) || !isTrustedPeer(config, remoteAddress)) {
    return remoteAddress;
  }
  const listed = headers.getAll(config.for_header).join(',').split(',');
  let found = remoteAddress;
  // More than this no honest chain of proxies has.
  for (const text of listed.slice(-maximumProxies).reverse()) {
    const address = readAddress(text.trim());
    if (address === undefined) return found;
    found = address;
    if (!isTrustedPeer(config, address)) return found;
  }
  return found;
}

const maximumProxies = 64;

/** An address, with or without a port behind it. */
function readAddress(text: string): string | undefined {
  const bare =
    /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? undefined : plainAddress(bare);
}
