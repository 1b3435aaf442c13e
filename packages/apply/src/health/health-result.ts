/** What the state of an object says about how far it has come, in kstatus' words. */
export type HealthStatus =
  | 'Current'
  | 'InProgress'
  | 'Failed'
  | 'Terminating'
  | 'NotFound'
  | 'Unknown';

/** A condition of an object, as far as health is read from it. */
export interface HealthCondition {
  readonly type: 'Reconciling' | 'Stalled';
  readonly status: 'True';
  readonly reason: string;
  readonly message?: string;
}

/** How an object is, and why. */
export interface HealthResult {
  readonly status: HealthStatus;
  readonly message: string;
  readonly conditions: readonly HealthCondition[];
}

export function current(message: string): HealthResult {
  return { status: 'Current', message, conditions: [] };
}

export function inProgress(reason: string, message: string): HealthResult {
  return {
    status: 'InProgress',
    message,
    conditions: [condition('Reconciling', reason, message)],
  };
}

export function failedHealth(reason: string, message: string): HealthResult {
  return {
    status: 'Failed',
    message,
    conditions: [condition('Stalled', reason, message)],
  };
}

function condition(
  type: HealthCondition['type'],
  reason: string,
  message: string,
): HealthCondition {
  return { type, status: 'True', reason, ...(message === '' ? {} : { message }) };
}
