import { compileRegex } from '@waygate/text';
import { GitOpsError } from '../gitops-error.ts';
import { isVersionConstraint, latestVersions } from './latest-version.ts';

/**
 * The tag of a registry with the highest version that a constraint wants, of those that a regular
 * expression lets through. The expression is a tenant's: it runs in linear time.
 *
 * @throws GitOpsError when there is none
 */
export function latestTag(
  tags: readonly string[],
  constraint: string,
  filter: string | undefined,
): string {
  const isWanted = filter === undefined || filter === '' ? () => true : compileRegex(filter);
  const wanted = tags.filter(isWanted);
  if (!isVersionConstraint(constraint)) {
    throw new GitOpsError(
      'WG_GITOPS_HTTP',
      `semver '${constraint}' parse error: improper constraint: ${constraint}`,
    );
  }
  return latestVersions(wanted, constraint)[0] as string;
}
