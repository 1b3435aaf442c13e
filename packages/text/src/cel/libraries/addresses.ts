import { type CelLibrary, member, overload } from '../declaration.ts';
import { boolType, intType, opaqueType, stringType } from '../types/type.ts';
import { CelFailure, type CelResult, type CelValue, noSuchOverload } from '../values/value.ts';
import { Address, Network } from './address.ts';

const ipType = opaqueType('net.IP');
const cidrType = opaqueType('net.CIDR');

/** Read when it is first asked about: the first address of the sixth version takes Node.js milliseconds to read. */
const within = (family: 4 | 6, text: string) => {
  let network: Network | undefined;
  return (one: Address) => {
    if (one.family !== family) return false;
    network ??= Network.parse(text) as Network;
    return one.isIn(network.address, network.length);
  };
};

const either =
  (one: (address: Address) => boolean, other: (address: Address) => boolean) =>
  (address: Address): boolean =>
    one(address) || other(address);

/** Each is true of an address of the kind in either family. */
const kinds = {
  isUnspecified: ({ value }: Address) => value === 0n,
  isLoopback: either(within(4, '127.0.0.0/8'), within(6, '::1/128')),
  isLinkLocalMulticast: either(within(4, '224.0.0.0/24'), within(6, 'ff02::/16')),
  isLinkLocalUnicast: either(within(4, '169.254.0.0/16'), within(6, 'fe80::/10')),
};
const isMulticast = either(within(4, '224.0.0.0/4'), within(6, 'ff00::/8'));

/** What is none of the special ones, and no broadcast. */
function isGlobalUnicast(address: Address): boolean {
  const { isUnspecified, isLoopback, isLinkLocalUnicast } = kinds;
  const isSpecial = [isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast].some((isKind) =>
    isKind(address),
  );
  return !isSpecial && !(address.family === 4 && address.value === 0xffffffffn);
}

function addressOf(value: CelValue): Address | CelFailure {
  const text = value as string;
  const address = Address.parse(text);
  if (address !== undefined) return address;
  const shown = JSON.stringify(text);
  if (/^[0-9a-fA-F:.]+%.+$/.test(text)) {
    return new CelFailure(`IP address ${shown} with zone value is not allowed`);
  }
  if (/^::ffff:/i.test(text))
    return new CelFailure(`IPv4-mapped IPv6 address ${shown} is not allowed`);
  return new CelFailure(
    `IP Address ${shown} parse error during conversion from string: ParseAddr(${shown}): unable to parse IP`,
  );
}

function networkOf(value: CelValue): Network | CelFailure {
  const text = value as string;
  const network = Network.parse(text);
  if (network !== undefined) return network;
  const why = text.includes('/') ? 'bad network' : "no '/'";
  const prefix = 'network address parse error during conversion from string: ';
  return new CelFailure(`${prefix}${prefix}netip.ParsePrefix(${JSON.stringify(text)}): ${why}`);
}

function containsAddress(network: CelValue, address: CelValue): CelResult {
  const { address: start, length } = network as Network;
  return (address as Address).isIn(start, length);
}

function containsNetwork(network: CelValue, other: CelValue): CelResult {
  const { address, length } = network as Network;
  const inner = other as Network;
  return inner.length >= length && inner.address.isIn(address, length);
}

const kind = (id: string, isKind: (address: Address) => boolean) => [
  member(id, [ipType], boolType, (address) => isKind(address as Address)),
];

/** `ip('10.0.0.1')`, `cidr('10.0.0.0/8')` and what can be asked of them. */
export const addresses: CelLibrary = {
  functions: {
    ip: [
      overload('string_to_ip', [stringType], ipType, addressOf),
      member('cidr_ip', [cidrType], ipType, (network) => (network as Network).address),
    ],
    isIP: [
      overload(
        'is_ip',
        [stringType],
        boolType,
        (text) => Address.parse(text as string) !== undefined,
      ),
    ],
    'ip.isCanonical': [
      overload('ip_is_canonical', [stringType], boolType, (text) => {
        const address = addressOf(text);
        return address instanceof CelFailure ? address : address.toString() === text;
      }),
    ],
    family: [
      member('ip_family', [ipType], intType, (address) => BigInt((address as Address).family)),
    ],
    isUnspecified: kind('ip_is_unspecified', kinds.isUnspecified),
    isLoopback: kind('ip_is_loopback', kinds.isLoopback),
    isLinkLocalMulticast: kind('ip_is_link_local_multicast', kinds.isLinkLocalMulticast),
    isLinkLocalUnicast: kind('ip_is_link_local_unicast', kinds.isLinkLocalUnicast),
    isGlobalUnicast: kind('ip_is_global_unicast', isGlobalUnicast),
    string: [
      overload('ip_to_string', [ipType], stringType, (address) => String(address)),
      overload('cidr_to_string', [cidrType], stringType, (network) => String(network)),
    ],
    cidr: [overload('string_to_cidr', [stringType], cidrType, networkOf)],
    isCIDR: [
      overload(
        'is_cidr',
        [stringType],
        boolType,
        (text) => Network.parse(text as string) !== undefined,
      ),
    ],
    containsIP: [
      member('cidr_contains_ip_string', [cidrType, stringType], boolType, (network, text) => {
        const address = addressOf(text);
        return address instanceof CelFailure ? noSuchOverload : containsAddress(network, address);
      }),
      member('cidr_contains_ip_ip', [cidrType, ipType], boolType, containsAddress),
    ],
    containsCIDR: [
      member('cidr_contains_cidr_string', [cidrType, stringType], boolType, (network, text) => {
        const other = networkOf(text);
        return other instanceof CelFailure ? other : containsNetwork(network, other);
      }),
      member('cidr_contains_cidr', [cidrType, cidrType], boolType, containsNetwork),
    ],
    prefixLength: [
      member('cidr_prefix_length', [cidrType], intType, (network) =>
        BigInt((network as Network).length),
      ),
    ],
    masked: [
      member('cidr_masked', [cidrType], cidrType, (network) => (network as Network).masked()),
    ],
  },
};
