import type { ChildProcess } from 'node:child_process';
import type { ProblemRow } from '@waygate/dashboard';
import type { KubeClient } from '@waygate/kube';
import { CliError } from '../context.ts';
import { ProcessHost } from '../processes/process-host.ts';
import type { Task, TaskState } from '../processes/task.ts';
import type { LocalBackend, ProjectFile } from '../project/project-file.ts';
import { OutputBook } from '../workloads/output-book.ts';
import { type BoundService, type Fit, nameOf } from '../workloads/service-bindings.ts';
import { WorkloadController } from '../workloads/workload-controller.ts';
import { LocalPods } from './local-pods.ts';
import type { UpProblem } from './problem-board.ts';
import { serviceProblems } from './service-problems.ts';

const installAgain = 'Install it again, or build it: npm run build.';

/** How far the watch of Services may be behind the Event that says that the project was applied. */
const behindMs = 500;

interface LocalServicesOptions {
  readonly file: ProjectFile | undefined;
  /** Where the programs of `backends` run. */
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  /** The process that is to own them, when it runs already. */
  readonly owner: ChildProcess | undefined;
  /** The ports of an earlier run, by task. */
  readonly lastPorts: Readonly<Record<string, number>>;
  readonly onLine: (label: string, text: string) => void;
  /** Told of what a user should know at once. */
  readonly tell: (line: string) => void;
  readonly log: (line: string) => void;
  readonly onProblems: (problems: readonly UpProblem[]) => void;
  /** Told when other processes run than before. */
  readonly onProcesses: () => void;
}

/** What stands in for the project's Services on this machine: processes, ports of others, stubs. */
export class LocalServices {
  readonly pods: LocalPods;
  readonly #options: LocalServicesOptions;
  readonly #host: ProcessHost;
  readonly #output = new OutputBook();
  readonly #backends: readonly Task[];
  #file: ProjectFile | undefined;
  #controller: WorkloadController | undefined;
  #bound = new Map<string, BoundService>();
  #fit: Fit = { bound: [], unbound: [], problems: [] };
  #taskProblems: ReadonlyMap<string, string> = new Map();
  #isApplied = false;
  #applied: NodeJS.Timeout | undefined;
  #onState: () => void = () => undefined;

