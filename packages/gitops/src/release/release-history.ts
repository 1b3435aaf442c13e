import type { StoredRelease } from '@waygate/helm';
import type { HelmReleasePass } from './helm-release-pass.ts';
import { snapshotOf, targets } from './snapshot.ts';

/** The newest revision that was written is the latest; those before it get their new state. */
export function recordReleases(
  pass: HelmReleasePass,
  observed: readonly StoredRelease[],
  action: string,
): void {
  const ociDigest = pass.status.lastAttemptedRevisionDigest;
  const newest = Math.max(0, ...observed.map(({ version }) => version));
  for (const release of observed) {
    const known = pass.history.find((snapshot) => targets(snapshot, release));
    const isNewest = release.version === newest;
    const made = snapshotOf(release, {
      action: isNewest ? action : known?.action,
      ociDigest: isNewest && action !== 'rollback' ? ociDigest : known?.ociDigest,
    });
    if (known?.testHooks) made.testHooks = known.testHooks;
    const others = pass.history.filter((snapshot) => snapshot !== known);
    pass.history = [...others, made].sort((a, b) => b.version - a.version);
  }
}

/** What is in the history of a release that was looked at, anew. */
export function observeKnown(pass: HelmReleasePass, release: StoredRelease): void {
  pass.history = pass.history.map((snapshot) => {
    if (!targets(snapshot, release)) return snapshot;
    const { action, ociDigest, testHooks } = snapshot;
    return { ...snapshotOf(release, { action, ociDigest }), ...(testHooks && { testHooks }) };
  });
}

/** The same, with how its tests went. */
export function observeTests(pass: HelmReleasePass, release: StoredRelease): void {
  observeKnown(pass, release);
  const [latest] = pass.history;
  if (latest === undefined || !targets(latest, release)) return;
  const filters = pass.object.spec.test?.filters ?? [];
  const tests = (release.hooks ?? []).filter(
    ({ events, name }) => events.includes('test') && isChosenTest(name, filters),
  );
  latest.testHooks = Object.fromEntries(
    tests.map(({ name, last_run: { started_at, completed_at, phase } }) => [
      name,
      {
        ...(started_at && { lastStarted: started_at.replace(/\.\d+/, '') }),
        ...(completed_at && { lastCompleted: completed_at.replace(/\.\d+/, '') }),
        ...(phase && { phase }),
      },
    ]),
  );
}

/** Whether a test is among those that were to be run. */
function isChosenTest(
  name: string,
  filters: readonly { name: string; exclude?: boolean }[],
): boolean {
  const wanted = filters.filter(({ exclude }) => exclude !== true);
  if (filters.some((each) => each.exclude === true && each.name === name)) return false;
  return wanted.length === 0 || wanted.some((each) => each.name === name);
}
