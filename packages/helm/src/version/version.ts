import { LooseVersion, VersionRange } from '@waygate/text';

/** A version as Helm takes it: a `v` before it, and numbers that lack, are no problem. */
export function readVersion(text: string): LooseVersion | undefined {
  return LooseVersion.read(text);
}

export function isVersion(text: string): boolean {
  return readVersion(text) !== undefined;
}

/** Whether a version is within a range; not when either of them is none. */
export function isInRange(version: string, range: string): boolean {
  const found = readVersion(version);
  return found !== undefined && VersionRange.read(range)?.includes(found) === true;
}

export function isRange(range: string): boolean {
  return VersionRange.read(range) !== undefined;
}

/** Newest first; what is no version comes last. */
export function compareNewestFirst(left: string, right: string): number {
  const [one, other] = [readVersion(left), readVersion(right)];
  if (one === undefined || other === undefined) {
    return one === other ? 0 : one === undefined ? 1 : -1;
  }
  return other.compare(one);
}
