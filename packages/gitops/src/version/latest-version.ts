import { LooseVersion, VersionRange } from '@waygate/text';
import { GitOpsError } from '../gitops-error.ts';

/** Flux takes for versions only what has all three numbers; ranges may leave some out. */
const threeNumbers = /^v?\d+\.\d+\.\d+(?:[-+]|$)/;

/**
 * The tags with the highest version that a constraint wants: several when they differ only in build
 * metadata, so that what they point to has to decide.
 *
 * @throws GitOpsError when the constraint cannot be read, or no tag satisfies it
 */
export function latestVersions(tags: readonly string[], constraint: string): string[] {
  const range = VersionRange.read(constraint);
  if (range === undefined) {
    throw new GitOpsError(
      'WG_GITOPS_GIT',
      `semver parse error: improper constraint: ${JSON.stringify(constraint)}`,
    );
  }
  let best: LooseVersion[] = [];
  for (const tag of tags) {
    if (!threeNumbers.test(tag)) continue;
    const version = LooseVersion.read(tag);
    if (version === undefined || !range.includes(version)) continue;
    const order = best[0] === undefined ? 1 : version.compare(best[0]);
    if (order > 0) best = [version];
    else if (order === 0) best.push(version);
  }
  if (best.length === 0) {
    throw new GitOpsError('WG_GITOPS_GIT', `no match found for semver: ${constraint}`);
  }
  return best.map(({ original }) => original);
}

/** Whether a text is a constraint at all. */
export function isVersionConstraint(text: string): boolean {
  return VersionRange.read(text) !== undefined;
}

/**
 * The one tag: of equal versions that with the newest time, and of those the last.
 *
 * ```ts
 * latestVersion(['v1.2.0', 'v1.10.0', 'v2.0.0-rc.1'], '>=1.0.0'); // 'v1.10.0'
 * ```
 */
export function latestVersion(
  tags: readonly string[],
  constraint: string,
  timeOf: (tag: string) => number = () => 0,
): string {
  let latest: string | undefined;
  for (const tag of latestVersions(tags, constraint)) {
    if (latest === undefined || timeOf(tag) >= timeOf(latest)) latest = tag;
  }
  return latest as string;
}
