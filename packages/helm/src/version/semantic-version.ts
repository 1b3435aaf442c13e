/** A semantic version. Numbers are bigint: tags may be dates with many digits. */
export interface SemanticVersion {
  readonly text: string;
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly build: string;
}

const pattern =
  /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/** Reads a version with three numbers and perhaps a `v`; undefined for anything else. */
export function parseVersion(text: string): SemanticVersion | undefined {
  if (text.length > 256) return undefined;
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', prerelease = '', build = ''] = found;
  if (prerelease.split('.').some((part) => /^0\d+$/.test(part))) return undefined;
  return {
    text,
    major: BigInt(major),
    minor: BigInt(minor),
    patch: BigInt(patch),
    prerelease,
    build,
  };
}

/** Below zero, zero or above. Build metadata does not count. */
export function compareVersions(left: SemanticVersion, right: SemanticVersion): number {
  return (
    compare(left.major, right.major) ||
    compare(left.minor, right.minor) ||
    compare(left.patch, right.patch) ||
    comparePrereleases(left.prerelease, right.prerelease)
  );
}

function comparePrereleases(left: string, right: string): number {
  if (left === right) return 0;
  if (left === '') return 1;
  if (right === '') return -1;
  const leftParts = left.split('.');
  const rightParts = right.split('.');
  for (let index = 0; index < Math.max(leftParts.length, rightParts.length); index++) {
    const one = leftParts[index];
    const other = rightParts[index];
    if (one === undefined) return -1;
    if (other === undefined) return 1;
    const order = compareIdentifiers(one, other);
    if (order !== 0) return order;
  }
  return 0;
}

function compareIdentifiers(left: string, right: string): number {
  const isLeftNumber = /^\d+$/.test(left);
  const isRightNumber = /^\d+$/.test(right);
  if (isLeftNumber && isRightNumber) return compare(BigInt(left), BigInt(right));
  if (isLeftNumber !== isRightNumber) return isLeftNumber ? -1 : 1;
  return compare(left, right);
}

function compare<T extends bigint | string>(left: T, right: T): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
