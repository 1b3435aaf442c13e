import { completedJobHealth, type HealthResult, objectHealth } from '@waygate/apply';
import { ClusterRefusal, type ReadyOptions } from '@waygate/helm';
import { type DynamicObject, parseApiVersion } from '@waygate/schema';
import { isObject, sleep } from '@waygate/text';

/** How an object is judged, and what it is called when it is not ready. */
type Judge = (object: DynamicObject) => HealthResult;

/** How waiting is done. */
export interface WaitSettings {
  readonly get: (object: DynamicObject) => Promise<DynamicObject | undefined>;
  readonly signal?: AbortSignal | undefined;
  /** How Helm 3 words it when the time is over. */
  readonly isLegacy: boolean;
}

const firstLookMs = 50;
const longestLookMs = 2000;

/** Judges objects of a release: Jobs only where that was asked for. */
export function readyJudge({ withJobs }: ReadyOptions): Judge {
  return (object) => {
    if (isKind(object, 'batch', 'Job')) {
      return withJobs === true ? completedJobHealth(object) : objectHealth(object);
    }
    const isPaused = isObject(object.spec) && object.spec.paused === true;
    return isKind(object, 'apps', 'Deployment') && isPaused ? done : objectHealth(object);
  };
}

/** Judges hooks: Jobs and Pods have to end well; whatever else is there is done. */
export const hookJudge: Judge = (object) => {
  if (isKind(object, 'batch', 'Job')) return completedJobHealth(object);
  if (!isKind(object, '', 'Pod')) return done;
  const phase = isObject(object.status) ? object.status.phase : undefined;
  if (phase === 'Succeeded') return done;
  if (phase === 'Failed') return { ...done, status: 'Failed', message: 'Pod has failed' };
  return { ...done, status: 'InProgress', message: 'Pod is running' };
};

const done: HealthResult = { status: 'Current', message: '', conditions: [] };

/**
 * Looks at objects until all are fine, one has failed and none is under way, or the time is over.
 *
 * @throws ClusterRefusal that names what is not ready
 */
export async function waitForHealth(
  objects: readonly DynamicObject[],
  judge: Judge,
  timeoutMs: number,
  settings: WaitSettings,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let waiting = objects;
  for (let pauseMs = firstLookMs; ; pauseMs = Math.min(pauseMs * 2, longestLookMs)) {
    const found: { object: DynamicObject; health: HealthResult }[] = [];
    for (const object of waiting) {
      const live = await settings.get(object);
      const health = live === undefined ? missing : judge(live);
      if (health.status !== 'Current') found.push({ object, health });
    }
    if (found.length === 0) return;
    waiting = found.map(({ object }) => object);
    const hasFailed = found.every(({ health }) => health.status === 'Failed');
    const isLate = Date.now() + pauseMs > deadline;
    if (hasFailed || isLate) throw notReady(found, hasFailed, settings);
    await sleep(pauseMs, settings.signal);
  }
}

const missing: HealthResult = { status: 'NotFound', message: 'Resource not found', conditions: [] };

function notReady(
  found: readonly { object: DynamicObject; health: HealthResult }[],
  hasFailed: boolean,
  { isLegacy }: WaitSettings,
): ClusterRefusal {
  if (isLegacy) {
    const why = found.map(({ health }) => health.message).join(', ');
    return new ClusterRefusal('Other', hasFailed ? why : 'context deadline exceeded');
  }
  const lines = found.map(
    ({ object: { kind, metadata }, health: { status, message } }) =>
      `resource ${kind}/${metadata.namespace ?? ''}/${metadata.name} not ready. status: ${status}, message: ${message}`,
  );
  if (!hasFailed) lines.push('context deadline exceeded');
  return new ClusterRefusal('Other', lines.join('\n'));
}

/**
 * Looks until none of the objects is there.
 *
 * @throws ClusterRefusal
 */
export async function waitForAbsence(
  objects: readonly DynamicObject[],
  timeoutMs: number,
  settings: WaitSettings,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let waiting = objects;
  for (let pauseMs = firstLookMs; ; pauseMs = Math.min(pauseMs * 2, longestLookMs)) {
    const left: DynamicObject[] = [];
    for (const object of waiting) {
      if ((await settings.get(object)) !== undefined) left.push(object);
    }
    if (left.length === 0) return;
    waiting = left;
    if (Date.now() + pauseMs > deadline) {
      const lines = left.map(
        ({ kind, metadata }) =>
          `resource ${kind}/${metadata.namespace ?? ''}/${metadata.name} still exists. status: Terminating`,
      );
      const text = settings.isLegacy ? 'timed out waiting for the condition' : lines.join('\n');
      throw new ClusterRefusal('Other', text);
    }
    await sleep(pauseMs, settings.signal);
  }
}

function isKind({ apiVersion, kind }: DynamicObject, group: string, name: string): boolean {
  return kind === name && parseApiVersion(apiVersion ?? '').group === group;
}
