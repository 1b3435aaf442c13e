import type { Condition, DynamicObject, KubeObject } from '@waygate/schema';
import type { TaskState } from '../processes/task.ts';
import { lettersOf, templateHash, type Workload } from './workload.ts';

/** The annotation of Pods that stand for a process: the task they stand for; empty when nothing runs. */
export const taskAnnotation = 'waygate.dev/stands-for';

/** How a workload is carried: by a task, or by nothing. */
export interface Carried {
  readonly workload: Workload;
  readonly container: string;
  /** Undefined: nothing stands in for it. */
  readonly task: { readonly id: string; readonly state: TaskState | undefined } | undefined;
  /** A sentence where nothing runs, or why the task cannot. */
  readonly problem: string | undefined;
  /** Grows when somebody deletes a Pod: the next one is another. */
  readonly round: number;
}

export const nothingRunsPods =
  'nothing runs pods here: say in waygate.yaml what stands in for its Service (waygate init proposes it)';

export function replicaSetOf({ workload }: Carried): DynamicObject {
  const hash = templateHash(workload);
  const { template } = workload;
  const labels = { ...template.metadata?.labels, 'pod-template-hash': hash };
  return {
    metadata: {
      name: `${workload.name}-${hash}`,
      namespace: workload.namespace,
      labels,
      annotations: { [taskAnnotation]: '', 'deployment.kubernetes.io/revision': '1' },
      ownerReferences: [ownerOf(workload.kind, workload.object)],
    },
    spec: {
      replicas: workload.replicas,
      selector: { matchLabels: labels },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** The Pods of a workload: as many as it wants while something stands for them, else one that says so. */
export function podsOf(carried: Carried, replicaSet: KubeObject | undefined): DynamicObject[] {
  const { workload, task, round } = carried;
  const { template, kind, name, namespace } = workload;
  const hash = templateHash(workload);
  const count = task === undefined ? Math.min(workload.replicas, 1) : workload.replicas;
  const owner =
    replicaSet === undefined ? ownerOf(kind, workload.object) : ownerOf('ReplicaSet', replicaSet);
  return Array.from({ length: count }, (_, index) => {
    const suffix = lettersOf(`${hash} ${index} ${round}`, 5);
    const own = { Deployment: `${hash}-${suffix}`, DaemonSet: suffix, StatefulSet: `${index}` };
    return {
      metadata: {
        name: `${name}-${own[kind]}`,
        namespace,
        labels: {
          ...template.metadata?.labels,
          ...(kind === 'Deployment' ? { 'pod-template-hash': hash } : {}),
        },
        annotations: { ...template.metadata?.annotations, [taskAnnotation]: task?.id ?? '' },
        ownerReferences: [owner],
      },
      spec: { ...template.spec, nodeName: undefined },
    };
  });
}

function ownerOf(kind: string, { metadata }: Readonly<KubeObject>) {
  const { name = '', uid = '' } = metadata;
  return {
    apiVersion: 'apps/v1',
    kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Times of a Kubernetes object have whole seconds. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The truth of the process, in the words of a Pod. */
export function podStatusOf(carried: Carried, nowMs: number): DynamicObject['status'] {
  const { workload, task, problem } = carried;
  const containers = workload.template.spec?.containers ?? [];
  const state = task?.state;
  const isReady = state?.isReady === true && problem === undefined;
  if (task === undefined)
    return {
      phase: 'Pending',
      conditions: [condition('PodScheduled', false, nowMs, 'Unschedulable', problem)],
    };
  const hasRun = state?.startedMs !== undefined;
  const reason = state?.phase === 'running' ? 'ContainersNotReady' : state?.reason;
  const why = problem ?? state?.message;
  return {
    phase: phaseOf(state),
    hostIP: '127.0.0.1',
    ...(hasRun ? { startTime: timeText(state.startedMs ?? nowMs) } : {}),
    conditions: [
      condition('PodScheduled', true, nowMs),
      condition('Initialized', true, nowMs),
      condition('ContainersReady', isReady, nowMs, reason, why),
      condition('Ready', isReady, nowMs, reason, why),
    ],
    containerStatuses: containers.map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      ready: isReady,
      started: state?.phase === 'running',
      restartCount: Math.max(state?.restarts ?? 0, 0),
      state: containerState(state, problem),
      lastState: hasRun && state.lastEnd !== undefined ? terminated(state) : {},
    })),
  };
}

function phaseOf(state: TaskState | undefined): string {
  if (state?.phase === 'ended') return state.lastEnd?.exitCode === 0 ? 'Succeeded' : 'Failed';
  return state?.startedMs === undefined ? 'Pending' : 'Running';
}

function containerState(state: TaskState | undefined, problem: string | undefined): object {
  if (problem !== undefined)
    return { waiting: { reason: 'CreateContainerConfigError', message: problem } };
  if (state === undefined || state.phase === 'starting')
    return { waiting: { reason: 'ContainerCreating' } };
  if (state.phase === 'ended') return terminated(state);
  if (state.phase === 'waiting')
    return { waiting: { reason: state.reason ?? 'Waiting', message: state.message ?? '' } };
  return { running: { startedAt: timeText(state.startedMs ?? 0) } };
}

function terminated({ lastEnd }: TaskState): object {
  if (lastEnd === undefined) return {};
  const { exitCode, startedMs, endedMs } = lastEnd;
  return {
    terminated: {
      exitCode,
      reason: exitCode === 0 ? 'Completed' : 'Error',
      startedAt: timeText(startedMs),
      finishedAt: timeText(endedMs),
    },
  };
}

function condition(
  type: string,
  isTrue: boolean,
  nowMs: number,
  reason?: string,
  message?: string,
): Condition {
  return {
    type,
    status: isTrue ? 'True' : 'False',
    lastTransitionTime: timeText(nowMs),
    ...(isTrue || reason === undefined ? {} : { reason }),
    ...(isTrue || message === undefined ? {} : { message }),
  };
}

/** Conditions that say what those before them said keep their time. */
export function keepTimes(next: readonly Condition[], before: readonly Condition[]): Condition[] {
  return next.map((each) => {
    const old = before.find(({ type }) => type === each.type);
    if (old === undefined || old.status !== each.status) return each;
    return { ...each, lastTransitionTime: old.lastTransitionTime ?? each.lastTransitionTime! };
  });
}
