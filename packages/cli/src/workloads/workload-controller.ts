import { isNotFound, type KubeClient } from '@waygate/kube';
import { createInformer, type SharedInformer } from '@waygate/runtime';
import { type Kind, type KubeObject, kinds, type Pod } from '@waygate/schema';
import type { Task, TaskState } from '../processes/task.ts';
import type { Binding } from './binding.ts';
import { desiredTask, taskIdOf } from './desired-tasks.ts';
import { endpointSliceOf } from './endpoint-objects.ts';
import { ObjectWriter } from './object-writer.ts';
import { type Carried, nothingRunsPods, taskAnnotation } from './pod-objects.ts';
import { type BoundService, type Fit, fitBindings, servedContainer } from './service-bindings.ts';
import { type Workload, workloadOf } from './workload.ts';

interface WorkloadControllerOptions {
  readonly client: KubeClient;
  /** What runs the tasks. */
  readonly host: { set(tasks: readonly Task[]): void; state(id: string): TaskState | undefined };
  /** Tasks that stand for no Service. */
  readonly otherTasks: readonly Task[];
  readonly lastPort: (id: string) => number | undefined;
  /** Told of how bindings and Services fit, each time that is looked at. */
  readonly onFit: (fit: Fit, taskProblems: ReadonlyMap<string, string>) => void;
  readonly onError: (error: unknown) => void;
}

const settleMs = 10;
const retryMs = 1_000;
/** What is applied together comes within this; a program that was started without its environment would start twice. */
const workloadMs = 1_000;
const workloadKinds = ['Deployment', 'StatefulSet', 'DaemonSet'] as const;

/**
 * Runs what stands in for Services, and says in the cluster how it is: Pods and statuses for the workloads
 * behind them, and EndpointSlices that lead there. It looks at all of it after each change: a project has
 * tens of Services, not thousands.
 */
export class WorkloadController {
  readonly #options: WorkloadControllerOptions;
  readonly #informers: Readonly<Record<string, SharedInformer<KubeObject>>>;
  readonly #writer: ObjectWriter;
  readonly #rounds = new Map<string, number>();
  /** By task: since when its Service has been there without a workload. */
  readonly #awaited = new Map<string, number>();
  #bindings: readonly Binding[];
  #wake: () => void = () => undefined;
  #isDirty = true;

