import { setTimeout as delay } from 'node:timers/promises';
import type { Operation, Plan } from './operation.ts';

/** How an operation ended. */
export type OperationOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: Error }
  /** Not tried: something that it waits for failed, or the work was stopped. */
  | { readonly kind: 'left'; readonly reason: string };

export interface SolveOptions {
  /** How many operations are under way at a time; 10 unless told. */
  readonly parallelism?: number;
  readonly signal?: AbortSignal;
  /** How long what waits for an operation goes on waiting after it is done; 0 unless told. */
  readonly settleMs?: number;
  /** Waits; a test owns the time. */
  readonly sleep?: (ms: number) => Promise<unknown>;
  /** Called before an operation is tried. */
  readonly onStart?: (operation: Operation) => void;
  /** Called after each, whatever came of it. */
  readonly onEnd?: (operation: Operation, outcome: OperationOutcome) => void;
}

export interface SolveResult {
  /** By the index of the operation. */
  readonly outcomes: readonly OperationOutcome[];
  readonly done: readonly Operation[];
  readonly failed: readonly { readonly operation: Operation; readonly error: Error }[];
  readonly left: readonly { readonly operation: Operation; readonly reason: string }[];
}

const done: OperationOutcome = { kind: 'done' };

function isLate(operation: Operation): boolean {
  return operation.op === 'delete' && operation.isEarly !== true;
}

/**
 * Carries out a plan: each operation as soon as what it waits for is done, many at a time. A failure
 * stops only what depends on it, and all deletes: nothing old goes while something new is missing.
 */
export async function solve(
  plan: Plan,
  perform: (operation: Operation, signal?: AbortSignal) => Promise<unknown>,
  options: SolveOptions = {},
): Promise<SolveResult> {
  const solver = new Solver(plan.operations, perform, options);
  await solver.run((operation) => !isLate(operation));
  if (!solver.hasFailed && !options.signal?.aborted) await solver.run(isLate);
  return summarize(plan.operations, solver.outcomes, solver.hasFailed);
}

/** The state of a plan that is carried out. An operation ends once, and is tried at most once. */
class Solver {
  readonly outcomes: (OperationOutcome | undefined)[];
  hasFailed = false;
  readonly #operations: readonly Operation[];
  readonly #perform: (operation: Operation, signal?: AbortSignal) => Promise<unknown>;
  readonly #options: SolveOptions;
  /** How many operations each one still waits for. */
  readonly #waiting: number[];
  /** By operation: those that wait for it. The other direction of `dependsOn`. */
  readonly #dependents: (number[] | undefined)[];
  /** What may be tried, in order; those before `#next` have been. */
  #ready: number[] = [];
  #next = 0;
  /**
   * Operations under way, at most `parallelism`. A phase is over when it is zero and nothing is
   * ready.
   */
  #running = 0;

  constructor(
    operations: readonly Operation[],
    perform: (operation: Operation, signal?: AbortSignal) => Promise<unknown>,
    options: SolveOptions,
  ) {
    this.#operations = operations;
    this.#perform = perform;
    this.#options = options;
    this.outcomes = operations.map(() => undefined);
    this.#dependents = operations.map(() => undefined);
    this.#waiting = operations.map(({ dependsOn }) => dependsOn.length);
    for (const { dependsOn, index } of operations) {
      for (const earlier of dependsOn) {
        const others = this.#dependents[earlier];
        if (others === undefined) this.#dependents[earlier] = [index];
        else others.push(index);
      }
    }
  }

  /** Does all operations of a phase that can be done. */
  run(isMember: (operation: Operation) => boolean): Promise<void> {
    this.#ready = [];
    this.#next = 0;
    for (const operation of this.#operations) {
      if (isMember(operation) && this.#isReady(operation.index)) this.#ready.push(operation.index);
    }
    return new Promise((resolve) => this.#startMore(isMember, resolve));
  }

  #isReady(index: number): boolean {
    return this.#waiting[index] === 0 && this.outcomes[index] === undefined;
  }

  #startMore(isMember: (operation: Operation) => boolean, resolve: () => void): void {
    const { signal, parallelism, onStart } = this.#options;
    const limit = Math.max(1, parallelism ?? 10);
    while (this.#running < limit && this.#next < this.#ready.length) {
      const operation = this.#operations[this.#ready[this.#next] as number] as Operation;
      this.#next += 1;
      if (!isMember(operation) || this.outcomes[operation.index] !== undefined) continue;
      if (signal?.aborted) {
        this.#end(operation, { kind: 'left', reason: 'the work was stopped' });
        continue;
      }
      this.#running += 1;
      onStart?.(operation);
      const finish = (outcome: OperationOutcome): void => {
        this.#running -= 1;
        this.#end(operation, outcome);
        this.#startMore(isMember, resolve);
      };
      this.#performAndSettle(operation, signal).then(
        () => finish(done),
        (error: unknown) => {
          const cause = error instanceof Error ? error : new Error(String(error));
          finish({ kind: 'failed', error: cause });
        },
      );
    }
    if (this.#running === 0) resolve();
  }

  #performAndSettle(operation: Operation, signal: AbortSignal | undefined): Promise<unknown> {
    const { settleMs, sleep = delay } = this.#options;
    const performed = this.#perform(operation, signal);
    const isAwaited = this.#dependents[operation.index] !== undefined;
    return isAwaited && settleMs ? performed.then(() => sleep(settleMs)) : performed;
  }

  /** Notes how an operation ended, and what becomes of those that wait for it. */
  #end(operation: Operation, outcome: OperationOutcome): void {
    this.#note(operation, outcome);
    if (outcome.kind === 'done') {
      for (const index of this.#dependents[operation.index] ?? []) {
        this.#waiting[index] = (this.#waiting[index] ?? 0) - 1;
        if (this.#isReady(index)) this.#ready.push(index);
      }
      return;
    }
    if (outcome.kind === 'failed') this.hasFailed = true;
    const ended = [operation];
    for (let earlier = ended.pop(); earlier !== undefined; earlier = ended.pop()) {
      const reason = `waits for ${earlier.op} of ${earlier.collection} ${earlier.label}`;
      for (const index of this.#dependents[earlier.index] ?? []) {
        if (this.outcomes[index] !== undefined) continue;
        const dependent = this.#operations[index] as Operation;
        this.#note(dependent, { kind: 'left', reason });
        ended.push(dependent);
      }
    }
  }

  #note(operation: Operation, outcome: OperationOutcome): void {
    this.outcomes[operation.index] = outcome;
    this.#options.onEnd?.(operation, outcome);
  }
}

function summarize(
  operations: readonly Operation[],
  outcomes: readonly (OperationOutcome | undefined)[],
  hasFailed: boolean,
): SolveResult {
  const reason = hasFailed ? 'nothing is deleted after a failure' : 'the work was stopped';
  const whole = outcomes.map((outcome): OperationOutcome => outcome ?? { kind: 'left', reason });
  const finished: Operation[] = [];
  const failed: { operation: Operation; error: Error }[] = [];
  const left: { operation: Operation; reason: string }[] = [];
  for (const operation of operations) {
    const outcome = whole[operation.index] as OperationOutcome;
    if (outcome.kind === 'done') finished.push(operation);
    else if (outcome.kind === 'failed') failed.push({ operation, error: outcome.error });
    else left.push({ operation, reason: outcome.reason });
  }
  return { outcomes: whole, done: finished, failed, left };
}
