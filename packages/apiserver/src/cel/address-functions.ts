import type { Environment } from '@marcbachmann/cel-js';
import { Address, Network } from './address.ts';

/** The name that `ip.isCanonical` is called by. */
class AddressLibrary {}

/** What the name `ip` stands for when an expression is evaluated. */
export const ip = new AddressLibrary();

const network = (text: string) => Network.parse(text) as Network;
const is = (family: 4 | 6, text: string) => {
  const { address, length } = network(text);
  return (one: Address) => one.family === family && one.isIn(address, length);
};

/** Each is true of an address of the kind in either family. */
const kinds: Readonly<Record<string, (address: Address) => boolean>> = {
  isUnspecified: ({ value }) => value === 0n,
  isLoopback: either(is(4, '127.0.0.0/8'), is(6, '::1/128')),
  isLinkLocalMulticast: either(is(4, '224.0.0.0/24'), is(6, 'ff02::/16')),
  isLinkLocalUnicast: either(is(4, '169.254.0.0/16'), is(6, 'fe80::/10')),
};

const isMulticast = either(is(4, '224.0.0.0/4'), is(6, 'ff00::/8'));

function either(
  one: (address: Address) => boolean,
  other: (address: Address) => boolean,
): (address: Address) => boolean {
  return (address) => one(address) || other(address);
}

/** What is none of the special ones, and no broadcast. */
function isGlobalUnicast(address: Address): boolean {
  const isSpecial = Object.values(kinds).some((isKind) => isKind(address)) || isMulticast(address);
  return !isSpecial && !(address.family === 4 && address.value === 0xffffffffn);
}

function addressOf(text: string): Address {
  const address = Address.parse(text);
  if (address === undefined) {
    throw new Error(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ParseAddr(${JSON.stringify(text)}): unable to parse IP`,
    );
  }
  return address;
}

function networkOf(text: string): Network {
  const found = Network.parse(text);
  if (found === undefined) {
    throw new Error(
      `network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): no '/'`,
    );
  }
  return found;
}

/** `ip('10.0.0.1')`, `cidr('10.0.0.0/8')` and what can be asked of them, as Kubernetes has it. */
export function registerAddressFunctions(environment: Environment): void {
  environment.registerType('Address', Address);
  environment.registerType('Network', Network);
  environment.registerType('AddressLibrary', AddressLibrary);
  environment.registerVariable('ip', 'AddressLibrary');
  environment.registerFunction('ip(string): Address', addressOf);
  environment.registerFunction(
    'isIP(string): bool',
    (text: string) => Address.parse(text) !== undefined,
  );
  environment.registerFunction(
    'AddressLibrary.isCanonical(string): bool',
    (_library: AddressLibrary, text: string) => addressOf(text).toString() === text,
  );
  environment.registerFunction('Address.family(): int', ({ family }: Address) => BigInt(family));
  for (const [name, isKind] of Object.entries({ ...kinds, isGlobalUnicast })) {
    environment.registerFunction(`Address.${name}(): bool`, isKind);
  }
  environment.registerFunction('string(Address): string', String);
  environment.registerOperator('Address == Address', (one: Address, other: Address) =>
    one.equals(other),
  );
  registerNetworkFunctions(environment);
}

function registerNetworkFunctions(environment: Environment): void {
  environment.registerFunction('cidr(string): Network', networkOf);
  environment.registerFunction(
    'isCIDR(string): bool',
    (text: string) => Network.parse(text) !== undefined,
  );
  const containsAddress = ({ address, length }: Network, one: Address) => one.isIn(address, length);
  const containsNetwork = ({ address, length }: Network, other: Network) =>
    other.length >= length && other.address.isIn(address, length);
  environment.registerFunction('Network.containsIP(Address): bool', containsAddress);
  environment.registerFunction('Network.containsIP(string): bool', (one: Network, text: string) =>
    containsAddress(one, addressOf(text)),
  );
  environment.registerFunction('Network.containsCIDR(Network): bool', containsNetwork);
  environment.registerFunction('Network.containsCIDR(string): bool', (one: Network, text: string) =>
    containsNetwork(one, networkOf(text)),
  );
  environment.registerFunction('Network.ip(): Address', ({ address }: Network) => address);
  environment.registerFunction('Network.masked(): Network', (one: Network) => one.masked());
  environment.registerFunction('Network.prefixLength(): int', ({ length }: Network) =>
    BigInt(length),
  );
  environment.registerFunction('string(Network): string', String);
  environment.registerOperator('Network == Network', (one: Network, other: Network) =>
    one.equals(other),
  );
}