  constructor(options: WorkloadControllerOptions, bindings: readonly Binding[]) {
    this.#options = options;
    this.#bindings = bindings;
    this.#writer = new ObjectWriter(options.client);
    const followed = [...workloadKinds, 'Service', 'ConfigMap', 'Secret', 'Pod'] as const;
    this.#informers = Object.fromEntries(
      followed.map((name) => [
        name,
        createInformer(options.client, kinds[name] as Kind<KubeObject>, {
          omitManagedFields: true,
        }),
      ]),
    );
  }

  /** Another `waygate.yaml`. */
  setBindings(bindings: readonly Binding[]): void {
    this.#bindings = bindings;
    this.changed();
  }

  /** A task is another way now, or an object. */
  changed(): void {
    this.#isDirty = true;
    this.#wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const running = Object.entries(this.#informers).map(([name, informer]) => {
      informer.addEventHandler({
        onAdd: () => this.changed(),
        onUpdate: () => this.changed(),
        onDelete: (gone) => {
          if (name === 'Pod') this.#onPodGone(gone as Pod);
          this.changed();
        },
      });
      return informer.run(signal);
    });
    for (const informer of Object.values(this.#informers)) await informer.waitForSync(signal);
    while (!signal.aborted) await this.#turn(signal);
    await Promise.allSettled(running);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (!this.#isDirty) await this.#pause(undefined, signal);
    // A change seldom comes alone.
    await this.#pause(settleMs, signal);
    if (signal.aborted) return;
    this.#isDirty = false;
    try {
      await this.#reconcile(signal);
    } catch (error) {
      if (signal.aborted) return;
      // Somebody was faster, or the object is gone: the next look knows.
      if (!isNotFound(error)) this.#options.onError(error);
      this.#isDirty = true;
      await this.#pause(retryMs, signal);
    }
  }

  /** Waits for a time, or without one for the next change. */
  #pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      if (ms === undefined) this.#wake = done;
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }

  /** A Pod that somebody else deleted is a wish for another: what it stood for starts anew. */
  #onPodGone(pod: Pod): void {
    const id = pod.metadata?.annotations?.[taskAnnotation];
    if (id === undefined || this.#writer.hasDeleted(pod)) return;
    this.#rounds.set(id, (this.#rounds.get(id) ?? 0) + 1);
  }

  #isOverdue(id: string): boolean {
    const known = this.#awaited.get(id);
    if (known !== undefined) return performance.now() - known >= workloadMs;
    this.#awaited.set(id, performance.now());
    setTimeout(() => this.changed(), workloadMs + 1).unref();
    return false;
  }

  #all<T extends KubeObject>(kind: string): T[] {
    return this.#informers[kind]!.indexer.list() as T[];
  }

  #find<T extends KubeObject>(kind: string, namespace: string, name: string): T | undefined {
    return this.#informers[kind]!.indexer.getByKey(`${namespace}/${name}`) as T | undefined;
  }

  async #reconcile(signal: AbortSignal): Promise<void> {
    const workloads = workloadKinds.flatMap((kind) =>
      this.#all(kind).flatMap((object) => workloadOf(kind, object as never) ?? []),
    );
    const fit = fitBindings(this.#bindings, this.#all('Service'), workloads);
    const { host, otherTasks, lastPort } = this.#options;
    const tasks: Task[] = [...otherTasks];
    const problems = new Map<string, string>();
    for (const bound of fit.bound) {
      const desired = desiredTask(bound, {
        configMap: (namespace, name) => this.#find('ConfigMap', namespace, name),
        secret: (namespace, name) => this.#find('Secret', namespace, name),
        isOverdue: (id) => this.#isOverdue(id),
        round: (id) => this.#rounds.get(id) ?? 0,
        lastPort,
      });
      if ('task' in desired) tasks.push(desired.task);
      else if ('problem' in desired) problems.set(taskIdOf(bound), desired.problem);
    }
    host.set(tasks);
    this.#options.onFit(fit, problems);
    await this.#write(fit, workloads, problems, signal);
  }

  async #write(
    fit: Fit,
    workloads: readonly Workload[],
    problems: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<void> {
    const { host } = this.#options;
    for (const { service, binding } of fit.bound) {
      const id = taskIdOf({ service } as BoundService);
      const slice = endpointSliceOf(
        service,
        binding,
        problems.has(id) ? undefined : host.state(id),
      );
      // Before anything is known of the port there is nothing to lead to.
      const isKnown = (slice.ports as { port: number }[]).every(({ port }) => port > 0);
      if (isKnown)
        await this.#writer.apply(kinds.EndpointSlice as Kind<KubeObject> as Kind, slice, signal);
    }
    await this.#writer.keepSlices(
      new Set(fit.bound.map(({ service }) => service.metadata.uid)),
      signal,
    );
    const wanted = new Set<string>();
    const foreign = this.#ownersOfForeignPods();
    for (const workload of workloads) {
      const carried = this.#carried(fit, workload, problems);
      // Who runs Pods for it, as a kubelet of one's own does, says how they are, too.
      if (carried.task === undefined && foreign.has(workload.object.metadata.uid)) continue;
      const pods = await this.#writer.writeWorkload(
        carried,
        (namespace, name) => this.#find<Pod>('Pod', namespace, name),
        signal,
      );
      for (const name of pods) wanted.add(name);
    }
    for (const pod of this.#all<Pod>('Pod')) {
      const isOurs = pod.metadata.annotations?.[taskAnnotation] !== undefined;
      const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
      if (isOurs && !wanted.has(key)) await this.#writer.deletePod(pod, signal);
    }
  }

  /** The uids of what owns Pods that are not written here. */
  #ownersOfForeignPods(): ReadonlySet<string | undefined> {
    const pods = this.#all<Pod>('Pod').filter(
      ({ metadata }) => metadata.annotations?.[taskAnnotation] === undefined,
    );
    return new Set(
      pods.flatMap(({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid)),
    );
  }

  #carried(fit: Fit, workload: Workload, problems: ReadonlyMap<string, string>): Carried {
    const bound = fit.bound.find((each) => each.workloads.includes(workload));
    const container = servedContainer(workload, bound?.service)?.name ?? '';
    if (bound === undefined)
      return { workload, container, task: undefined, problem: nothingRunsPods, round: 0 };
    const id = taskIdOf(bound);
    const known = this.#options.host.state(id);
    return {
      workload,
      container,
      task: { id, state: known },
      problem: problems.get(id),
      round: this.#rounds.get(id) ?? 0,
    };
  }
}
