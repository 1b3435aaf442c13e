import { isIPv4 } from 'node:net';

/** What of a Gateway says where it is reached. */
interface AddressedGateway {
  readonly metadata: { readonly namespace?: string; readonly name?: string };
  readonly spec?: {
    readonly addresses?:
      | readonly { readonly type?: string | null; readonly value?: string | null }[]
      | null;
  };
  readonly status?: { readonly addresses?: readonly { readonly value: string }[] | null };
}

/** Gives each Gateway an IPv4 address of a range to itself. */
export class GatewayAddressBook {
  readonly #first: number;
  readonly #last: number;
  /** By `namespace/name`. An address is nobody else's for as long as the program runs. */
  readonly #addresses = new Map<string, number>();
  readonly #owners = new Map<number, string>();
  #next: number;

  private constructor(first: number, last: number) {
    this.#first = first;
    this.#last = last;
    this.#next = first;
  }

  /** Reads `127.64.0.0/16`; undefined when that is no range of loopback addresses. */
  static parse(range: string): GatewayAddressBook | undefined {
    const [base = '', bits = ''] = range.split('/');
    const prefix = Number(bits);
    if (!isIPv4(base) || !/^\d+$/.test(bits) || prefix < 8 || prefix > 30) return undefined;
    if (!base.startsWith('127.')) return undefined;
    const size = 2 ** (32 - prefix);
    const start = Math.floor(numberOf(base) / size) * size;
    return new GatewayAddressBook(start + 1, start + size - 2);
  }

  /** The one that a Gateway asks for, had before, or is next; undefined when any asked for cannot be had. */
  addressOf(gateway: AddressedGateway): string | undefined {
    const { namespace = '', name = '' } = gateway.metadata;
    const key = `${namespace}/${name}`;
    const asked = (gateway.spec?.addresses ?? []).filter(({ value }) => value);
    const [first] = asked;
    if (first !== undefined) {
      const areUsable = asked.every(
        ({ type, value }) =>
          (type ?? 'IPAddress') === 'IPAddress' &&
          isIPv4(value ?? '') &&
          this.#isFreeFor(key, numberOf(value ?? '')),
      );
      return areUsable ? this.#give(key, numberOf(first.value ?? '')) : undefined;
    }
    const before = this.#addresses.get(key);
    if (before !== undefined) return textOf(before);
    for (const { value } of gateway.status?.addresses ?? []) {
      if (isIPv4(value) && this.#isFreeFor(key, numberOf(value)))
        return this.#give(key, numberOf(value));
    }
    while (this.#next <= this.#last && this.#owners.has(this.#next)) this.#next += 1;
    return this.#next > this.#last ? undefined : this.#give(key, this.#next);
  }

  #isFreeFor(key: string, address: number): boolean {
    if (address < this.#first || address > this.#last) return false;
    return (this.#owners.get(address) ?? key) === key;
  }

  #give(key: string, address: number): string {
    const before = this.#addresses.get(key);
    if (before !== undefined && before !== address) this.#owners.delete(before);
    this.#addresses.set(key, address);
    this.#owners.set(address, key);
    return textOf(address);
  }
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function textOf(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}
