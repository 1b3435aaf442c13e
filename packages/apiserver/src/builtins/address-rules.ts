import { BlockList, isIP } from 'node:net';
import { type FieldProblem, invalid } from '../status/field-problem.ts';

const withZeroes = /^\d+\.\d+\.\d+\.\d+$/;

/** Without the zeroes in front that some read as octal. */
function withoutZeroes(address: string): string {
  return withZeroes.test(address) ? address.replace(/\b0+(?=\d)/g, '') : address;
}

function isMapped(address: string): boolean {
  return isIP(address) === 6 && /^::ffff:/i.test(canonicalAddress(address));
}

/** An IPv6 address as RFC 5952 writes it; any other one as it is. */
function canonicalAddress(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return address;
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

export function addressProblems(address: string, field: string): FieldProblem[] {
  if (isMapped(address))
    return [invalid(field, address, 'must not be an IPv4-mapped IPv6 address')];
  if (isIP(address) !== 0) return [];
  if (isIP(withoutZeroes(address)) === 4)
    return [invalid(field, address, 'must not have leading 0s')];
  return [invalid(field, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
}

/** Whether a text can be read as an address, though nobody should write it so. */
export function isLooseAddress(address: string): boolean {
  return isIP(withoutZeroes(address)) !== 0;
}

/** An address in the one way that it is to be written. */
export function strictAddressProblems(address: string, field: string): FieldProblem[] {
  const problems = addressProblems(address, field);
  const canonical = canonicalAddress(address);
  return problems.length > 0 || canonical === address
    ? problems
    : [invalid(field, address, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

/** Said of an endpoint on the machine itself. */
export const loopbackProblem = 'may not be in the loopback range (127.0.0.0/8, ::1/128)';

/** Addresses that mean something else on every machine. */
export function specialAddressProblems(address: string, field: string): FieldProblem[] {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (address === '0.0.0.0' || address === '::')
    return [invalid(field, address, `may not be unspecified (${address})`)];
  for (const [range, problem] of specialRanges()) {
    if (range.check(address, family)) return [invalid(field, address, problem)];
  }
  return [];
}

let ranges: readonly (readonly [BlockList, string])[] | undefined;

function specialRanges(): readonly (readonly [BlockList, string])[] {
  ranges ??= [
    [rangeOf(['127.0.0.0', 8], ['::1', 128]), loopbackProblem],
    [
      rangeOf(['169.254.0.0', 16], ['fe80::', 10]),
      'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
    [
      rangeOf(['224.0.0.0', 24], ['ff02::', 16]),
      'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    ],
  ];
  return ranges;
}

function rangeOf(...networks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of networks)
    list.addSubnet(address, bits, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return list;
}

export interface Network {
  readonly address: string;
  readonly bits: number;
}

/** How else an address is better written. */
export function addressWarnings(address: string, field: string): string[] {
  const canonical = canonicalAddress(address);
  return canonical === address
    ? []
    : [
        `${field}: IPv6 address ${JSON.stringify(address)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
      ];
}

/** How else a network is better written. */
export function cidrWarnings(text: string, field: string): string[] {
  const [address = '', bits = ''] = text.split('/');
  const canonical = `${canonicalAddress(address)}/${bits}`;
  return canonical === text
    ? []
    : [
        `${field}: IPv6 CIDR value ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
      ];
}

export function networkOf(text: string): Network | undefined {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = isIP(address);
  const isNumber = /^(?:0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  return family === 0 || !isNumber || rest.length > 0 ? undefined : { address, bits: Number(bits) };
}

export function cidrProblems(text: string, field: string): FieldProblem[] {
  const network = networkOf(text);
  if (network !== undefined) {
    if (isMapped(network.address))
      return [invalid(field, text, 'must not have an IPv4-mapped IPv6 address')];
    return isFirst(network)
      ? []
      : [invalid(field, text, 'must not have bits set beyond the prefix length')];
  }
  const [address = '', bits = ''] = text.split('/');
  const plain = networkOf(`${withoutZeroes(address)}/${bits.replace(/^0+(?=\d)/, '')}`);
  const why =
    plain !== undefined && text.split('/').length === 2
      ? 'must not have leading 0s in IP or prefix length'
      : 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  return [invalid(field, text, why)];
}

/** Whether an address is the first of its network: what is beyond the prefix is nothing. */
function isFirst({ address, bits }: Network): boolean {
  if (isIP(address) === 4) {
    const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    return number % 2 ** (32 - bits) === 0;
  }
  return isZeroAfter(wordsOf(address), bits);
}

/** The eight words of an IPv6 address. */
function wordsOf(address: string): number[] {
  const [head = '', tail] = canonicalAddress(address).split('::');
  const words = (text: string) =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  const [front, back] = [words(head), words(tail ?? '')];
  return [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function isZeroAfter(words: readonly number[], bits: number): boolean {
  return words.every((word, index) => {
    const kept = Math.min(16, Math.max(0, bits - index * 16));
    return word % 2 ** (16 - kept) === 0;
  });
}
