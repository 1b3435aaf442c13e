import { type Manager, type Managers, managerIdentity } from './managers.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Why an object cannot be seen in the version that an owner wrote in; see `CustomResourceBehaviour`. */
export type VersionSight = (object: Fields, apiVersion: string) => string | undefined;

/** The versions in which fields are owned. Those of replicas through the scale endpoint are told as its own. */
function versionsOf(managers: Managers, except?: string): Set<string> {
  const versions = new Set<string>();
  for (const [identity, { apiVersion, subresource }] of managers) {
    if (identity !== except && subresource !== 'scale' && apiVersion !== '')
      versions.add(apiVersion);
  }
  return versions;
}

function firstProblem(
  object: Fields,
  versions: Iterable<string>,
  sight: VersionSight,
): string | undefined {
  for (const version of versions) {
    const problem = sight(object, version);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Whether owners of an object can still be told apart when it becomes another. */
export function isSeenByOwners(
  live: Fields,
  next: Fields,
  managers: Managers,
  sight: VersionSight | undefined,
): boolean {
  if (sight === undefined) return true;
  const versions = versionsOf(managers);
  return [live, next].every((each) => firstProblem(each, versions, sight) === undefined);
}

/** Why a configuration cannot be applied for the sake of an owner in another version, in the API's words. */
export function applyProblem(
  live: Fields,
  merged: Fields,
  managers: Managers,
  applier: Omit<Manager, 'set' | 'time'>,
  sight: VersionSight | undefined,
): string | undefined {
  if (sight === undefined) return undefined;
  const before = firstProblem(live, versionsOf(managers), sight);
  if (before !== undefined) return before;
  const identity = managerIdentity(applier);
  const last = managers.get(identity);
  const own = last === undefined ? undefined : sight(merged, last.apiVersion);
  if (own !== undefined)
    return `failed to prune fields: failed to convert merged object to last applied version: ${own}`;
  const others = firstProblem(merged, versionsOf(managers, identity), sight);
  return others === undefined ? undefined : `failed to convert new object: ${others}`;
}
