import { GitOpsError } from '../gitops-error.ts';
import { compareVersions, parseVersion, type SemanticVersion } from './semantic-version.ts';
import { parseVersionConstraint, satisfies } from './version-constraint.ts';

/**
 * The tags with the highest version that a constraint wants: several when they differ only in build
 * metadata, so that what they point to has to decide.
 *
 * @throws GitOpsError when the constraint cannot be read, or no tag satisfies it
 */
export function latestVersions(tags: readonly string[], constraint: string): string[] {
  const parsed = parseVersionConstraint(constraint);
  if (parsed === undefined) {
    throw new GitOpsError(
      'WG_GITOPS_GIT',
      `semver parse error: improper constraint: ${JSON.stringify(constraint)}`,
    );
  }
  let best: SemanticVersion[] = [];
  for (const tag of tags) {
    const version = parseVersion(tag);
    if (version === undefined || !satisfies(version, parsed)) continue;
    const order = best[0] === undefined ? 1 : compareVersions(version, best[0]);
    if (order > 0) best = [version];
    else if (order === 0) best.push(version);
  }
  if (best.length === 0) {
    throw new GitOpsError('WG_GITOPS_GIT', `no match found for semver: ${constraint}`);
  }
  return best.map(({ text }) => text);
}

/** The one tag: of equal versions that with the newest time, and of those the last. */
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
