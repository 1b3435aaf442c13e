import { quotedRune } from './json-reader.ts';
import { addressProblem } from './parse-address.ts';

export function checkIpv4(text: string): string | undefined {
  const groups = text.split('.');
  if (groups.length !== 4) return 'expected four decimals';
  for (const group of groups) {
    if (group.length > 1 && group.startsWith('0')) return 'leading zeros';
    if (!/^[+-]?\d+$/.test(group)) {
      return `strconv.Atoi: parsing ${JSON.stringify(group)}: invalid syntax`;
    }
    if (Number(group) < 0 || Number(group) > 255) return 'decimal must be between 0 and 255';
  }
  return undefined;
}

export function checkIpv6(text: string): string | undefined {
  if (!text.includes(':')) return 'missing colon';
  const problem = addressProblem(text);
  if (problem !== undefined) return problem;
  return text.includes('%') ? 'zone id is not a part of ipv6 address' : undefined;
}

export function checkHostname(text: string): string | undefined {
  const name = text.replace(/\.$/, '');
  if (Buffer.byteLength(name) > 253) return 'more than 253 characters long';
  for (const label of name.split('.')) {
    const length = Buffer.byteLength(label);
    if (length < 1 || length > 63) return 'label must be 1 to 63 characters long';
    if (label.startsWith('-')) return 'label starts with hyphen';
    if (label.endsWith('-')) return 'label ends with hyphen';
    const bad = /[^a-zA-Z0-9-]/u.exec(label)?.[0];
    if (bad !== undefined) return `invalid character ${quotedRune(bad)}`;
  }
  return undefined;
}

export function checkEmail(text: string): string | undefined {
  if (Buffer.byteLength(text) > 254) return 'more than 255 characters long';
  const at = text.lastIndexOf('@');
  if (at < 0) return 'missing @';
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (Buffer.byteLength(local) > 64) return 'local part more than 64 characters long';
  return checkLocalPart(local) ?? checkDomain(domain);
}

function checkLocalPart(local: string): string | undefined {
  if (local.length > 1 && local.startsWith('"') && local.endsWith('"')) {
    return /[\\"]/.test(local.slice(1, -1))
      ? 'backslash and quote are not allowed within quoted local part'
      : undefined;
  }
  if (local.startsWith('.')) return 'starts with dot';
  if (local.endsWith('.')) return 'ends with dot';
  if (local.includes('..')) return 'consecutive dots';
  const bad = /[^a-zA-Z0-9.!#$%&'*+\-/=?^_`{|}~]/u.exec(local)?.[0];
  return bad === undefined ? undefined : `invalid character ${quotedRune(bad)}`;
}

function checkDomain(domain: string): string | undefined {
  if (domain.startsWith('[') && domain.endsWith(']')) {
    const address = domain.slice(1, -1);
    if (address.startsWith('IPv6:')) {
      return inside('invalid ipv6 address', checkIpv6(address.slice(5)));
    }
    return inside('invalid ipv4 address', checkIpv4(address));
  }
  return inside('invalid domain', checkHostname(domain));
}

function inside(what: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${what}: ${problem}`;
}
