import type { ChildProcess } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { freePort, isFreePort } from './free-port.ts';
import { eachLine } from './line-splitter.ts';
import { endGroup, signalGroup, startGroup } from './process-group.ts';
import { checkReady } from './ready-check.ts';
import type { StartTask, Task, TaskEnd, TaskState } from './task.ts';
import type { RunnerHooks, TaskRunner } from './task-runner.ts';

const firstDelayMs = 1_000;
const mostDelayMs = 30_000;
/** A program that ran this long did not die of its start. */
const steadyMs = 10_000;
/** How often it is looked at: while it starts, and then. */
const startingLookMs = 50;
const readyLookMs = 2_000;

/** Why a program takes the place of one that ran. */
export type Replacement = 'its settings have changed' | 'there is another Pod for it';

/** Runs one program: starts it, looks whether it is ready, and starts it again as it was asked to. */
export class ProgramRunner implements TaskRunner {
  readonly #task: Task;
  readonly #work: StartTask;
  readonly #hooks: RunnerHooks;
  #port = 0;
  #child: ChildProcess | undefined;
  #startedMs: number | undefined;
  #isReady = false;
  #phase: TaskState['phase'] = 'starting';
  #restarts: number;
  #why: { reason: string; message: string } | undefined;
  #lastEnd: TaskEnd | undefined;
  #delayMs = firstDelayMs;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;
  readonly #replaces: Replacement | undefined;

  constructor(
    task: Task,
    work: StartTask,
    hooks: RunnerHooks,
    before?: TaskState & { readonly why: Replacement },
  ) {
    this.#task = task;
    this.#work = work;
    this.#hooks = hooks;
    this.#port = before?.port ?? 0;
    this.#restarts = before === undefined ? 0 : before.restarts + 1;
    this.#lastEnd = before?.lastEnd;
    this.#replaces = before?.why;
  }

  async start(): Promise<void> {
    if (this.#task.port !== 0) this.#port = this.#task.port;
    else this.#port = await freePort(this.#port || (this.#task.lastPort ?? 0));
    if (this.#replaces !== undefined) this.#hooks.news(`is started again: ${this.#replaces}`);
    await this.#spawn();
  }

  async stop(): Promise<TaskState> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child?.pid !== undefined) {
      const over = child.exitCode !== null || child.signalCode !== null;
      const ended = over ? undefined : new Promise((resolve) => child.once('exit', resolve));
      await endGroup(child.pid);
      await ended;
    }
    return this.state();
  }

  state(): TaskState {
    return {
      id: this.#task.id,
      revision: this.#task.revision,
      port: this.#port,
      phase: this.#phase,
      isReady: this.#isReady,
      processId: this.#phase === 'running' ? this.#child?.pid : undefined,
      startedMs: this.#startedMs,
      restarts: this.#restarts,
      reason: this.#why?.reason,
      message: this.#why?.message,
      lastEnd: this.#lastEnd,
    };
  }

  async #spawn(): Promise<void> {
    const refusal = await this.#refusal();
    if (this.#isStopping) return;
    if (refusal !== undefined) {
      this.#wait(refusal.reason, refusal.message);
      this.#hooks.news(`${refusal.message}; tried again in ${this.#delayMs / 1_000} s`);
      this.#later();
      return;
    }
    const { command, directory, env } = this.#work;
    const child = startGroup(command, {
      directory,
      env: { ...process.env, ...env, PORT: String(this.#port) },
    });
    this.#child = child;
    this.#startedMs = Date.now();
    for (const stream of [child.stdout, child.stderr])
      if (stream !== null) eachLine(stream, (line) => this.#hooks.line(line));
    child.once('error', (error: NodeJS.ErrnoException) => this.#onNoStart(error));
    if (child.pid === undefined) return;
    this.#phase = 'running';
    this.#why = { reason: 'Starting', message: 'has been started' };
    this.#hooks.changed();
    child.once('exit', (code, signal) => void this.#onExit(child, code, signal));
    this.#look(child);
  }

  /** What keeps the program from being started at all. */
  async #refusal(): Promise<{ reason: string; message: string } | undefined> {
    const { directory } = this.#work;
    if (!existsSync(directory) || !statSync(directory).isDirectory())
      return { reason: 'CreateContainerError', message: `there is no directory ${directory}` };
    if (await isFreePort(this.#port)) return undefined;
    return {
      reason: 'PortTaken',
      message: `port ${this.#port} is taken by another program: end that one, or say attach: ${this.#port}`,
    };
  }

  #onNoStart(error: NodeJS.ErrnoException): void {
    const [program] = this.#work.command;
    const what =
      error.code === 'ENOENT'
        ? `there is no program ${program}`
        : `cannot start ${program}: ${error.message}`;
    this.#wait('RunContainerError', what);
    this.#hooks.news(`${what}; tried again in ${this.#delayMs / 1_000} s`);
    this.#later();
  }

  async #onExit(
    child: ChildProcess,
    code: number | null,
    signal: NodeJS.Signals | null,
  ): Promise<void> {
    clearTimeout(this.#timer);
    // What it has started ends with it: a grandchild that holds the port would keep the next one out.
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    const endedMs = Date.now();
    const startedMs = this.#startedMs ?? endedMs;
    const exitCode = code ?? 128;
    this.#lastEnd = { exitCode, signal: signal ?? undefined, startedMs, endedMs };
    this.#isReady = false;
    if (this.#isStopping) return;
    const how = signal === null ? `exit code ${exitCode}` : signal;
    const { restart } = this.#work;
    if (restart === 'never' || (restart === 'on-failure' && exitCode === 0)) {
      this.#phase = 'ended';
      this.#why = { reason: exitCode === 0 ? 'Completed' : 'Error', message: `ended (${how})` };
      this.#hooks.news(`ended (${how}); it is not started again (restart: ${restart})`);
      this.#hooks.changed();
      return;
    }
    if (endedMs - startedMs > steadyMs) this.#delayMs = firstDelayMs;
    this.#wait('CrashLoopBackOff', `ended (${how})`);
    this.#hooks.news(`ended (${how}); it is started again in ${this.#delayMs / 1_000} s`);
    this.#restarts += 1;
    this.#later();
  }

  #wait(reason: string, message: string): void {
    this.#phase = 'waiting';
    this.#isReady = false;
    this.#why = { reason, message };
    this.#hooks.changed();
  }

  #later(): void {
    this.#timer = setTimeout(() => void this.#spawn(), this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, mostDelayMs);
  }

  #look(child: ChildProcess): void {
    const again = async (): Promise<void> => {
      const problem = await checkReady(this.#work.ready, '127.0.0.1', this.#port);
      if (this.#isStopping || this.#child !== child || this.#phase !== 'running') return;
      const wasReady = this.#isReady;
      const said = this.#why?.message;
      this.#isReady = problem === undefined;
      this.#why = problem === undefined ? undefined : { reason: 'NotReady', message: problem };
      if (wasReady !== this.#isReady || said !== this.#why?.message) this.#hooks.changed();
      this.#timer = setTimeout(() => void again(), this.#isReady ? readyLookMs : startingLookMs);
    };
    void again();
  }
}
