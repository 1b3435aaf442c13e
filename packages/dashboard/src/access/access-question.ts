import type { KubeClient } from '@waygate/kube';

/** What somebody wants to do with a resource; without a namespace, in all of them. */
export interface AccessQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A rule as SelfSubjectRulesReview tells it. */
interface AccessRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

const group = 'authorization.k8s.io';

/** Whether the client's own user may do something. */
export async function isAllowed(
  client: Pick<KubeClient, 'json'>,
  question: AccessQuestion,
  signal?: AbortSignal,
): Promise<boolean> {
  const answer = await client.json<{ status?: { allowed?: boolean } }>(
    {
      method: 'POST',
      path: `/apis/${group}/v1/selfsubjectaccessreviews`,
      body: {
        apiVersion: `${group}/v1`,
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: question },
      },
    },
    signal === undefined ? {} : { signal },
  );
  return answer.status?.allowed === true;
}

/** What the client's own user may do in a namespace; undefined when the API does not know all of it. */
export async function rulesIn(
  client: Pick<KubeClient, 'json'>,
  namespace: string,
  signal?: AbortSignal,
): Promise<readonly AccessRule[] | undefined> {
  const { status } = await client.json<{
    status?: { resourceRules?: readonly AccessRule[]; incomplete?: boolean };
  }>(
    {
      method: 'POST',
      path: `/apis/${group}/v1/selfsubjectrulesreviews`,
      body: {
        apiVersion: `${group}/v1`,
        kind: 'SelfSubjectRulesReview',
        spec: { namespace },
      },
    },
    signal === undefined ? {} : { signal },
  );
  return status?.incomplete === true ? undefined : (status?.resourceRules ?? []);
}

/** Whether rules allow a verb for all objects of a resource. */
export function rulesAllow(
  rules: readonly AccessRule[],
  { verb, group: apiGroup, resource }: AccessQuestion,
): boolean {
  const has = (list: readonly string[] | undefined, wanted: string): boolean =>
    list !== undefined && (list.includes(wanted) || list.includes('*'));
  return rules.some(
    (rule) =>
      has(rule.verbs, verb) &&
      has(rule.apiGroups, apiGroup) &&
      has(rule.resources, resource) &&
      (rule.resourceNames ?? []).length === 0,
  );
}
