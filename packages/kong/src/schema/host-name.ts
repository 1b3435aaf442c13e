/**
 * Host names and addresses as Kong reads them: a host with an optional port, normalised. The rules
 * are those of its `normalize_ip`, quirks included, as they decide which configurations pass.
 */

interface NormalizedHost {
  readonly type: 'ipv4' | 'ipv6' | 'name';
  readonly host: string;
  readonly port?: number;
}

type HostResult =
  | { readonly isValid: true; readonly host: NormalizedHost }
  | { readonly isValid: false; readonly message: string };

function invalid(message: string): HostResult {
  return { isValid: false, message };
}

function normalizeIpv4(address: string): HostResult {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?::(\d+))?$/.exec(address);
  if (parts === null) return invalid(`invalid ipv4 address: ${address}`);
  const [one, two, three, four] = [
    Number(parts[1]),
    Number(parts[2]),
    Number(parts[3]),
    Number(parts[4]),
  ] as const;
  if (one > 255 || two > 255 || three > 255 || four > 255) {
    return invalid(`invalid ipv4 address: ${address}`);
  }
  const host = `${one}.${two}.${three}.${four}`;
  if (parts[5] === undefined) return { isValid: true, host: { type: 'ipv4', host } };
  const port = Number(parts[5]);
  if (port > 65_535) return invalid('invalid port number');
  return { isValid: true, host: { type: 'ipv4', host, port } };
}

/** The eight groups of an IPv6 address, or undefined. */
function ipv6Groups(address: string): readonly string[] | undefined {
  const halves = address.split('::');
  if (halves.length > 2) return undefined;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1)?.at(-1);
  if (last?.includes('.')) {
    const ipv4 = normalizeIpv4(last);
    if (!ipv4.isValid || ipv4.host.port !== undefined) return undefined;
    const octets = ipv4.host.host.split('.').map(Number) as [number, number, number, number];
    const words = [octets[0] * 256 + octets[1], octets[2] * 256 + octets[3]];
    groups.at(-1)?.splice(-1, 1, ...words.map((word) => word.toString(16)));
  }
  const given = groups.flat();
  if (given.some((group) => !/^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  if (halves.length === 1) return given.length === 8 ? given : undefined;
  if (given.length > 7) return undefined;
  const zeros = Array.from({ length: 8 - given.length }, () => '0');
  return [...(groups[0] ?? []), ...zeros, ...(groups[1] ?? [])];
}

function normalizeIpv6(address: string): HostResult {
  const bracketed = /^\[([^\]]*)\](?::(\d*))?$/.exec(address);
  if (address.startsWith('[') && bracketed === null) {
    return invalid(`invalid ipv6 address: ${address}`);
  }
  const groups = ipv6Groups(bracketed?.[1] ?? address);
  if (groups === undefined) return invalid(`invalid ipv6 address: ${address}`);
  const host = `[${groups.map((group) => group.toLowerCase().padStart(4, '0')).join(':')}]`;
  const portText = bracketed?.[2];
  if (portText === undefined) return { isValid: true, host: { type: 'ipv6', host } };
  const port = Number(portText);
  if (portText === '' || port > 65_535) return invalid('invalid port number');
  return { isValid: true, host: { type: 'ipv6', host, port } };
}

function normalizeName(address: string): HostResult {
  const portText = /:(\d+)$/.exec(address)?.[1];
  const name = portText === undefined ? address : address.slice(0, -(portText.length + 1));
  if (portText !== undefined && Number(portText) > 65_535) return invalid('invalid port number');
  if (!/^[\dA-Za-z\-._]+$/.test(name)) return invalid(`invalid hostname: ${address}`);
  const labels = (name.endsWith('.') ? name.slice(0, -1) : name).split('.');
  if (labels.some((label) => label === '' || label.endsWith('-'))) {
    return invalid(`invalid hostname: ${address}`);
  }
  const port = portText === undefined ? {} : { port: Number(portText) };
  return { isValid: true, host: { type: 'name', host: name, ...port } };
}

/** Reads `host`, `host:port`, an IPv4 or an IPv6 address, the last with brackets or without. */
export function normalizeHost(address: string): HostResult {
  const colon = address.indexOf(':');
  if (colon !== -1 && address.includes(':', colon + 1)) return normalizeIpv6(address);
  // A colon alone is neither an address nor a name.
  if (address !== ':' && /^[\d.:]+$/.test(address)) return normalizeIpv4(address);
  return normalizeName(address);
}

/** The port that a target without one gets. */
const defaultTargetPort = 8000;

/**
 * A target as Kong stores it, with its port, or undefined when it is none.
 *
 * ```ts
 * normalizeTarget('shop'); // 'shop:8000'
 * ```
 */
export function normalizeTarget(target: string): string | undefined {
  const result = normalizeHost(target);
  if (!result.isValid) return undefined;
  return `${result.host.host}:${result.host.port ?? defaultTargetPort}`;
}

/** Whether a text is an address, or a range in CIDR notation. */
export function isIpOrCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  if (rest.length > 0) return false;
  const result = normalizeHost(address);
  if (!result.isValid || result.host.type === 'name' || result.host.port !== undefined)
    return false;
  if (address.startsWith('[')) return false;
  if (prefix === undefined) return true;
  if (!/^\d{1,3}$/.test(prefix)) return false;
  return Number(prefix) <= (result.host.type === 'ipv4' ? 32 : 128);
}
