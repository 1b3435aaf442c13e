import {
  type Chart,
  ClusterRefusal,
  crdsOf,
  HelmError,
  type ReleaseContext,
  readManifest,
} from '@waygate/helm';
import { type HelmRelease, helmReleaseGroup } from '../api/helm-objects.ts';

/**
 * Puts the definitions of a chart into the cluster before its release: new ones only, or those that changed
 * too. They are never taken away.
 *
 * @throws HelmError
 */
export async function applyCrds(
  { metadata }: HelmRelease,
  chart: Chart,
  policy: 'Skip' | 'Create' | 'CreateReplace',
  { cluster }: ReleaseContext,
): Promise<void> {
  if (policy === 'Skip') return;
  const owner = {
    [`${helmReleaseGroup}/name`]: metadata.name!,
    [`${helmReleaseGroup}/namespace`]: metadata.namespace ?? '',
  };
  const written = [];
  for (const { filename, file } of crdsOf(chart)) {
    for (const object of readManifest(Buffer.from(file.data).toString('utf8'), 4)) {
      const { labels } = object.metadata;
      const wanted = {
        ...object,
        metadata: { ...object.metadata, labels: { ...labels, ...owner } },
      };
      try {
        if (policy === 'Create' && (await cluster.get(wanted)) !== undefined) continue;
        await cluster.apply(wanted, { force: true });
        written.push(wanted);
      } catch (cause) {
        if (!(cause instanceof ClusterRefusal)) throw cause;
        const message = `failed to apply CustomResourceDefinitions: ${filename}: ${cause.message}`;
        throw new HelmError('WG_HELM_RELEASE', message, { cause });
      }
    }
  }
  if (written.length === 0) return;
  await cluster.waitReady(written, { timeoutMs: 60_000, strategy: 'watcher' });
  cluster.forgetKinds();
}
