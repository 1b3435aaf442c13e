/** How it is known that a task can be asked. */
export type ReadyCheck =
  | { readonly kind: 'tcp' }
  | { readonly kind: 'http'; readonly path: string }
  | { readonly kind: 'none' };

/** When a program that ended is started again. */
export type RestartPolicy = 'always' | 'on-failure' | 'never';

/** What a stub answers. */
export type StubAnswer =
  | { readonly kind: 'echo' }
  | {
      readonly kind: 'fixed';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: 'recorded'; readonly file: string };

/** A program to run. */
export interface StartTask {
  readonly kind: 'start';
  readonly command: readonly string[];
  readonly directory: string;
  /** Beside the environment of `waygate up` and `PORT`. */
  readonly env: Readonly<Record<string, string>>;
  readonly restart: RestartPolicy;
  readonly ready: ReadyCheck;
}

/** Something that runs anyway. */
export interface AttachTask {
  readonly kind: 'attach';
  readonly host: string;
}

/** An answer without a program. */
export interface StubTask {
  readonly kind: 'stub';
  readonly answer: StubAnswer;
}

/** What stands in for a Service: one thing with one port. */
export interface Task {
  /** Stays the same while the task is changed. */
  readonly id: string;
  /** As it is called in front of its lines. */
  readonly label: string;
  /** 0: a free one, which the task then keeps. */
  readonly port: number;
  /** The port to take where none is asked for, if it is free. */
  readonly lastPort?: number | undefined;
  /** Another value ends the program and starts it anew, such as the template of a Deployment. */
  readonly revision: string;
  readonly work: StartTask | AttachTask | StubTask;
}

/** How a program ended. */
export interface TaskEnd {
  readonly exitCode: number;
  readonly signal?: string | undefined;
  readonly startedMs: number;
  readonly endedMs: number;
}

/** How a task is. Times are milliseconds since the epoch. */
export interface TaskState {
  readonly id: string;
  /** The revision that this is about. */
  readonly revision: string;
  readonly port: number;
  readonly phase: 'starting' | 'running' | 'waiting' | 'ended';
  readonly isReady: boolean;
  readonly processId?: number | undefined;
  readonly startedMs?: number | undefined;
  readonly restarts: number;
  /** Why it waits or is not ready: a word for machines and a sentence for people. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastEnd?: TaskEnd | undefined;
}

/** What the host is told: all that should run, each time. */
export interface HostCommand {
  readonly type: 'tasks';
  readonly tasks: readonly Task[];
}

/** What the host tells. */
export type HostNotice =
  | { readonly type: 'state'; readonly state: TaskState }
  | { readonly type: 'line'; readonly id: string; readonly atMs: number; readonly text: string }
  /** What a user should know at once: a crash, a program that is not there, a port that is taken. */
  | { readonly type: 'news'; readonly id: string; readonly text: string };
