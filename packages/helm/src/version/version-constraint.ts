import { compareVersions, parseVersion, type SemanticVersion } from './semantic-version.ts';

interface Comparator {
  readonly operator: string;
  readonly version: SemanticVersion;
  /** Not all three numbers were given. */
  readonly isPartial: boolean;
  readonly isMinorOpen: boolean;
  readonly isPatchOpen: boolean;
}

/** Alternatives, each of which is a list that must hold in whole. */
type VersionConstraint = readonly (readonly Comparator[])[];

const operand = String.raw`v?([0-9xX*]+)(\.[0-9xX*]+)?(\.[0-9xX*]+)?(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?`;
const comparatorPattern = new RegExp(`^(=|==|!=|>|<|>=|=>|<=|=<|~|~>|\\^)?\\s*${operand}$`);
const hyphenPattern = new RegExp(`\\s*(${operand})\\s+-\\s+(${operand})\\s*`, 'g');

/**
 * Reads a constraint such as `>=1.0.0 <2.0.0`, `1.x || ^2.1` or `~1.2`; undefined when it is none.
 */
export function parseVersionConstraint(text: string): VersionConstraint | undefined {
  if (text.length > 1000) return undefined;
  const alternatives: Comparator[][] = [];
  for (const part of text.replace(hyphenPattern, replaceHyphen).split('||')) {
    const comparators: Comparator[] = [];
    for (const word of splitComparators(part)) {
      const comparator = parseComparator(word);
      if (comparator === undefined) return undefined;
      comparators.push(comparator);
    }
    if (comparators.length === 0) return undefined;
    alternatives.push(comparators);
  }
  return alternatives;
}

function replaceHyphen(_whole: string, ...groups: string[]): string {
  return `>=${groups[0]} <=${groups[6]}`;
}

/** By commas and spaces; a space may also stand between an operator and its version. */
function splitComparators(text: string): string[] {
  return text
    .replace(/([=<>~^!])\s+/g, '$1')
    .split(/[,\s]+/)
    .filter((word) => word !== '');
}

function parseComparator(text: string): Comparator | undefined {
  const found = comparatorPattern.exec(text);
  if (found === null) return undefined;
  const [, operator = '', major = '', minor = '', patch = '', prerelease = ''] = found;
  const isOpen = (part: string) => part === '' || /^\.?[xX*]$/.test(part);
  let numbers: string;
  let isMinorOpen = false;
  let isPatchOpen = false;
  const isAnything = isOpen(major);
  if (isAnything) numbers = '0.0.0';
  else if (isOpen(minor)) {
    isMinorOpen = true;
    numbers = `${major}.0.0${prerelease}`;
  } else if (isOpen(patch)) {
    isPatchOpen = true;
    numbers = `${major}${minor}.0${prerelease}`;
  } else numbers = `${major}${minor}${patch}${prerelease}`;
  const version = parseVersion(numbers);
  if (version === undefined) return undefined;
  const isPartial = isAnything || isMinorOpen || isPatchOpen;
  return { operator, version, isPartial, isMinorOpen, isPatchOpen };
}

/** Whether a version is one that the constraint wants. Prereleases only where one is named. */
export function satisfies(version: SemanticVersion, constraint: VersionConstraint): boolean {
  return constraint.some((comparators) => {
    const wantsPrereleases = comparators.some((one) => one.version.prerelease !== '');
    if (version.prerelease !== '' && !wantsPrereleases) return false;
    return comparators.every((comparator) => holds(version, comparator));
  });
}

function holds(version: SemanticVersion, comparator: Comparator): boolean {
  const { operator, isPartial } = comparator;
  const order = compareVersions(version, comparator.version);
  switch (operator) {
    case '':
    case '=':
    case '==':
      return isPartial ? isWithinTilde(version, comparator) : order === 0;
    case '!=':
      return isPartial ? isOutsidePartial(version, comparator) : order !== 0;
    case '>':
      return isAbove(version, comparator, order);
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      return isAtMost(version, comparator, order);
    case '~':
    case '~>':
      return isWithinTilde(version, comparator);
    default:
      return isWithinCaret(version, comparator);
  }
}

function isOutsidePartial(version: SemanticVersion, comparator: Comparator): boolean {
  const { version: wanted, isMinorOpen, isPatchOpen } = comparator;
  if (version.major !== wanted.major) return true;
  if (version.minor !== wanted.minor && !isMinorOpen) return true;
  if (isMinorOpen) return false;
  return version.patch !== wanted.patch && !isPatchOpen;
}

function isAbove(version: SemanticVersion, comparator: Comparator, order: number): boolean {
  const { version: wanted, isPartial, isMinorOpen, isPatchOpen } = comparator;
  if (!isPartial) return order > 0;
  if (version.major !== wanted.major) return version.major > wanted.major;
  if (isMinorOpen) return false;
  if (isPatchOpen) return version.minor > wanted.minor;
  return order > 0;
}

function isAtMost(version: SemanticVersion, comparator: Comparator, order: number): boolean {
  const { version: wanted, isPartial, isMinorOpen } = comparator;
  if (!isPartial) return order <= 0;
  if (version.major > wanted.major) return false;
  return !(version.major === wanted.major && version.minor > wanted.minor && !isMinorOpen);
}

function isWithinTilde(version: SemanticVersion, comparator: Comparator): boolean {
  const { version: wanted, isMinorOpen, isPatchOpen } = comparator;
  if (compareVersions(version, wanted) < 0) return false;
  const isZero = wanted.major === 0n && wanted.minor === 0n && wanted.patch === 0n;
  if (isZero && !isMinorOpen && !isPatchOpen) return true;
  if (version.major !== wanted.major) return false;
  return version.minor === wanted.minor || isMinorOpen;
}

function isWithinCaret(version: SemanticVersion, comparator: Comparator): boolean {
  const { version: wanted, isMinorOpen, isPatchOpen } = comparator;
  if (compareVersions(version, wanted) < 0) return false;
  if (wanted.major > 0n || isMinorOpen) return version.major === wanted.major;
  if (version.major > 0n) return false;
  if (wanted.minor > 0n || isPatchOpen) return version.minor === wanted.minor;
  if (version.minor > 0n) return false;
  return version.patch === wanted.patch;
}
