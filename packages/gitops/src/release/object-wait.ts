import {
  completedJobHealth,
  ExpressionBudget,
  type HealthResult,
  objectHealth,
  subjectOfObject,
} from '@waygate/apply';
import { ClusterRefusal, type ReadyOptions } from '@waygate/helm';
import { type DynamicObject, parseApiVersion } from '@waygate/schema';
import { isObject, sleep } from '@waygate/text';
import type { HealthRule } from '../kustomization/health-check.ts';

/** How an object is judged, and what it is called when it is not ready. */
type Judge = (object: DynamicObject) => HealthResult;

/**
 * In whose words a wait tells what is not ready: Helm 4's, Helm 3's, or those of Flux' controller, which also ends
 * at the first object that has failed.
 */
export type WaitWords = 'watcher' | 'legacy' | 'poller';

/** How waiting is done. */
export interface WaitSettings {
  readonly get: (object: DynamicObject) => Promise<DynamicObject | undefined>;
  readonly signal?: AbortSignal | undefined;
  readonly words: WaitWords;
}

const firstLookMs = 50;
const longestLookMs = 2000;

/** Judges objects of a release: Jobs only where that was asked for. What a rule knows goes before. */
export function readyJudge({ withJobs }: ReadyOptions, rule?: HealthRule): Judge {
  const budget = new ExpressionBudget();
  return (object) => {
    const own = rule?.(object, budget);
    if (own !== undefined) return own;
    if (isKind(object, 'batch', 'Job')) {
      return withJobs === true ? completedJobHealth(object) : objectHealth(object);
    }
    const isPaused = isObject(object.spec) && object.spec.paused === true;
    return isKind(object, 'apps', 'Deployment') && isPaused ? done : objectHealth(object);
  };
}

/** Judges hooks: Jobs and Pods have to end well; whatever else is there is done, unless a rule knows better. */
export function hookJudge(rule?: HealthRule): Judge {
  const budget = new ExpressionBudget();
  return (object) => {
    const own = rule?.(object, budget);
    if (own !== undefined) return own;
    if (isKind(object, 'batch', 'Job')) return completedJobHealth(object);
    if (!isKind(object, '', 'Pod')) return done;
    const phase = isObject(object.status) ? object.status.phase : undefined;
    if (phase === 'Succeeded') return done;
    if (phase === 'Failed') return { ...done, status: 'Failed', message: 'Pod has failed' };
    return { ...done, status: 'InProgress', message: 'Pod is running' };
  };
}

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
  settings: WaitSettings & {
    /** One that has failed ends it, though others are under way. */
    readonly failsFast?: boolean | undefined;
  },
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let waiting = objects;
  for (let pauseMs = firstLookMs; ; pauseMs = Math.min(pauseMs * 2, longestLookMs)) {
    const found: { object: DynamicObject; health: HealthResult }[] = [];
    for (const object of waiting) {
      const live = await settings.get(object);
      const health = live === undefined ? absent(object) : judge(live);
      if (health.status !== 'Current') found.push({ object, health });
    }
    if (found.length === 0) return;
    waiting = found.map(({ object }) => object);
    const failed = found.filter(({ health }) => health.status === 'Failed');
    const hasFailed =
      failed.length === found.length || (settings.failsFast === true && failed.length > 0);
    const isLate = Date.now() + pauseMs > deadline;
    if (hasFailed) throw notReady(failed, true, settings);
    if (isLate) throw notReady(found, false, settings);
    await sleep(pauseMs, settings.signal);
  }
}

/** A Job that goes by itself when it is through was through. */
function absent(object: DynamicObject): HealthResult {
  const goes = isObject(object.spec) && object.spec.ttlSecondsAfterFinished !== undefined;
  if (goes && isKind(object, 'batch', 'Job')) return done;
  return { status: 'NotFound', message: 'Resource not found', conditions: [] };
}

function notReady(
  found: readonly { object: DynamicObject; health: HealthResult }[],
  hasFailed: boolean,
  { words }: WaitSettings,
): ClusterRefusal {
  if (words === 'poller') {
    const list = found.map(
      ({ object, health }) => `${subjectOfObject(object)} status: '${health.status}'`,
    );
    const what = hasFailed ? 'failed early due to stalled resources' : 'timeout waiting for';
    return new ClusterRefusal('Other', `${what}: [${list.join(', ')}]`);
  }
  if (words === 'legacy') {
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
      throw new ClusterRefusal('Other', stillThere(left, settings.words));
    }
    await sleep(pauseMs, settings.signal);
  }
}

function stillThere(left: readonly DynamicObject[], words: WaitWords): string {
  if (words === 'legacy') return 'timed out waiting for the condition';
  if (words === 'poller') {
    return `${subjectOfObject(left[0]!)} termination timeout: context deadline exceeded`;
  }
  return left
    .map(
      ({ kind, metadata }) =>
        `resource ${kind}/${metadata.namespace ?? ''}/${metadata.name} still exists. status: Terminating`,
    )
    .join('\n');
}

function isKind({ apiVersion, kind }: DynamicObject, group: string, name: string): boolean {
  return kind === name && parseApiVersion(apiVersion ?? '').group === group;
}
