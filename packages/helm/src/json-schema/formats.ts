import { goRegex } from '@waygate/text';
import { checkEmail, checkHostname, checkIpv4, checkIpv6 } from './address-formats.ts';
import type { JsonNode } from './json-node.ts';
import { quotedRune } from './json-reader.ts';
import { checkDate, checkDateTime, checkDuration, checkPeriod, checkTime } from './time-formats.ts';
import { checkUri, checkUriReference, checkUriTemplate } from './uri-formats.ts';

/** Why a value is not of a format; undefined when it is, or is no text. */
export type FormatCheck = (node: JsonNode) => string | undefined;

type TextCheck = (text: string) => string | undefined;

const textChecks: readonly (readonly [string, TextCheck])[] = [
  ['regex', checkRegex],
  ['json-pointer', checkJsonPointer],
  ['relative-json-pointer', checkRelativeJsonPointer],
  ['uuid', checkUuid],
  ['duration', checkDuration],
  ['period', checkPeriod],
  ['ipv4', checkIpv4],
  ['ipv6', checkIpv6],
  ['hostname', checkHostname],
  ['email', checkEmail],
  ['date', checkDate],
  ['time', checkTime],
  ['date-time', checkDateTime],
  ['uri', checkUri],
  ['iri', checkUri],
  ['uri-reference', checkUriReference],
  ['iri-reference', checkUriReference],
  ['uri-template', checkUriTemplate],
  ['semver', checkSemver],
];

/** The formats that are known; others count as remarks. */
export const formatChecks: ReadonlyMap<string, FormatCheck> = new Map(
  textChecks.map(([name, check]) => [
    name,
    (node: JsonNode) => (typeof node === 'string' ? check(node) : undefined),
  ]),
);

function checkRegex(text: string): string | undefined {
  try {
    goRegex(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function checkJsonPointer(text: string): string | undefined {
  if (text === '') return undefined;
  if (!text.startsWith('/')) return 'not starting with /';
  return /~(?![01])/.test(text) ? '~ must be followed by 0 or 1' : undefined;
}

function checkRelativeJsonPointer(text: string): string | undefined {
  const digits = /^\d*/.exec(text)![0];
  if (digits === '') return 'must start with non-negative integer';
  if (digits.length > 1 && digits.startsWith('0')) return 'starts with zero';
  const rest = text.slice(digits.length);
  return rest === '#' ? undefined : checkJsonPointer(rest);
}

function checkUuid(text: string): string | undefined {
  const lengths = [8, 4, 4, 4, 12];
  const groups = text.split('-');
  if (groups.length !== lengths.length) return `must have ${lengths.length} elements`;
  for (const [index, group] of groups.entries()) {
    if (group.length !== lengths[index]) {
      return `element ${index + 1} must be ${lengths[index]} characters long`;
    }
    const bad = /[^0-9a-fA-F]/u.exec(group)?.[0];
    if (bad !== undefined) return `non-hex character ${quotedRune(bad)}`;
  }
  return undefined;
}

function checkSemver(text: string): string | undefined {
  const plus = text.indexOf('+');
  if (plus >= 0) {
    const build = text.slice(plus + 1);
    if (build === '') return 'build is empty';
    const problem = checkIdentifiers(build, 'build');
    if (problem !== undefined) return problem;
  }
  const rest = plus < 0 ? text : text.slice(0, plus);
  const dash = rest.indexOf('-');
  if (dash >= 0) {
    const problem = checkIdentifiers(rest.slice(dash + 1), 'pre-release');
    if (problem !== undefined) return problem;
  }
  const numbers = (dash < 0 ? rest : rest.slice(0, dash)).split('.');
  if (numbers.length !== 3) return 'versionCore must have 3 numbers separated by dot';
  for (const [index, number] of numbers.entries()) {
    const name = ['major', 'minor', 'patch'][index]!;
    if (number === '') return `${name} is empty`;
    if (number.length > 1 && number.startsWith('0')) return `${name} starts with zero`;
    if (!/^\d+$/.test(number)) return `${name} contains non-digit`;
  }
  return undefined;
}

function checkIdentifiers(text: string, what: 'build' | 'pre-release'): string | undefined {
  for (const identifier of text.split('.')) {
    if (identifier === '') return `${what} identifier is empty`;
    const bad = /[^0-9A-Za-z-]/u.exec(identifier)?.[0];
    if (bad !== undefined) return `invalid character ${quotedRune(bad)} in ${what} identifier`;
    if (what === 'pre-release' && /^0\d+$/.test(identifier)) {
      return 'pre-release numeric identifier starts with zero';
    }
  }
  return undefined;
}
