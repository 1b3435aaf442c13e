import type { Chart, GoMap, StoredRelease } from '@waygate/helm';
import { isPending } from '@waygate/helm';
import type { HelmReleasePass } from './helm-release-pass.ts';
import {
  activeRemediation,
  partDigest,
  releaseNameOf,
  releaseNamespaceOf,
  storageNamespaceOf,
} from './release-fields.ts';
import { digestOfValues } from './release-values.ts';
import { hasFailedTest, releaseDigest, targets } from './snapshot.ts';

/** How a stored release compares with what is wanted. Drift is looked for last, and by others. */
type ReleaseState =
  | 'absent'
  | 'locked'
  | 'unmanaged'
  | 'outOfSync'
  | 'untested'
  | 'failed'
  | 'inSync';

/** What is wanted. */
export interface WantedRelease {
  readonly chart: Chart;
  readonly values: GoMap;
}

/** Compares the last revision in the storage with the object's history and what it wants. Pure. */
export function releaseState(
  pass: HelmReleasePass,
  last: StoredRelease | undefined,
  { chart, values }: WantedRelease,
): ReleaseState {
  if (last === undefined) return 'absent';
  if (isPending(last)) return 'locked';
  const { status } = last.info;
  const [latest] = pass.history;
  if (latest === undefined) return status === 'uninstalled' ? 'absent' : 'unmanaged';
  const isObserved =
    targets(latest, last) && latest.digest === releaseDigest(last, latest.ociDigest);
  if (!isObserved) return 'unmanaged';
  if (status === 'failed') return 'failed';
  if (status === 'uninstalled') return 'absent';
  if (status !== 'deployed') return 'unmanaged';
  const { metadata } = last.chart;
  const isSameChart =
    metadata.name === chart.metadata.name && metadata.version === chart.metadata.version;
  if (!isSameChart || latest.configDigest !== digestOfValues(values)) return 'outOfSync';
  if (hasOtherRendering(pass)) return 'outOfSync';
  const { test } = pass.object.spec;
  if (test?.enable === true) {
    if (latest.testHooks === undefined) return 'untested';
    const remediation = activeRemediation(pass.current);
    const counts = remediation !== undefined && !remediation.ignoreTestFailures;
    if (counts && hasFailedTest(latest)) return 'failed';
  }
  return 'inSync';
}

function hasOtherRendering({ object, status, generation }: HelmReleasePass): boolean {
  if (status.observedGeneration === generation) return false;
  const { postRenderers, commonMetadata } = object.spec;
  return (
    partDigest(postRenderers) !== (status.observedPostRenderersDigest ?? '') ||
    partDigest(commonMetadata) !== (status.observedCommonMetadataDigest ?? '')
  );
}

/** The release would be another one: the one that is there has to go first. */
export function isRetargeted({ object, status, history }: HelmReleasePass, chart: Chart): boolean {
  const [latest] = history;
  if (!status.storageNamespace || latest === undefined) return false;
  const { chartNameChangeStrategy = 'Reinstall' } = object.spec.upgrade ?? {};
  return (
    storageNamespaceOf(object) !== status.storageNamespace ||
    releaseNamespaceOf(object) !== latest.namespace ||
    releaseNameOf(object) !== latest.name ||
    (chart.metadata.name !== latest.chartName && chartNameChangeStrategy === 'Reinstall')
  );
}
