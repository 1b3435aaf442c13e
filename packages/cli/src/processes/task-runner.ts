import type { TaskState } from './task.ts';

/** What runs one task. */
export interface TaskRunner {
  start(): Promise<void>;
  /** Resolves, with how it was, when nothing of it is left. */
  stop(): Promise<TaskState>;
  state(): TaskState;
}

/** What a runner tells. */
export interface RunnerHooks {
  changed(): void;
  line(text: string): void;
  news(text: string): void;
}
