import type { KubeClient } from '@waygate/kube';
import { type Deployment, kinds } from '@waygate/schema';
import type { Finding } from '../check/finding.ts';
import { type MigrationStep, objectText } from './migration-step.ts';

/** Our own Deployments of a part, wherever they are. */
export async function ownDeployments(
  client: KubeClient,
  part: 'gitops' | 'ingress',
  signal: AbortSignal,
): Promise<readonly Deployment[]> {
  const labelSelector = `app.kubernetes.io/name=waygate,app.kubernetes.io/component=${part}`;
  return (await client.resource(kinds.Deployment).list({ labelSelector }, { signal })).items;
}

/** Starts what stands still. */
export async function ownSteps(
  client: KubeClient,
  part: 'gitops' | 'ingress',
  signal: AbortSignal,
  findings: Finding[],
): Promise<MigrationStep[]> {
  const deployments = await ownDeployments(client, part, signal);
  if (deployments.length === 0)
    findings.push({
      area: 'waygate',
      state: 'failed',
      message: `there is no Deployment of Waygate's ${part} controllers that could take over`,
      hint: 'Install it first (docs/install.md): it stands aside while the others act.',
    });
  return deployments.flatMap(({ metadata, spec }) => {
    const { name = '', namespace = '' } = metadata;
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name };
    const replicas = spec?.replicas ?? 1;
    findings.push({
      area: 'waygate',
      state: 'ok',
      message: `${objectText(object)} takes over, ${replicas} replicas`,
    });
    const why = 'it takes over';
    const id = `scale/${objectText(object)}`;
    return replicas > 0
      ? []
      : [{ kind: 'scale' as const, id, why, object, replicas: 1, before: 0 }];
  });
}

/** Stops what acts in place of the others before those start again, unless a gateway is in the same Pods. */
export async function ownStops(
  client: KubeClient,
  part: 'gitops' | 'ingress',
  signal: AbortSignal,
): Promise<MigrationStep[]> {
  const deployments = await ownDeployments(client, part, signal);
  return deployments.flatMap(({ metadata, spec }) => {
    const { name = '', namespace = '' } = metadata;
    const before = spec?.replicas ?? 1;
    if (before === 0 || (spec?.template?.spec?.containers ?? []).length > 1) return [];
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name };
    const why = 'two controllers must not act on the same objects';
    const id = `stop/${objectText(object)}`;
    return [{ kind: 'scale' as const, id, why, object, replicas: 0, before }];
  });
}
