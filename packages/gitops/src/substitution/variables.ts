import { isNotFound, type KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import type { KustomizationSpec } from '../api/kustomization-object.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';

const namePattern = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

/**
 * The variables of a Kustomization: those of ConfigMaps and Secrets in the order in which they are
 * named, then those that it sets itself. They are read with the controller's rights.
 *
 * ```ts
 * const postBuild = { substitute: { color: 'red' }, substituteFrom: [{ kind: 'ConfigMap' as const, name: 'colors' }] };
 * const variables = await loadVariables(client, postBuild, 'flux-system', signal); // color is red, whatever the ConfigMap says
 * ```
 *
 * @throws GitOpsError `WG_GITOPS_SUBSTITUTE`
 */
export async function loadVariables(
  client: KubeClient,
  postBuild: KustomizationSpec['postBuild'],
  namespace: string,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const variables = new Map<string, string>();
  for (const { kind, name, optional } of postBuild?.substituteFrom ?? []) {
    let data: Record<string, string>;
    try {
      data = await readData(client, kind, name, namespace, signal);
    } catch (error) {
      if (optional === true && isNotFound(error)) continue;
      throw new GitOpsError(
        'WG_GITOPS_SUBSTITUTE',
        `substitute from '${kind}/${name}' error: ${messageOf(error)}`,
        { cause: error },
      );
    }
    for (const [key, value] of Object.entries(data)) variables.set(key, value);
  }
  for (const [key, value] of Object.entries(postBuild?.substitute ?? {})) variables.set(key, value);
  return variables;
}

/** @throws GitOpsError for a name that could not stand in `${…}` */
export function checkVariableNames(variables: ReadonlyMap<string, string>): void {
  for (const name of variables.keys()) {
    if (!namePattern.test(name)) {
      throw new GitOpsError(
        'WG_GITOPS_SUBSTITUTE',
        `'${name}' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'`,
      );
    }
  }
}

async function readData(
  client: KubeClient,
  kind: string,
  name: string,
  namespace: string,
  signal: AbortSignal | undefined,
): Promise<Record<string, string>> {
  const call = { signal };
  if (kind === 'ConfigMap') {
    return (await client.resource(kinds.ConfigMap).get(name, { namespace }, call)).data ?? {};
  }
  const secret = await client.resource(kinds.Secret).get(name, { namespace }, call);
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString('utf8'),
    ]),
  );
}
