import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { signalGroup } from './process-group.ts';
import type { HostCommand, HostNotice, Task, TaskState } from './task.ts';

interface ProcessHostOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly onState: (state: TaskState) => void;
  readonly onLine: (id: string, atMs: number, text: string) => void;
  readonly onNews: (id: string, text: string) => void;
  /** Told when no process can own them: then nothing is started any more. */
  readonly onFailed: (error: Error) => void;
  /** The program that owns them; another one in tests. */
  readonly entry?: URL;
  /** A process of it that waits to be told what to run. */
  readonly early?: ChildProcess | undefined;
}

const restartMs = 500;
/** One that ends so often before it has said a word will not do better the next time. */
const mostSilentEnds = 3;

/**
 * The processes behind Services, owned by a process of its own, which ends with this one and ends them
 * first. When it is killed, what it had started is ended from here, and started again.
 */
export class ProcessHost {
  readonly #options: ProcessHostOptions;
  readonly #states = new Map<string, TaskState>();
  #tasks: readonly Task[] = [];
  #sent = '';
  #early: ChildProcess | undefined;
  #child: ChildProcess | undefined;
  #restart: NodeJS.Timeout | undefined;
  #isStopping = false;
  #hasSpoken = false;
  #silentEnds = 0;
  #failure: Error | undefined;

  constructor(options: ProcessHostOptions) {
    this.#options = options;
    this.#early = options.early;
  }

  /** All that should run from now on. No process is started for nothing. */
  set(tasks: readonly Task[]): void {
    this.#tasks = tasks;
    const ids = new Set(tasks.map(({ id }) => id));
    for (const id of this.#states.keys()) if (!ids.has(id)) this.#states.delete(id);
    if (this.#isStopping || (this.#child === undefined && tasks.length === 0)) return;
    if (this.#child !== undefined) this.#send();
    else if (this.#failure === undefined) this.#start();
  }

  /** Why nothing is started any more. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  state(id: string): TaskState | undefined {
    return this.#states.get(id);
  }

  /** The heads of the groups that run. */
  get processIds(): readonly number[] {
    return [...this.#states.values()].flatMap(({ processId }) => processId ?? []);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const child = this.#child ?? this.#early;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    // It ends when the channel closes, on whichever side; what it has started it ends before.
    if (child.connected) child.disconnect();
    await exited;
  }

  #start(): void {
    const { env, entry } = this.#options;
    const early = this.#early;
    this.#early = undefined;
    const child = early?.connected === true ? early : forkProcessHost(env, entry);
    this.#child = child;
    this.#sent = '';
    this.#hasSpoken = false;
    child.on('message', (notice: HostNotice) => {
      this.#hasSpoken = true;
      this.#silentEnds = 0;
      this.#take(notice);
    });
    child.once('exit', () => this.#onExit());
    child.on('error', () => undefined);
    this.#send();
  }

  #send(): void {
    const text = JSON.stringify(this.#tasks);
    if (text === this.#sent || this.#child?.connected !== true) return;
    this.#sent = text;
    // One that is about to end does not hear it; the next one is told all of it.
    this.#child.send({ type: 'tasks', tasks: this.#tasks } satisfies HostCommand, () => undefined);
  }

  #take(notice: HostNotice): void {
    if (notice.type === 'line') this.#options.onLine(notice.id, notice.atMs, notice.text);
    else if (notice.type === 'news') this.#options.onNews(notice.id, notice.text);
    else if (this.#tasks.some(({ id }) => id === notice.state.id)) {
      this.#states.set(notice.state.id, notice.state);
      this.#options.onState(notice.state);
    }
  }

  #onExit(): void {
    this.#child = undefined;
    if (this.#isStopping) return;
    if (!this.#hasSpoken && ++this.#silentEnds >= mostSilentEnds) {
      this.#failure = new Error(
        'what runs programs behind Services does not start: is this installation whole?',
      );
      this.#options.onFailed(this.#failure);
      return;
    }
    for (const id of this.processIds) signalGroup(id, 'SIGKILL');
    // That it did not even start is told when it never does.
    for (const task of this.#hasSpoken ? this.#tasks : [])
      this.#options.onNews(task.id, 'the process that ran it ended; it is started again');
    this.#restart = setTimeout(() => this.set(this.#tasks), restartMs);
  }
}

/** Starts the process that owns them. It loads its code, and waits to be told what to run. */
export function forkProcessHost(
  env: NodeJS.ProcessEnv,
  entry: URL = new URL('./host-process.js', import.meta.url),
): ChildProcess {
  return fork(fileURLToPath(entry), {
    env,
    // A group of its own: the terminal's Ctrl-C must not end the processes before the gateway.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
