import type { Environment } from '@marcbachmann/cel-js';

const strict =
  /^(0|[1-9]\d{0,18})\.(0|[1-9]\d{0,18})\.(0|[1-9]\d{0,18})(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;
const maxLength = 256;

/** A semantic version inside an expression. */
class Semver {
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly bigint[] = [0n, 0n, 0n], prerelease: readonly string[] = []) {
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  static parse(text: string): Semver | undefined {
    const found = text.length > maxLength ? null : strict.exec(text);
    if (found === null) return undefined;
    const [, major = '', minor = '', patch = '', pre, build] = found;
    const parts = pre?.split('.') ?? [];
    if (parts.some((part) => part === '' || /^0\d+$/.test(part))) return undefined;
    if (build?.split('.').some((part) => part === '') === true) return undefined;
    return new Semver([BigInt(major), BigInt(minor), BigInt(patch)], parts);
  }

  compare(other: Semver): number {
    for (const [index, number] of this.numbers.entries()) {
      const theirs = other.numbers[index] as bigint;
      if (number !== theirs) return number < theirs ? -1 : 1;
    }
    return comparePrereleases(this.prerelease, other.prerelease);
  }
}

/** None is above any; numbers are below texts; more parts are above fewer. */
function comparePrereleases(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return Math.sign(other.length - one.length);
  for (let index = 0; index < Math.min(one.length, other.length); index++) {
    const order = comparePart(one[index] as string, other[index] as string);
    if (order !== 0) return order;
  }
  return Math.sign(one.length - other.length);
}

function comparePart(one: string, other: string): number {
  const isNumber = /^\d+$/;
  const [left, right] = [isNumber.test(one), isNumber.test(other)];
  if (left && right) return BigInt(one) < BigInt(other) ? -1 : BigInt(one) > BigInt(other) ? 1 : 0;
  if (left !== right) return left ? -1 : 1;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** `v1.2` becomes `1.2.0`: a leading v goes, leading zeros go, and missing numbers come. */
function normalized(text: string): string {
  const [core = '', ...rest] = text.replace(/^v/, '').split(/(?=[-+])/);
  const numbers = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  // A suffix after fewer than three numbers means nothing.
  while (numbers.length < 3 && rest.length === 0) numbers.push('0');
  return numbers.join('.') + rest.join('');
}

const read = (text: string, isNormalized: boolean) =>
  Semver.parse(isNormalized ? normalized(text) : text);

/** `semver('1.2.3')` and what can be asked of it, as Kubernetes has it. */
export function registerSemverFunctions(environment: Environment): void {
  environment.registerType('Semver', Semver);
  const make = (text: string, isNormalized = false) => {
    const version = read(text, isNormalized);
    if (version === undefined) throw new Error('No Major.Minor.Patch elements found');
    return version;
  };
  environment.registerFunction('semver(string): Semver', (text: string) => make(text));
  environment.registerFunction('semver(string, bool): Semver', make);
  environment.registerFunction(
    'isSemver(string): bool',
    (text: string) => read(text, false) !== undefined,
  );
  environment.registerFunction(
    'isSemver(string, bool): bool',
    (text: string, isNormalized: boolean) => read(text, isNormalized) !== undefined,
  );
  for (const [index, name] of ['major', 'minor', 'patch'].entries()) {
    environment.registerFunction(`Semver.${name}(): int`, ({ numbers }: Semver) => numbers[index]);
  }
  environment.registerFunction('Semver.compareTo(Semver): int', (one: Semver, other: Semver) =>
    BigInt(one.compare(other)),
  );
  environment.registerFunction(
    'Semver.isGreaterThan(Semver): bool',
    (one: Semver, other: Semver) => one.compare(other) > 0,
  );
  environment.registerFunction(
    'Semver.isLessThan(Semver): bool',
    (one: Semver, other: Semver) => one.compare(other) < 0,
  );
  environment.registerOperator(
    'Semver == Semver',
    (one: Semver, other: Semver) => one.compare(other) === 0,
  );
}
