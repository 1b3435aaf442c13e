import {
  completedJobHealth,
  ExpressionBudget,
  type HealthResult,
  objectHealth,
  subjectOf,
} from '@waygate/apply';
import { isNoMatch, isNotFound, type KubeClient } from '@waygate/kube';
import { type DynamicObject, parseApiVersion } from '@waygate/schema';

/** An object whose health is waited for. */
export interface HealthTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

interface TargetHealth {
  readonly target: HealthTarget;
  readonly status: HealthResult['status'];
  readonly message: string;
}

export type HealthRule = (
  object: DynamicObject,
  budget: ExpressionBudget,
) => HealthResult | undefined;

interface HealthCheckOptions {
  readonly client: KubeClient;
  readonly now: number;
  /** What the Kustomization itself says about a kind goes before the common rules. */
  readonly rule?: HealthRule | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How far the objects have come that are asked for. */
export async function checkHealth(
  targets: readonly HealthTarget[],
  options: HealthCheckOptions,
): Promise<TargetHealth[]> {
  const results: TargetHealth[] = [];
  const budget = new ExpressionBudget();
  for (let start = 0; start < targets.length; start += 8) {
    const some = targets.slice(start, start + 8);
    results.push(...(await Promise.all(some.map((target) => check(target, options, budget)))));
  }
  return results;
}

async function check(
  target: HealthTarget,
  options: HealthCheckOptions,
  budget: ExpressionBudget,
): Promise<TargetHealth> {
  const { client, signal } = options;
  const { name, namespace } = target;
  let object: DynamicObject;
  try {
    const resource = await client.resourceOf(target, { signal });
    object = await resource.get(name, { namespace }, { signal });
  } catch (error) {
    if (isNotFound(error) || isNoMatch(error)) {
      return { target, status: 'NotFound', message: 'Resource not found' };
    }
    signal?.throwIfAborted();
    return { target, status: 'Unknown', message: String(error) };
  }
  const { status, message } = healthOf(object, options, budget);
  return { target, status, message };
}

function healthOf(
  object: DynamicObject,
  { rule, now }: HealthCheckOptions,
  budget: ExpressionBudget,
): HealthResult {
  const own = rule?.(object, budget);
  if (own !== undefined) return own;
  const { group } = parseApiVersion(object.apiVersion ?? '');
  if (group === 'batch' && object.kind === 'Job') return completedJobHealth(object);
  return objectHealth(object, { now });
}

export type HealthVerdict =
  | { readonly kind: 'healthy' }
  | { readonly kind: 'waiting'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** What the states of all objects come to. One that failed ends the wait. */
export function judgeHealth(states: readonly TargetHealth[]): HealthVerdict {
  const unhealthy = states.filter(({ status }) => status !== 'Current');
  if (unhealthy.length === 0) return { kind: 'healthy' };
  const list = unhealthy
    .map(({ target, status }) => `${subjectOf(target)} status: '${status}'`)
    .join(', ');
  if (unhealthy.some(({ status }) => status === 'Failed')) {
    return { kind: 'failed', message: `failed early due to stalled resources: [${list}]` };
  }
  return { kind: 'waiting', message: `timeout waiting for: [${list}]` };
}
