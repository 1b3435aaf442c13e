import type { DynamicObject } from '@waygate/schema';
import { humanDuration } from '@waygate/text';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';

/** What a line on a pod says: why it is where it is, how much of it is ready, how often it began anew. */
export interface PodState {
  readonly reason: string;
  readonly ready: string;
  readonly restarts: number;
  /** When a container ended last that was started again. */
  readonly lastEnd: string;
}

/** What was found on the way through the containers of one list. */
interface Progress {
  reason: string;
  ready: number;
  restarts: number;
  lastEnd: string;
}

export function podState(object: Readonly<DynamicObject>): PodState {
  const [spec, status] = [objectAt(object, 'spec'), objectAt(object, 'status')];
  const gate = listAt(status, 'conditions').find((each) => each.type === 'PodScheduled');
  const isGated = gate?.reason === 'SchedulingGated';
  const sidecars = listAt(spec, 'initContainers').filter(isSidecar);
  const preparing = preparation(spec, status);
  const isPreparing = preparing.reason !== '' && !isTrue(status, 'Initialized');
  const found = isPreparing ? preparing : running(spec, status, preparing);
  const own = textAt(status, 'reason') || textAt(status, 'phase') || 'Unknown';
  const reason = found.reason || (isGated ? 'SchedulingGated' : own);
  const count = listAt(spec, 'containers').length + sidecars.length;
  return {
    reason: endingReason(object, reason),
    ready: `${found.ready}/${count}`,
    restarts: found.restarts,
    lastEnd: found.lastEnd,
  };
}

/** `5 (3m ago)`, or the number alone where nothing is known of the last time. */
export function restartsText({ restarts, lastEnd }: PodState, now: number): string {
  if (restarts === 0 || lastEnd === '') return String(restarts);
  return `${restarts} (${humanDuration(now - Date.parse(lastEnd))} ago)`;
}

function isSidecar(container: Fields): boolean {
  return container.restartPolicy === 'Always';
}

function isTrue(status: Fields, type: string): boolean {
  const found = listAt(status, 'conditions').find((each) => each.type === type);
  return found?.status === 'True';
}

/** A pod that is gone while it ran is ending; of a node that is lost nobody knows. */
function endingReason(object: Readonly<DynamicObject>, reason: string): string {
  if (object.metadata.deletionTimestamp === undefined) return reason;
  const status = objectAt(object, 'status');
  if (textAt(status, 'reason') === 'NodeLost') return 'Unknown';
  return ['Failed', 'Succeeded'].includes(textAt(status, 'phase')) ? reason : 'Terminating';
}

function count(progress: Progress, container: Fields): void {
  progress.restarts += numberAt(container, 'restartCount') ?? 0;
  const last = objectAt(objectAt(container, 'lastState'), 'terminated');
  const end = textAt(last, 'finishedAt');
  if (end > progress.lastEnd) progress.lastEnd = end;
}

/** How a container ended, where nobody gave a reason. */
function endOf(terminated: Fields): string {
  const signal = numberAt(terminated, 'signal') ?? 0;
  const code = numberAt(terminated, 'exitCode') ?? 0;
  return textAt(terminated, 'reason') || (signal !== 0 ? `Signal:${signal}` : `ExitCode:${code}`);
}

/** The first container that still prepares the pod; without a reason there is none. */
function preparation(spec: Fields, status: Fields): Progress {
  const progress: Progress = { reason: '', ready: 0, restarts: 0, lastEnd: '' };
  const containers = listAt(spec, 'initContainers');
  for (const [index, each] of listAt(status, 'initContainerStatuses').entries()) {
    const container = containers.find(({ name }) => name === each.name) ?? {};
    count(progress, each);
    const state = objectAt(each, 'state');
    const terminated = objectAt(state, 'terminated');
    const hasEnded = state.terminated !== undefined;
    if (hasEnded && (numberAt(terminated, 'exitCode') ?? 0) === 0 && !terminated.signal) continue;
    if (isSidecar(container) && each.started === true) {
      if (each.ready === true) progress.ready += 1;
      continue;
    }
    const waiting = textAt(objectAt(state, 'waiting'), 'reason');
    const said = hasEnded ? endOf(terminated) : waiting === 'PodInitializing' ? '' : waiting;
    progress.reason = `Init:${said || `${index}/${containers.length}`}`;
    break;
  }
  return progress;
}

/** Those that a pod is for; of the others only sidecars count along. */
function running(spec: Fields, status: Fields, before: Progress): Progress {
  const progress: Progress = { reason: '', ready: before.ready, restarts: 0, lastEnd: '' };
  const sidecars = new Set(
    listAt(spec, 'initContainers')
      .filter(isSidecar)
      .map(({ name }) => name),
  );
  for (const each of listAt(status, 'initContainerStatuses'))
    if (sidecars.has(each.name)) count(progress, each);
  let hasRunning = false;
  for (const each of [...listAt(status, 'containerStatuses')].reverse()) {
    count(progress, each);
    const state = objectAt(each, 'state');
    const waiting = textAt(objectAt(state, 'waiting'), 'reason');
    if (waiting !== '') progress.reason = waiting;
    else if (state.terminated !== undefined) progress.reason = endOf(objectAt(state, 'terminated'));
    else if (each.ready === true && state.running !== undefined) {
      hasRunning = true;
      progress.ready += 1;
    }
  }
  if (progress.reason === 'Completed' && hasRunning)
    progress.reason = isTrue(status, 'Ready') ? 'Running' : 'NotReady';
  return progress;
}
