import { goRegex } from '../regex/compile-regex.ts';
import { comparePrereleases, LooseVersion, orNothing, VersionError } from './loose-version.ts';

const maxBytes = 512;
const maxGroups = 32;

const version =
  'v?([0-9|x|X|\\*]+)(\\.[0-9|x|X|\\*]+)?(\\.[0-9|x|X|\\*]+)?' +
  '(-([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?(\\+([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?';
const operators = '=||!=|>|<|>=|=>|<=|=<|~|~>|\\^';

// By the linear engine: what backtracks would take for ever over spaces that nobody closes.
const single = `^\\s*(${operators})\\s*(${version})\\s*$`;
const hyphenated = `\\s*(${version})\\s+-\\s+(${version})\\s*`;
const parts = `(${operators})\\s*(${version})`;
const group = `^(\\s*(${operators})\\s*(${version})\\s*)((?:\\s+|,\\s*)(${operators})\\s*(${version})\\s*)*$`;

/**
 * A range of versions as Masterminds' semver reads it: `>=1.2, <2 || ~3.1`, `^1.2`, `1.x`, `1.2 - 1.4`.
 * A part without a prerelease matches no prerelease.
 *
 * ```ts
 * new VersionRange('~1.2').includes(LooseVersion.parse('1.2.9')); // true
 * ```
 */
export class VersionRange {
  readonly #groups: readonly Group[];

  /** @throws VersionError in Masterminds' words */
  constructor(text: string) {
    if (Buffer.byteLength(text) > maxBytes) {
      throw new VersionError(`constraint string is too long (max ${maxBytes} bytes)`);
    }
    const ors = withoutHyphens(text).split('||');
    if (ors.length > maxGroups) {
      throw new VersionError(`too many constraint groups (max ${maxGroups})`);
    }
    this.#groups = ors.map(parseGroup);
  }

  /** The range, or undefined when the text is none. */
  static read(text: string): VersionRange | undefined {
    return orNothing(() => new VersionRange(text));
  }

  /** Whether a version is in the range. */
  includes(one: LooseVersion): boolean {
    return this.#groups.some(({ all, hasPrerelease }) =>
      all.every((constraint) => isWithin(one, constraint, hasPrerelease)),
    );
  }
}

/** What has to hold together. */
interface Group {
  readonly all: readonly Constraint[];
  readonly hasPrerelease: boolean;
}

interface Constraint {
  readonly operator: string;
  readonly version: LooseVersion;
  /** A part of the version is missing or a wild card: any, the minor one, the patch. */
  readonly isOpen: boolean;
  readonly isMinorOpen: boolean;
  readonly isPatchOpen: boolean;
}

/** `1.2 - 1.4` is `>= 1.2, <= 1.4`. */
function withoutHyphens(text: string): string {
  let out = text;
  for (const { start, end, groups } of goRegex(hyphenated).findAll(text)) {
    out = out.replace(text.slice(start, end), () => `>= ${groups[0]}, <= ${groups[10]} `);
  }
  return out;
}

function parseGroup(text: string): Group {
  if (!goRegex(group).test(text))
    throw new VersionError(`improper constraint: ${JSON.stringify(text)}`);
  const found = goRegex(parts).findAll(text);
  const all = found.map(({ start, end }) => parseConstraint(text.slice(start, end)));
  return { all, hasPrerelease: all.some((each) => each.version.prerelease !== '') };
}

function parseConstraint(text: string): Constraint {
  const match = goRegex(single).exec(text);
  if (match === undefined) throw new VersionError(`improper constraint: ${JSON.stringify(text)}`);
  const [operator = '', written = '', major = '', minor, patch, prerelease = ''] = match.groups;
  const isAny = isWild(major);
  const isMinorOpen = !isAny && isWild(minor);
  const isPatchOpen = !isAny && !isMinorOpen && isWild(patch);
  const numbers = isAny
    ? `0.0.0${prerelease}`
    : isMinorOpen
      ? `${major}.0.0${prerelease}`
      : isPatchOpen
        ? `${major}${minor}.0${prerelease}`
        : written;
  try {
    return {
      operator,
      version: LooseVersion.parse(numbers),
      isOpen: isAny || isMinorOpen || isPatchOpen,
      isMinorOpen,
      isPatchOpen,
    };
  } catch (error) {
    if (error instanceof VersionError) throw new VersionError('constraint parser error');
    throw error;
  }
}

function isWild(part: string | undefined): boolean {
  return part === undefined || /^\.?[xX*]?$/.test(part);
}

function isWithin(one: LooseVersion, constraint: Constraint, takesPrereleases: boolean): boolean {
  if (one.prerelease !== '' && !takesPrereleases) return false;
  const { version: limit, isOpen, isMinorOpen } = constraint;
  switch (constraint.operator) {
    case '!=':
      return isUnequal(one, constraint);
    case '>':
      return isGreater(one, constraint);
    case '<':
      return one.compare(limit) < 0;
    case '>=':
    case '=>':
      return one.compare(limit) >= 0;
    case '<=':
    case '=<':
      if (!isOpen) return one.compare(limit) <= 0;
      if (one.major !== limit.major) return one.major < limit.major;
      return isMinorOpen || one.minor <= limit.minor;
    case '~':
    case '~>':
      return isAlike(one, constraint);
    case '^':
      return isCompatible(one, constraint);
    default:
      return isOpen ? isAlike(one, constraint) : one.compare(limit) === 0;
  }
}

function isUnequal(
  one: LooseVersion,
  { version: limit, isOpen, isMinorOpen, isPatchOpen }: Constraint,
): boolean {
  if (!isOpen) return one.compare(limit) !== 0;
  if (one.major !== limit.major) return true;
  if (isMinorOpen) return false;
  if (one.minor !== limit.minor) return true;
  if (one.patch !== limit.patch && !isPatchOpen) return true;
  if (!isPatchOpen) return one.compare(limit) !== 0;
  return comparePrereleases(one.prerelease, limit.prerelease) !== 0;
}

function isGreater(
  one: LooseVersion,
  { version: limit, isOpen, isMinorOpen, isPatchOpen }: Constraint,
): boolean {
  if (!isOpen) return one.compare(limit) > 0;
  if (one.major !== limit.major) return one.major > limit.major;
  if (isMinorOpen) return false;
  return isPatchOpen ? one.minor > limit.minor : one.compare(limit) > 0;
}

/** `~`: the same major and, where it is given, minor version. */
function isAlike(
  one: LooseVersion,
  { version: limit, isMinorOpen, isPatchOpen }: Constraint,
): boolean {
  if (one.compare(limit) < 0) return false;
  const isZero = limit.major === 0n && limit.minor === 0n && limit.patch === 0n;
  if (isZero && !isMinorOpen && !isPatchOpen) return true;
  return one.major === limit.major && (isMinorOpen || one.minor === limit.minor);
}

/** `^`: nothing left of the first number that is not zero may change. */
function isCompatible(
  one: LooseVersion,
  { version: limit, isMinorOpen, isPatchOpen }: Constraint,
): boolean {
  if (one.compare(limit) < 0) return false;
  if (limit.major > 0n || isMinorOpen || one.major > 0n) return one.major === limit.major;
  if (limit.minor > 0n || isPatchOpen || one.minor > 0n) return one.minor === limit.minor;
  return one.patch === limit.patch;
}
