import { BlockList, isIP, isIPv4 } from 'node:net';

/** One address or a CIDR block. */
export interface AddressRange {
  contains(address: string): boolean;
}

/**
 * Reads `10.0.0.1`, `10.0.0.0/8`, `fd00::1` or `fd00::/8`; undefined if it is none of these.
 *
 * ```ts
 * parseAddressRange('10.0.0.0/8')?.contains('10.1.2.3'); // true
 * ```
 */
export function parseAddressRange(text: string): AddressRange | undefined {
  return parseAddressRanges([text]);
}

/**
 * All ranges as one; undefined if one of them cannot be read. No range contains no address.
 *
 * ```ts
 * parseAddressRanges(['10.0.0.0/8', 'fd00::/8'])?.contains('::ffff:10.1.2.3'); // true
 * ```
 */
export function parseAddressRanges(texts: readonly string[]): AddressRange | undefined {
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', bits, ...rest] = text.split('/');
    const family = isIP(address);
    if (family === 0 || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) {
      return undefined;
    }
    const width = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? width : Number(bits);
    if (prefix > width) return undefined;
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    contains(address) {
      const plain = plainAddress(address);
      const family = isIP(plain);
      return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

/**
 * Whether a text is an address, or a network in CIDR notation.
 *
 * ```ts
 * isAddressOrNetwork('10.0.0.0/8'); // true
 * isAddressOrNetwork('10.0.0.0/33'); // false
 * ```
 */
export function isAddressOrNetwork(text: string): boolean {
  return parseAddressRange(text) !== undefined;
}

/**
 * An address as its family writes it: a dual-stack socket reports IPv4 peers as `::ffff:1.2.3.4`, and a
 * zone is local to this machine.
 *
 * ```ts
 * plainAddress('::ffff:192.0.2.7'); // '192.0.2.7'
 * ```
 */
export function plainAddress(address: string): string {
  const zone = address.indexOf('%');
  const zoneless = zone < 0 ? address : address.slice(0, zone);
  return zoneless.startsWith('::ffff:') && isIPv4(zoneless.slice(7)) ? zoneless.slice(7) : zoneless;
}
