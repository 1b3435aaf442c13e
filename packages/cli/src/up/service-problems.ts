import type { TaskState } from '../processes/task.ts';
import { type Fit, nameOf } from '../workloads/service-bindings.ts';
import type { UpProblem } from './problem-board.ts';

interface ServiceFacts {
  readonly fit: Fit;
  /** Whether the project has been applied: before, what is missing may only be late. */
  readonly isApplied: boolean;
  readonly taskProblems: ReadonlyMap<string, string>;
  readonly state: (id: string) => TaskState | undefined;
}

/** How long a program may take to listen before that is a problem. */
const startingMs = 5_000;

const neverStarted: ReadonlySet<string> = new Set([
  'CreateContainerError',
  'PortTaken',
  'RunContainerError',
]);

/** What keeps requests to Services from being answered here, and what to do. */
export function serviceProblems({
  fit,
  isApplied,
  taskProblems,
  state,
}: ServiceFacts): UpProblem[] {
  const unbound = fit.unbound.map((service): UpProblem => {
    const name = nameOf(service);
    return {
      key: `unbound ${name}`,
      object: `Service ${name}`,
      message: 'has nothing behind it: nothing runs pods here',
      fix: 'say in waygate.yaml what stands in for it: waygate init proposes one',
    };
  });
  const unfit = isApplied
    ? fit.problems.map((message): UpProblem => ({ key: message, object: 'waygate.yaml', message }))
    : [];
  const failing = fit.bound.flatMap(({ service, binding }): UpProblem[] => {
    const name = nameOf(service);
    const missing = taskProblems.get(name);
    const current = state(name);
    const object = `Service ${name}`;
    if (missing !== undefined)
      return [
        {
          key: `task ${name}`,
          object,
          message: `cannot be started: ${missing}`,
          fix: 'add it to the manifests, or make it optional',
        },
      ];
    if (current === undefined || current.isReady || current.phase === 'starting') return [];
    const livedMs = Date.now() - (current.startedMs ?? Date.now());
    if (current.phase === 'running' && livedMs < startingMs) return [];
    // That it ended is told when it does; what ends again and again is a problem.
    if (current.reason === 'CrashLoopBackOff' && current.restarts < 2) return [];
    // What was never started is not its program's doing, and its message is a sentence of its own.
    const isProgram = binding.kind === 'start' && !neverStarted.has(current.reason ?? '');
    const isSilent = current.phase === 'running' && binding.kind === 'start' && binding.port === 0;
    return [
      {
        key: `task ${name}`,
        object,
        message: `has nothing behind it: ${isProgram ? 'its program ' : ''}${current.message ?? 'is not ready'}`,
        fix: isSilent
          ? `it was told to listen on PORT=${current.port}; if it listens elsewhere, say so with port: in ${binding.place}`
          : binding.place,
      },
    ];
  });
  return [...unfit, ...failing, ...unbound];
}
