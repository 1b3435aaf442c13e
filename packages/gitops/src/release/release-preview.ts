import { randomBytes } from 'node:crypto';
import type { Change, ObjectFailure } from '@waygate/apply';
import { type Chart, type ReleaseContext, ReleaseStorage, type RenderedFile } from '@waygate/helm';
import type { KubeClient } from '@waygate/kube';
import type { HelmRelease } from '../api/helm-objects.ts';
import { ClusterClients } from '../kustomization/cluster-clients.ts';
import { HelmReleasePass } from './helm-release-pass.ts';
import { PreviewCluster, type PreviewedHook } from './preview-cluster.ts';
import { NothingStored, ReleaseActions } from './release-actions.ts';
import { releaseNameOf, releaseNamespaceOf, storageNamespaceOf } from './release-fields.ts';
import { isRetargeted, releaseState } from './release-state.ts';
import { composeValues } from './release-values.ts';

/** What a release would change. */
export interface ReleasePreview {
  /** In the order in which it would be done, each with the object before and after. */
  readonly changes: readonly Change[];
  /** Hooks that would run, in their order. What they would do is not known. */
  readonly hooks: readonly PreviewedHook[];
  /** What the API would refuse. */
  readonly failures: readonly ObjectFailure[];
  /** Why it would fail as a whole: the chart cannot be rendered, values do not fit its schema. */
  readonly problem?: string | undefined;
  /** What the templates made, with the lines that each line came from. */
  readonly files: readonly RenderedFile[];
}

/**
 * What a HelmRelease would change with a chart: its install or upgrade is done by the very code of the controller, on a
 * cluster that takes nothing but dry runs. Its values, rights, post-renderers and definitions count as they would.
 *
 * ```ts
 * const object = await client.resource(helmReleaseKind).get('web', { namespace: 'shop' });
 * const chart = await fetchedChart(object, client, signal);
 * const { changes } = await previewRelease(object, chart, { client, signal });
 * for (const { subject, action } of changes) console.log(subject, action);
 * ```
 *
 * @throws GitOpsError when its values cannot be read
 */
export async function previewRelease(
  object: HelmRelease,
  chart: Chart,
  {
    client,
    signal,
    now = () => Date.now(),
  }: {
    readonly client: KubeClient;
    readonly signal: AbortSignal;
    readonly now?: (() => number) | undefined;
  },
): Promise<ReleasePreview> {
  const values = await composeValues(object, client, signal);
  const clients = new ClusterClients({ client });
  const pass = new HelmReleasePass(object, { event: () => undefined }, now);
  const files = new Map<string, RenderedFile>();
  try {
    const target = await clients.clientFor(object, signal);
    const cluster = new PreviewCluster(target, { fieldManager: 'helm-controller', signal });
    const contextIn =
      (namespace: string) =>
      (onStored?: ConstructorParameters<typeof ReleaseStorage>[1]['onStored']) =>
        ({
          helm: 4,
          cluster,
          storage: new ReleaseStorage(cluster, {
            namespace: pass.status.storageNamespace ?? storageNamespaceOf(object),
            now: () => new Date(now()),
            onStored,
          }),
          namespace,
          now: () => new Date(now()),
          random: randomBytes,
          timeZone: 'UTC',
          onFile: (file) => files.set(file.path, file),
        }) satisfies ReleaseContext;
    const wanted = { chart, values };
    let problem: string | undefined;
    try {
      if (isRetargeted(pass, chart)) {
        const [latest] = pass.history;
        await new ReleaseActions(pass, contextIn(latest!.namespace), wanted).uninstall();
        pass.history = [];
        delete pass.status.storageNamespace;
      }
      const contextFor = contextIn(releaseNamespaceOf(object));
      const last = await contextFor().storage.last(releaseNameOf(object));
      const actions = new ReleaseActions(pass, contextFor, wanted);
      if (releaseState(pass, last?.release, wanted) === 'absent') await actions.install();
      else await actions.upgrade();
      const released = pass.conditions.get('Released');
      if (released?.status === 'False') problem = released.message;
    } catch (error) {
      if (!(error instanceof NothingStored)) throw error;
      problem = error.message;
    }
    const { changes, hooks, failures } = cluster;
    return { changes, hooks, failures, files: [...files.values()], problem };
  } finally {
    await clients.close();
  }
}
