import type { ReportedProblem } from '@waygate/dashboard';
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
  const problems = await clusterProblems(client, { ingressClass, signal });
  return problems.map(({ object, field, message }) => {
    const { apiVersion = '', kind = '', namespace = '', name = '' } = object;
    const shown = { ...parseApiVersion(apiVersion), kind, namespace, name };
    return { object: shown, message, ...(field === undefined ? {} : { field }) };
  });
}
