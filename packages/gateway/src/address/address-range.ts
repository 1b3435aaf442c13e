import { BlockList, isIP } from 'node:net';

/** One address or a CIDR block. */
export interface AddressRange {
  contains(address: string): boolean;
}

/** Reads `10.0.0.1`, `10.0.0.0/8`, `fd00::1` or `fd00::/8`; undefined if it is none of these. */
export function parseAddressRange(text: string): AddressRange | undefined {
  return parseAddressRanges([text]);
}

/** All ranges as one; undefined if one of them cannot be read. */
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
    if (prefix > width) {
      return undefined;
    }
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

/** An IPv4 address that a dual-stack socket shows as IPv6, in its own form. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
