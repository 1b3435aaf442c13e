import type { ReportedProblem } from '@waygate/dashboard';
import { type UnservedRoute, unservedRoutes } from '@waygate/ingress';
import type { KubeClient } from '@waygate/kube';
import { parseApiVersion } from '@waygate/schema';
import { clusterProblems } from '../preview-gateway.ts';

/**
 * What the ingress controller of a cluster cannot make anything of, found by translating what is there as it
 * would: where it runs in another process, nothing else says it of all objects and for as long as it lasts.
 */
export async function translationProblems(
  client: KubeClient,
  ingressClass: string,
  signal: AbortSignal,
): Promise<readonly ReportedProblem[]> {
  const { problems, objects } = await clusterProblems(client, { ingressClass, signal });
  const untranslated = problems.map(({ object, field, message }): ReportedProblem => {
    const { apiVersion = '', kind = '', namespace = '', name = '' } = object;
    const shown = { ...parseApiVersion(apiVersion), kind, namespace, name };
    return { object: shown, message, ...(field === undefined ? {} : { field }) };
  });
  const unserved = unservedRoutes(objects, { ingressClass, isWhole: true, hasOthers: true });
  return [...untranslated, ...unservedProblems(unserved)];
}

/** Routes that nobody serves, as problems; of one that a Gateway refused, its own status says so. */
export function unservedProblems(unserved: readonly UnservedRoute[]): ReportedProblem[] {
  return unserved
    .filter(({ reason }) => reason === undefined)
    .map(({ object, field, message, fix }) => {
      const { namespace = '', name = '' } = object.metadata;
      const shown = {
        ...parseApiVersion(object.apiVersion ?? ''),
        kind: object.kind ?? '',
        namespace,
        name,
      };
      return { object: shown, field, message, fix, severity: 'warning' };
    });
}
