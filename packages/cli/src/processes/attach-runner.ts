import { checkReady } from './ready-check.ts';
import type { AttachTask, Task, TaskState } from './task.ts';
import type { RunnerHooks, TaskRunner } from './task-runner.ts';

const lookMs = 500;

/** Watches a port that something else serves. */
export class AttachRunner implements TaskRunner {
  readonly #task: Task;
  readonly #work: AttachTask;
  readonly #hooks: RunnerHooks;
  #problem: string | undefined;
  #isKnown = false;
  #sinceMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(task: Task, work: AttachTask, hooks: RunnerHooks) {
    this.#task = task;
    this.#work = work;
    this.#hooks = hooks;
  }

  async start(): Promise<void> {
    await this.#look();
  }

  async stop(): Promise<TaskState> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    return this.state();
  }

  state(): TaskState {
    const isReady = this.#isKnown && this.#problem === undefined;
    return {
      id: this.#task.id,
      revision: this.#task.revision,
      port: this.#task.port,
      phase: isReady ? 'running' : 'waiting',
      isReady,
      startedMs: this.#sinceMs,
      restarts: 0,
      reason: isReady ? undefined : 'NothingListens',
      message: this.#problem,
    };
  }

  async #look(): Promise<void> {
    const { host } = this.#work;
    const before = this.#problem;
    this.#problem = await checkReady({ kind: 'tcp' }, host, this.#task.port);
    if (this.#isStopping) return;
    if (!this.#isKnown || before !== this.#problem) {
      if (this.#problem !== undefined) this.#hooks.news(`${this.#problem}: start what serves it`);
      else if (this.#isKnown) this.#hooks.news(`${host}:${this.#task.port} answers`);
      this.#sinceMs = this.#problem === undefined ? Date.now() : undefined;
      this.#isKnown = true;
      this.#hooks.changed();
    }
    this.#timer = setTimeout(() => void this.#look(), lookMs);
  }
}
