import { compareVersions, parseVersion, type SemanticVersion } from './semantic-version.ts';
import { parseVersionConstraint, satisfies } from './version-constraint.ts';

const loose =
  /^(v?)(\d+)(\.\d+)?(\.\d+)?((?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)$/;

/** A version as Helm takes it: a `v` before it, and numbers that lack, are no problem. */
export function readVersion(text: string): SemanticVersion | undefined {
  const found = loose.exec(text);
  if (found === null) return undefined;
  const [, , major, minor = '.0', patch = '.0', rest = ''] = found;
  return parseVersion(`${major}${minor}${patch}${rest}`);
}

export function isVersion(text: string): boolean {
  return readVersion(text) !== undefined;
}

/** Whether a version is within a range; not when either of them is none. */
export function isInRange(version: string, range: string): boolean {
  const found = readVersion(version);
  const constraint = parseVersionConstraint(range);
  return found !== undefined && constraint !== undefined && satisfies(found, constraint);
}

export function isRange(range: string): boolean {
  return parseVersionConstraint(range) !== undefined;
}

/** Newest first; what is no version comes last. */
export function compareNewestFirst(left: string, right: string): number {
  const [one, other] = [readVersion(left), readVersion(right)];
  if (one === undefined || other === undefined) {
    return one === other ? 0 : one === undefined ? 1 : -1;
  }
  return compareVersions(other, one);
}
