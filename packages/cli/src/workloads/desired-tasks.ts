import type { ConfigMap, Secret } from '@waygate/schema';
import type { Task } from '../processes/task.ts';
import type { Binding } from './binding.ts';
import { environmentOf } from './pod-environment.ts';
import { type BoundService, nameOf, needsPods, servedContainer } from './service-bindings.ts';
import { templateHash } from './workload.ts';

/** What a binding comes to: a task, or the reason why there can be none yet. */
type DesiredTask =
  | { readonly task: Task }
  | { readonly problem: string }
  /** Nothing is wanted: the workload is scaled to none. */
  | { readonly isScaledDown: true }
  /** Its workload may be about to come, and with it another revision, and the environment of a program. */
  | { readonly isEarly: true };

export interface TaskFacts {
  configMap(namespace: string, name: string): ConfigMap | undefined;
  secret(namespace: string, name: string): Secret | undefined;
  /** Whether there has been time for the workloads of a Service to come, which are applied with it. */
  isOverdue(id: string): boolean;
  /** Grows when somebody deletes a Pod of the task. */
  round(id: string): number;
  lastPort(id: string): number | undefined;
}

/** The id of what stands in for a Service. */
export const taskIdOf = (bound: BoundService): string => nameOf(bound.service);

/** What to run for a Service, with the environment that its workload asks for. */
export function desiredTask(bound: BoundService, facts: TaskFacts): DesiredTask {
  const { binding, service, workloads } = bound;
  const id = taskIdOf(bound);
  const [workload] = workloads;
  if (workloads.length > 0 && workloads.every(({ replicas }) => replicas === 0))
    return { isScaledDown: true };
  if (workload === undefined && needsPods(service) && !facts.isOverdue(id))
    return { isEarly: true };
  const hash = workload === undefined ? '' : templateHash(workload);
  const base = {
    id,
    label: service.metadata.name ?? id,
    revision: `${hash} ${facts.round(id)}`,
    lastPort: facts.lastPort(id),
  };
  if (binding.kind === 'attach')
    return { task: { ...base, port: binding.port, work: { kind: 'attach', host: binding.host } } };
  if (binding.kind === 'stub')
    return { task: { ...base, port: 0, work: { kind: 'stub', answer: binding.answer } } };
  const container = workload && servedContainer(workload, service);
  const namespace = service.metadata.namespace ?? '';
  const given =
    workload === undefined || container === undefined
      ? { env: {} }
      : environmentOf(
          container,
          { metadata: workload.object.metadata, template: workload.template },
          {
            configMap: (name) => facts.configMap(namespace, name),
            secret: (name) => facts.secret(namespace, name),
          },
        );
  if ('missing' in given) return { problem: given.missing };
  return { task: { ...base, port: binding.port, work: startOf(binding, given.env) } };
}

function startOf(
  { command, directory, env, restart, ready }: Extract<Binding, { kind: 'start' }>,
  given: Readonly<Record<string, string>>,
): Extract<Task['work'], { kind: 'start' }> {
  return { kind: 'start', command, directory, env: { ...given, ...env }, restart, ready };
}
