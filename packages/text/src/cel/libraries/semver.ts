import { comparePrereleases } from '../../semver/loose-version.ts';
import { type CelLibrary, member, overload } from '../declaration.ts';
import { boolType, intType, stringType, structType } from '../types/type.ts';
import { maxUint } from '../values/number.ts';
import { CelFailure, CelObject, type CelResult, type CelValue } from '../values/value.ts';

/** A semantic version. */
class Semver extends CelObject {
  readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly bigint[];
  /** Empty for a release, which is above all that lead to it. */
  readonly prerelease: string;

  constructor(numbers: readonly bigint[], prerelease: string) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  compare(other: Semver): number {
    for (const [index, number] of this.numbers.entries()) {
      const theirs = other.numbers[index] as bigint;
      if (number !== theirs) return number < theirs ? -1 : 1;
    }
    if (this.prerelease === '' || other.prerelease === '') {
      return Math.sign(other.prerelease.length - this.prerelease.length);
    }
    return comparePrereleases(this.prerelease, other.prerelease);
  }

  equals(other: CelValue): boolean | CelFailure {
    return other instanceof Semver ? this.compare(other) === 0 : new CelFailure('no such overload');
  }
}

function parse(text: string): Semver | CelFailure {
  if (text === '') return new CelFailure('Version string empty');
  const [major = '', minor, ...more] = text.split('.');
  if (minor === undefined || more.length === 0) {
    return new CelFailure('No Major.Minor.Patch elements found');
  }
  const rest = more.join('.');
  const plus = rest.indexOf('+');
  const build = plus < 0 ? undefined : rest.slice(plus + 1).split('.');
  const beforeBuild = plus < 0 ? rest : rest.slice(0, plus);
  const dash = beforeBuild.indexOf('-');
  const prerelease = dash < 0 ? [] : beforeBuild.slice(dash + 1).split('.');
  const patch = dash < 0 ? beforeBuild : beforeBuild.slice(0, dash);
  const numbers: bigint[] = [];
  for (const [name, part] of [
    ['major', major],
    ['minor', minor],
    ['patch', patch],
  ] as const) {
    const number = readNumber(name, part);
    if (number instanceof CelFailure) return number;
    numbers.push(number);
  }
  for (const part of prerelease) {
    if (part === '') return new CelFailure('Prerelease is empty');
    if (!/^[0-9A-Za-z-]+$/.test(part))
      return new CelFailure(`Invalid character(s) found in prerelease ${JSON.stringify(part)}`);
    if (/^0\d+$/.test(part))
      return new CelFailure(
        `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`,
      );
  }
  for (const part of build ?? []) {
    if (part === '') return new CelFailure('Build meta data is empty');
    if (!/^[0-9A-Za-z-]+$/.test(part))
      return new CelFailure(
        `Invalid character(s) found in build meta data ${JSON.stringify(part)}`,
      );
  }
  return new Semver(numbers, prerelease.join('.'));
}

function readNumber(name: string, text: string): bigint | CelFailure {
  const shown = JSON.stringify(text);
  const label = name.charAt(0).toUpperCase() + name.slice(1);
  if (!/^\d+$/.test(text)) {
    return name === 'patch'
      ? new CelFailure(`Invalid character(s) found in patch number ${shown}`)
      : new CelFailure(`Invalid character(s) found in ${name} number ${shown}`);
  }
  if (/^0\d/.test(text))
    return new CelFailure(`${label} number must not contain leading zeroes ${shown}`);
  const number = BigInt(text);
  return number > maxUint
    ? new CelFailure(`strconv.ParseUint: parsing ${shown}: value out of range`)
    : number;
}

/** `v1.2` becomes `1.2.0`: a leading v goes, leading zeros go, and missing numbers come. */
function parseTolerant(text: string): Semver | CelFailure {
  const [first = '', second, ...more] = text.replace(/^v/, '').split('.');
  const parts = [first, second, more.length === 0 ? undefined : more.join('.')]
    .filter((part) => part !== undefined)
    .map((part) => (part.length > 1 ? part.replace(/^0+/, '').replace(/^(?!\d)/, '0') : part));
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    return new CelFailure('short version cannot contain PreRelease/Build meta data');
  }
  while (parts.length < 3) parts.push('0');
  return parse(parts.join('.'));
}

const read = (text: CelValue, isTolerant: CelValue = false): Semver | CelFailure =>
  isTolerant === true ? parseTolerant(text as string) : parse(text as string);

const semverType = structType('kubernetes.Semver');
const isReadable = (text: CelValue, isTolerant?: CelValue): CelResult =>
  !(read(text, isTolerant) instanceof CelFailure);

const compare = (id: string, result: typeof intType, outcome: (order: number) => CelResult) => [
  member(id, [semverType, semverType], result, (one, other) =>
    outcome((one as Semver).compare(other as Semver)),
  ),
];

const number = (id: string, index: number) => [
  member(id, [semverType], intType, (version) => (version as Semver).numbers[index] as bigint),
];

/** `semver('1.2.3')` and what can be asked of it. */
export const semvers: CelLibrary = {
  functions: {
    semver: [
      overload('string_to_semver', [stringType], semverType, read),
      overload('string_bool_to_semver', [stringType, boolType], semverType, read),
    ],
    isSemver: [
      overload('is_semver_string', [stringType], boolType, isReadable),
      overload('is_semver_string_bool', [stringType, boolType], boolType, isReadable),
    ],
    isGreaterThan: compare('semver_is_greater_than', boolType, (order) => order > 0),
    isLessThan: compare('semver_is_less_than', boolType, (order) => order < 0),
    compareTo: compare('semver_compare_to', intType, (order) => BigInt(order)),
    major: number('semver_major', 0),
    minor: number('semver_minor', 1),
    patch: number('semver_patch', 2),
  },
};
