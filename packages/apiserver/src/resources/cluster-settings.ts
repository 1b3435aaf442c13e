import { isIPv4 } from 'node:net';

/** Numbers of which there is one each, from the first to the last. */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/** What a cluster decides once, and its kinds are held to. */
export interface ClusterSettings {
  /** The addresses of Services, as numbers: those of the network and of the broadcast are not in it. */
  readonly serviceAddresses: NumberRange;
  readonly nodePorts: NumberRange;
  /** Admission plugins that are off, by the name that Kubernetes has for them. */
  readonly disabledPlugins: ReadonlySet<string>;
}

/** What clusters have by default. */
export const defaultClusterSettings: ClusterSettings = {
  serviceAddresses: parseServiceRange('10.96.0.0/16') as NumberRange,
  nodePorts: { first: 30000, last: 32767 },
  disabledPlugins: new Set(),
};

/** Reads an IPv4 network that has room for Services; undefined when it is none. */
export function parseServiceRange(text: string): NumberRange | undefined {
  const [address = '', bits = '', ...rest] = text.split('/');
  const length = Number(bits);
  if (!isIPv4(address) || rest.length > 0 || !/^\d{1,2}$/.test(bits)) return undefined;
  // Three addresses at least: of the network, of the API itself, of the broadcast.
  if (length < 8 || length > 30) return undefined;
  const size = 2 ** (32 - length);
  const start = Math.floor(addressNumber(address) / size) * size;
  return { first: start + 1, last: start + size - 2 };
}

/** An IPv4 address as a number. */
export function addressNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The IPv4 address of a number. */
export function addressText(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}
