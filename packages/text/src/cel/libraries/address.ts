import { isIP } from 'node:net';
import { CelFailure, CelObject, type CelValue } from '../values/value.ts';

/** An address as a number, which makes networks a matter of shifts. */
export class Address extends CelObject {
  readonly typeName = 'net.IP';
  readonly family: 4 | 6;
  readonly value: bigint;

  constructor(family: 4 | 6 = 4, value = 0n) {
    super();
    this.family = family;
    this.value = value;
  }

  get bits(): 32 | 128 {
    return this.family === 4 ? 32 : 128;
  }

  override get size(): number {
    return this.bits / 8;
  }

  /** As the API writes it: the shortest form, in lower case. */
  override toString(): string {
    if (this.family === 4) {
      return [24n, 16n, 8n, 0n].map((shift) => (this.value >> shift) & 255n).join('.');
    }
    const groups = Array.from({ length: 8 }, (_, index) =>
      ((this.value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
    );
    // The address parser of the platform knows which run of zeros to leave out.
    return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
  }

  /** Whether it is in the network that another one is the start of. */
  isIn(network: Address, length: number): boolean {
    if (this.family !== network.family) return false;
    const shift = BigInt(this.bits - length);
    return this.value >> shift === network.value >> shift;
  }

  equals(other: CelValue): boolean | CelFailure {
    if (!(other instanceof Address)) return new CelFailure('no such overload');
    return this.family === other.family && this.value === other.value;
  }

  /** Undefined for what is none, has a zone, or is an IPv4 address in IPv6's clothes. */
  static parse(text: string): Address | undefined {
    const family = isIP(text);
    if (family === 4) {
      const value = text.split('.').reduce((sum, part) => (sum << 8n) + BigInt(part), 0n);
      return new Address(4, value);
    }
    if (family !== 6 || text.includes('%')) return undefined;
    const value = sixteenBytes(text);
    return value >> 32n === 0xffffn ? undefined : new Address(6, value);
  }
}

function sixteenBytes(text: string): bigint {
  // Brings a dotted ending into groups, too.
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string | undefined) => (part ?? '').split(':').filter((one) => one !== '');
  const first = groups(head);
  const last = groups(tail);
  const zeros = new Array<string>(8 - first.length - last.length).fill('0');
  return [...first, ...zeros, ...last].reduce(
    (sum, group) => (sum << 16n) + BigInt(`0x${group}`),
    0n,
  );
}

/** An address with the length of its network. */
export class Network extends CelObject {
  readonly typeName = 'net.CIDR';
  readonly address: Address;
  readonly length: number;

  constructor(address: Address = new Address(), length = 0) {
    super();
    this.address = address;
    this.length = length;
  }

  override get size(): number {
    return Math.ceil(this.length / 8);
  }

  override toString(): string {
    return `${this.address}/${this.length}`;
  }

  masked(): Network {
    const shift = BigInt(this.address.bits - this.length);
    const value = (this.address.value >> shift) << shift;
    return new Network(new Address(this.address.family, value), this.length);
  }

  equals(other: CelValue): boolean | CelFailure {
    if (!(other instanceof Network)) return new CelFailure('no such overload');
    return this.length === other.length && this.address.equals(other.address);
  }

  static parse(text: string): Network | undefined {
    const found = /^([^/]{2,64})\/(0|[1-9]\d{0,2})$/.exec(text);
    const address = Address.parse(found?.[1] ?? '');
    const length = Number(found?.[2]);
    if (address === undefined || length > address.bits) return undefined;
    return new Network(address, length);
  }
}
