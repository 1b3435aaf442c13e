import { type KubeObject, parseApiVersion } from '@waygate/schema';
import { generationHealth } from './generation.ts';
import { current, failedHealth, type HealthResult, inProgress } from './health-result.ts';
import { kindRules } from './kind-rules.ts';
import { conditionsOf, textAt } from './object-fields.ts';

/** What to go by when an object's health is judged. */
export interface HealthOptions {
  /** Milliseconds since the epoch. A Pod has a moment to be scheduled. */
  readonly now?: number;
}

/**
 * How far an object has come, by its own status alone: kstatus. Pure.
 *
 * ```ts
 * const web = await client.resource(kinds.Deployment).get('web', { namespace: 'shop' });
 * objectHealth(web).status; // 'InProgress' until all replicas are there
 * ```
 */
export function objectHealth(object: KubeObject, options: HealthOptions = {}): HealthResult {
  return (
    genericHealth(object) ??
    ruleOf(object)?.(object, options.now ?? Date.now()) ??
    readyHealth(object) ??
    current('Resource is current')
  );
}

/** What any object says about itself: being deleted, not yet looked at, or at work. */
function genericHealth(object: KubeObject): HealthResult | undefined {
  const { deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined && deletionTimestamp !== null && deletionTimestamp !== '') {
    return { status: 'Terminating', message: 'Resource scheduled for deletion', conditions: [] };
  }
  return generationHealth(object) ?? standardConditions(object);
}

function standardConditions(object: KubeObject): HealthResult | undefined {
  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (status !== 'True') continue;
    if (type === 'Reconciling') return inProgress(reason, message);
    if (type === 'Stalled') return failedHealth(reason, message);
  }
  return undefined;
}

function readyHealth(object: KubeObject): HealthResult | undefined {
  const ready = conditionsOf(object).find(({ type }) => type === 'Ready');
  if (ready === undefined || !['True', 'False', 'Unknown'].includes(ready.status)) return undefined;
  if (ready.status === 'True') return current('Resource is Ready');
  return inProgress(ready.reason, ready.message);
}

function ruleOf(object: KubeObject) {
  const { group } = parseApiVersion(textAt(object, '', 'apiVersion'));
  return kindRules.get(`${group}/${object.kind ?? ''}`);
}
