import { AttachRunner } from './attach-runner.ts';
import { ProgramRunner, type Replacement } from './program-runner.ts';
import { StubRunner } from './stub-runner.ts';
import type { HostNotice, Task, TaskState } from './task.ts';
import type { RunnerHooks, TaskRunner } from './task-runner.ts';

/** Runs what it is told to run: what is new is started, what changed is replaced, the rest is ended. */
export class TaskSet {
  readonly #notify: (notice: HostNotice) => void;
  readonly #running = new Map<string, { readonly text: string; readonly runner: TaskRunner }>();
  #wanted: readonly Task[] = [];
  #work: Promise<void> = Promise.resolve();

  constructor(notify: (notice: HostNotice) => void) {
    this.#notify = notify;
  }

  /** All that should run from now on. Resolves when it is so. */
  set(tasks: readonly Task[]): Promise<void> {
    this.#wanted = tasks;
    this.#work = this.#work.then(() => this.#settle());
    return this.#work;
  }

  async #settle(): Promise<void> {
    const wanted = new Map(this.#wanted.map((task) => [task.id, task]));
    await Promise.all(
      [...this.#running]
        .filter(([id]) => !wanted.has(id))
        .map(async ([id, { runner }]) => {
          await runner.stop();
          this.#running.delete(id);
        }),
    );
    await Promise.all([...wanted.values()].map((task) => this.#settleOne(task)));
  }

  async #settleOne(task: Task): Promise<void> {
    const text = textOf(task);
    const current = this.#running.get(task.id);
    if (current?.text === text) return;
    const before = await current?.runner.stop();
    const isSame = current?.text === textOf({ ...task, revision: before?.revision ?? '' });
    const runner = this.#runnerOf(
      task,
      before,
      isSame ? 'there is another Pod for it' : 'its settings have changed',
    );
    this.#running.set(task.id, { text, runner });
    await runner.start();
  }

  #runnerOf(task: Task, before: TaskState | undefined, why: Replacement): TaskRunner {
    const { id, work } = task;
    const hooks: RunnerHooks = {
      changed: () => this.#notify({ type: 'state', state: runner.state() }),
      line: (text) => this.#notify({ type: 'line', id, atMs: Date.now(), text }),
      news: (text) => this.#notify({ type: 'news', id, text }),
    };
    // A changed revision is another Pod, whose restarts are counted anew.
    const same =
      before?.revision === task.revision ? before : before && { ...before, restarts: -1 };
    const runner: TaskRunner =
      work.kind === 'start'
        ? new ProgramRunner(task, work, hooks, same && { ...same, why })
        : work.kind === 'attach'
          ? new AttachRunner(task, work, hooks)
          : new StubRunner(task, work, hooks, same);
    return runner;
  }
}

/** The last port is a wish for the first start; it is no reason for another. */
function textOf(task: Task): string {
  return JSON.stringify({ ...task, lastPort: undefined });
}
