import { BlockList, isIP, isIPv6 } from 'node:net';
import { plain } from './proxy-protocol.ts';

/** A set of addresses and networks: `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.7`. */
export class AddressList {
  readonly #list = new BlockList();
  readonly #isEmpty: boolean;

  /** Entries must have passed `isAddressOrNetwork`. */
  constructor(entries: readonly string[]) {
    this.#isEmpty = entries.length === 0;
    for (const entry of entries) {
      const [address = '', prefix] = entry.split('/');
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (prefix === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(prefix), family);
    }
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  has(address: string): boolean {
    const text = plain(address);
    return isIP(text) !== 0 && this.#list.check(text, isIPv6(text) ? 'ipv6' : 'ipv4');
  }
}

/** Whether a text is an address, or a network in CIDR notation. */
export function isAddressOrNetwork(text: string): boolean {
  const slash = text.indexOf('/');
  const address = slash < 0 ? text : text.slice(0, slash);
  const version = isIP(address);
  if (version === 0) return false;
  if (slash < 0) return true;
  const prefix = text.slice(slash + 1);
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}