  constructor(options: LocalServicesOptions) {
    this.#options = options;
    this.#file = options.file;
    this.#backends = (options.file?.backends ?? []).map((each) => this.#backendTask(each));
    this.#host = new ProcessHost({
      env: options.env,
      early: options.owner,
      onState: (state) => this.#noteState(state),
      onLine: (id, atMs, text) => {
        this.#output.add(id, atMs, text);
        options.onLine(labelOf(id), text);
      },
      onNews: (id, text) => options.tell(`${labelOf(id)} ${text}`),
      onFailed: () => {
        this.#report();
        this.#onState();
      },
    });
    this.pods = new LocalPods({
      output: this.#output,
      bound: (id) => this.#bound.get(id),
      state: (id) => this.#host.state(id),
    });
  }

  /** Starts the processes that the manifests need to know the ports of; resolves when these are known. */
  async startBackends(): Promise<ReadonlyMap<string, number>> {
    this.#host.set(this.#backends);
    const known = (): boolean =>
      this.#backends.every(({ id }) => this.#host.state(id) !== undefined);
    while (!known()) {
      if (this.#host.failure !== undefined) throw this.#failed(this.#host.failure);
      await new Promise<void>((resolve) => {
        this.#onState = resolve;
      });
    }
    return new Map(this.#backends.map(({ id, label }) => [label, this.#host.state(id)?.port ?? 0]));
  }

  /** Whether anything is to stand in for a Service. */
  get hasBindings(): boolean {
    return (this.#file?.bindings.length ?? 0) > 0;
  }

  async run(client: KubeClient, signal: AbortSignal): Promise<void> {
    this.#controller = new WorkloadController(
      {
        client,
        host: this.#host,
        otherTasks: this.#backends,
        lastPort: (id) => this.#host.state(id)?.port ?? this.#options.lastPorts[id],
        onFit: (fit, problems) => this.#noteFit(fit, problems),
        onError: (error) => this.#options.log(`services: ${(error as Error).message}`),
      },
      this.#file?.bindings ?? [],
    );
    await this.#controller.run(signal);
  }

  /** Another `waygate.yaml`: what it says of Services holds from now on. */
  setFile(file: ProjectFile): void {
    this.#file = file;
    this.#controller?.setBindings(file.bindings);
  }

  /** From now on a Service that is not there is missing, and not only late. */
  noteApplied(): void {
    this.#applied ??= setTimeout(() => {
      this.#isApplied = true;
      this.#report();
    }, behindMs).unref();
  }

  /**
   * Whether a problem is about a Service of which is told here what stands behind it: one that names it, or
   * only what the gateway calls it: `shop.web.80: …`.
   */
  isAbout({ object, message }: Pick<ProblemRow, 'object' | 'message'>): boolean {
    const services = [...this.#fit.unbound, ...this.#fit.bound.map(({ service }) => service)];
    return services.some(({ metadata: { namespace, name } }) =>
      object?.kind === 'Service'
        ? object.namespace === namespace && object.name === name
        : message.startsWith(`${namespace}.${name}.`),
    );
  }

  get processIds(): readonly number[] {
    return this.#host.processIds;
  }

  /** The port of each task, for the next run. */
  get ports(): Readonly<Record<string, number>> {
    const ids = [...this.#backends.map(({ id }) => id), ...this.#bound.keys()];
    return Object.fromEntries(
      ids.flatMap((id) => {
        const port = this.#host.state(id)?.port;
        return port === undefined ? [] : [[id, port] as const];
      }),
    );
  }

  stop(): Promise<void> {
    return this.#host.stop();
  }

  readonly #runs = new Map<string, number | undefined>();

  #noteState(state: TaskState): void {
    const { id, phase, startedMs } = state;
    if (startedMs !== undefined && this.#runs.get(id) !== startedMs) {
      if (phase === 'running') {
        this.#runs.set(id, startedMs);
        this.#output.begin(id);
      }
    }
    if (phase !== 'running') this.#output.end(id);
    this.#controller?.changed();
    this.#report();
    this.#onState();
    this.#options.onProcesses();
  }

  #noteFit(fit: Fit, problems: ReadonlyMap<string, string>): void {
    this.#fit = fit;
    this.#taskProblems = problems;
    this.#bound = new Map(fit.bound.map((bound) => [nameOf(bound.service), bound]));
    this.#report();
  }

  #report(): void {
    const { failure } = this.#host;
    this.#options.onProblems([
      ...(failure === undefined
        ? []
        : [{ key: 'host', object: 'waygate up', message: failure.message, fix: installAgain }]),
      ...serviceProblems({
        fit: this.#fit,
        isApplied: this.#isApplied,
        taskProblems: this.#taskProblems,
        state: (id) => this.#host.state(id),
      }),
    ]);
  }

  #failed({ message }: Error): CliError {
    return new CliError(message, { hint: installAgain });
  }

  #backendTask({ name, command, env }: LocalBackend): Task {
    const { directory, lastPorts } = this.#options;
    const id = `${backendPrefix}${name}`;
    return {
      id,
      label: name,
      port: 0,
      lastPort: lastPorts[id],
      revision: '',
      work: { kind: 'start', command, directory, env, restart: 'always', ready: { kind: 'tcp' } },
    };
  }
}

const backendPrefix = 'backend ';

/** `shop/web` is `web` in front of its lines. */
function labelOf(id: string): string {
  return id.startsWith(backendPrefix)
    ? id.slice(backendPrefix.length)
    : id.slice(id.indexOf('/') + 1);
}
