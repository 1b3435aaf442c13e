import type { KubeObject } from '@waygate/schema';
import { generationHealth } from './generation.ts';
import { current, failedHealth, type HealthResult, inProgress } from './health-result.ts';
import { conditionsOf, textAt, wholeAt } from './object-fields.ts';

function jobNumbers(object: KubeObject) {
  const parallelism = wholeAt(object, 1, 'spec', 'parallelism');
  return {
    parallelism,
    completions: wholeAt(object, parallelism, 'spec', 'completions'),
    succeeded: wholeAt(object, 0, 'status', 'succeeded'),
    active: wholeAt(object, 0, 'status', 'active'),
    failed: wholeAt(object, 0, 'status', 'failed'),
    startTime: textAt(object, '', 'status', 'startTime'),
  };
}

function endedHealth(object: KubeObject): HealthResult | undefined {
  const { completions, succeeded, failed } = jobNumbers(object);
  for (const { type, status } of conditionsOf(object)) {
    if (status !== 'True') continue;
    if (type === 'Complete')
      return current(`Job Completed. succeeded: ${succeeded}/${completions}`);
    if (type === 'Failed') {
      return failedHealth('JobFailed', `Job Failed. failed: ${failed}/${completions}`);
    }
  }
  return undefined;
}

/** kstatus: a Job that runs is as it should be. */
export function jobHealth(object: KubeObject): HealthResult {
  const ended = endedHealth(object);
  if (ended !== undefined) return ended;
  const { startTime, succeeded, active, failed } = jobNumbers(object);
  if (startTime === '') return inProgress('JobNotStarted', 'Job not started');
  return current(`Job in progress. success:${succeeded}, active: ${active}, failed: ${failed}`);
}

/**
 * Flux: a Job is done when it has completed, since what comes after may need its work.
 *
 * ```ts
 * const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate' }, status: { active: 1 } };
 * completedJobHealth(job).status; // 'InProgress'
 * ```
 */
export function completedJobHealth(object: KubeObject): HealthResult {
  const { deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) {
    return { status: 'Terminating', message: 'Resource scheduled for deletion', conditions: [] };
  }
  const unseen = generationHealth(object);
  if (unseen !== undefined) return unseen;
  const ended = endedHealth(object);
  if (ended !== undefined) return ended;
  const isSuspended = conditionsOf(object).some(
    ({ type, status }) => type === 'Suspended' && status === 'True',
  );
  if (isSuspended) return current('Job is suspended');
  const { startTime, succeeded, active, failed, parallelism } = jobNumbers(object);
  if (startTime === '') {
    return inProgress('JobNotStarted', `Job not started. active: ${active}/${parallelism}`);
  }
  return inProgress(
    'JobInProgress',
    `Job in progress. success:${succeeded}, active: ${active}, failed: ${failed}`,
  );
}
