import { type Deployment, kinds, type Lease } from '@waygate/schema';
import type { Finding } from '../check/finding.ts';
import { isHeld } from './lease-state.ts';
import type { SurveyOptions } from './migration-source.ts';
import { type MigrationStep, objectText } from './migration-step.ts';
import { ownDeployments } from './own-deployments.ts';

/** A Lease that a controller would have. */
interface ExpectedLease {
  readonly namespace: string;
  /** What its name begins with, where nobody said otherwise. */
  readonly prefix: string;
  readonly name?: string | undefined;
}

/**
 * Who holds the Leases of controllers, in whatever namespace, and the steps that wait for them. Our own Leases have
 * the same names, and are held while we stand aside: nobody waits for those.
 */
export async function leaseFindings(
  { client, signal, now }: SurveyOptions,
  part: 'gitops' | 'ingress',
  expected: readonly ExpectedLease[],
): Promise<{ readonly findings: readonly Finding[]; readonly steps: readonly MigrationStep[] }> {
  const findings: Finding[] = [];
  const steps: MigrationStep[] = [];
  if (expected.length === 0) return { findings, steps };
  const ours = await ownDeployments(client, part, signal);
  const { items } = await client.resource(kinds.Lease).list({}, { signal });
  for (const lease of items) {
    if (isHeldBy(ours, lease)) continue;
    const { name = '', namespace = '' } = lease.metadata;
    const owner = expected.find((one) =>
      one.name === undefined ? name.startsWith(one.prefix) : name === one.name,
    );
    if (owner === undefined) continue;
    const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
    const held = isHeld(lease, now());
    const holder = lease.spec?.holderIdentity ?? '';
    const isElsewhere = namespace !== owner.namespace;
    findings.push({
      area: 'leases',
      state: held && isElsewhere ? 'warning' : 'ok',
      message: held
        ? `${objectText(object)} is held by ${holder}`
        : `${objectText(object)} is held by nobody`,
      ...(held && isElsewhere
        ? { hint: 'That is another namespace than the Deployment: another installation may run.' }
        : {}),
    });
    const why = 'whoever holds it may still act';
    const id = `released/${objectText(object)}`;
    if (held) steps.push({ kind: 'released', id, why, object });
  }
  return { findings, steps };
}

/** A Pod is called by its Deployment, and who holds a Lease by its Pod. */
function isHeldBy(deployments: readonly Deployment[], { metadata, spec }: Lease): boolean {
  const holder = spec?.holderIdentity ?? '';
  return deployments.some(
    (one) =>
      one.metadata.namespace === metadata.namespace && holder.startsWith(`${one.metadata.name}-`),
  );
}
