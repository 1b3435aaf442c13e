import { isForbidden, type KubeClient, KubeError } from '@waygate/kube';
import type { ControllerName } from '../controllers-option.ts';
import { checkDefinitions } from './check-definitions.ts';
import type { Finding } from './finding.ts';
import {
  type NeededKind,
  type NeededRight,
  neededKinds,
  neededRights,
  wordsOf,
} from './needed-right.ts';

/** Since this minor version every built-in API that the controllers use is there in its v1. */
const oldestMinor = 23;
const parallelReviews = 10;

/** Is this cluster fit for these controllers: its version, what it serves, and what they may do. */
export async function checkCluster(
  client: KubeClient,
  controllers: readonly ControllerName[],
  namespace: string,
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [await checkVersion(client, signal)];
  const { resources } = await client.discovery.surface({ signal });
  const isServed = ({ group, plural, versions }: NeededKind): boolean =>
    resources.some(
      (resource) =>
        resource.group === group &&
        resource.plural === plural &&
        versions.includes(resource.version),
    );
  for (const controller of controllers) {
    const kinds = neededKinds(controller);
    findings.push(...kindFindings(controller, kinds, isServed));
    const rights = neededRights(controller, kinds.filter(isServed), namespace);
    findings.push(...(await rightFindings(client, controller, rights, signal)));
  }
  findings.push(...(await checkDefinitions(client, controllers, signal)));
  return findings;
}

/** Is this cluster new enough. */
export async function checkVersion(client: KubeClient, signal: AbortSignal): Promise<Finding> {
  const { gitVersion, minor } = await client.discovery.serverVersion({ signal });
  const area = 'cluster';
  const message = `Kubernetes ${gitVersion} at ${client.config.server}`;
  if (Number.parseInt(minor, 10) >= oldestMinor) return { area, state: 'ok', message };
  const hint = `Kubernetes 1.${oldestMinor} or newer is needed.`;
  return { area, state: 'failed', message, hint };
}

function kindFindings(
  controller: ControllerName,
  kinds: readonly NeededKind[],
  isServed: (kind: NeededKind) => boolean,
): Finding[] {
  const area = `${controller}: kinds`;
  const findings: Finding[] = [];
  const served = kinds.filter(isServed);
  if (served.length > 0)
    findings.push({ area, state: 'ok', message: `${served.length} of ${kinds.length} are served` });
  const missing = kinds.filter((kind) => !isServed(kind));
  const needed = missing.filter(({ isOptional }) => !isOptional);
  for (const { group, kind, versions } of needed) {
    findings.push({
      area,
      state: 'failed',
      message: `${kind} of ${group}/${versions[0]} is not served`,
      hint: 'kubectl apply --server-side -k deploy/crds brings the definitions.',
    });
  }
  const optional = missing.filter(({ isOptional }) => isOptional);
  if (optional.length > 0) {
    findings.push({
      area,
      state: 'warning',
      message: `not served, and followed as soon as they are: ${namesByGroup(optional)}`,
    });
  }
  return findings;
}

/** Kinds of two groups may have the same name: `Gateway, HTTPRoute of gateway.networking.k8s.io; Ingress of …`. */
function namesByGroup(kinds: readonly NeededKind[]): string {
  const groups = new Map<string, string[]>();
  for (const { group, kind } of kinds) groups.set(group, [...(groups.get(group) ?? []), kind]);
  return [...groups].map(([group, names]) => `${names.join(', ')} of ${group}`).join('; ');
}

async function rightFindings(
  client: KubeClient,
  controller: ControllerName,
  rights: readonly NeededRight[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const area = `${controller}: rights`;
  const refused: NeededRight[] = [];
  try {
    for (let first = 0; first < rights.length; first += parallelReviews) {
      const batch = rights.slice(first, first + parallelReviews);
      const answers = await Promise.all(batch.map((right) => isAllowed(client, right, signal)));
      refused.push(...batch.filter((_right, index) => answers[index] === false));
    }
  } catch (error) {
    if (!(error instanceof KubeError && isForbidden(error))) throw error;
    const message = `this user may not ask what it may do: ${error.message}`;
    return [{ area, state: 'warning', message }];
  }
  if (refused.length === 0)
    return [{ area, state: 'ok', message: `all ${rights.length} are granted` }];
  return refused.map((right) => ({
    area,
    state: right.verb === 'impersonate' ? 'warning' : 'failed',
    message: `may not ${wordsOf(right)}`,
    hint:
      right.verb === 'impersonate'
        ? 'Kustomizations with a serviceAccountName will fail.'
        : `deploy/base/${controller === 'ingress' ? 'ingress' : 'gitops'}/access.yaml has the roles.`,
  }));
}

interface AccessReview {
  readonly status?: { readonly allowed?: boolean };
}

async function isAllowed(
  client: KubeClient,
  { verb, group, resource, subresource, namespace }: NeededRight,
  signal: AbortSignal,
): Promise<boolean> {
  const review = await client.json<AccessReview>(
    {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {
          resourceAttributes: {
            verb,
            group,
            resource,
            ...(subresource === undefined ? {} : { subresource }),
            ...(namespace === undefined ? {} : { namespace }),
          },
        },
      },
    },
    { signal },
  );
  return review.status?.allowed === true;
}
