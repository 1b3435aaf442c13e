import { BlockList, isIP } from 'node:net';
import { type FieldProblem, invalid } from '../status/field-problem.ts';

export function addressProblems(address: string, field: string): FieldProblem[] {
  if (isIP(address) !== 0) return [];
  return [invalid(field, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
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

export function networkOf(text: string): Network | undefined {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = isIP(address);
  const isNumber = /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  return family === 0 || !isNumber || rest.length > 0 ? undefined : { address, bits: Number(bits) };
}

export function cidrProblems(text: string, field: string): FieldProblem[] {
  if (networkOf(text) !== undefined) return [];
  const why = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  return [invalid(field, text, why)];
}
