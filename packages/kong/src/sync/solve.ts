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

function isLate(operation: Operation): boolean {
  return operation.op === 'delete' && operation.isEarly !== true;
}

/**
 * Carries out a plan: each operation as soon as what it waits for is done, many at a time. A failure
 * stops only what depends on it, and all deletes: nothing old goes while something new is missing.
 */
export async function solve(
  plan: Plan,
  perform: (operation: Operation, signal?: AbortSignal) => Promise<void>,
  options: SolveOptions = {},
): Promise<SolveResult> {
  const { operations } = plan;
  const outcomes: (OperationOutcome | undefined)[] = operations.map(() => undefined);
  const waiting = operations.map((operation) => operation.dependsOn.length);
  const dependents: number[][] = operations.map(() => []);
  for (const operation of operations) {
    for (const earlier of operation.dependsOn) dependents[earlier]?.push(operation.index);
  }
  let hasFailed = false;

  const end = (operation: Operation, outcome: OperationOutcome, ready: number[]): void => {
    outcomes[operation.index] = outcome;
    options.onEnd?.(operation, outcome);
    if (outcome.kind === 'failed') hasFailed = true;
    for (const index of dependents[operation.index] ?? []) {
      const dependent = operations[index] as Operation;
      if (outcome.kind !== 'done') {
        if (outcomes[index] === undefined) {
          const reason = `waits for ${operation.op} of ${operation.collection} ${operation.label}`;
          end(dependent, { kind: 'left', reason }, ready);
        }
        continue;
      }
      waiting[index] = (waiting[index] ?? 0) - 1;
      if (waiting[index] === 0 && outcomes[index] === undefined) ready.push(index);
    }
  };

  const performAndSettle = async (operation: Operation): Promise<void> => {
    await perform(operation, options.signal);
    const isAwaited = (dependents[operation.index]?.length ?? 0) > 0;
    if (isAwaited && options.settleMs) await (options.sleep ?? delay)(options.settleMs);
  };

  const runPhase = async (members: ReadonlySet<number>): Promise<void> => {
    const ready = [...members].filter(
      (index) => waiting[index] === 0 && outcomes[index] === undefined,
    );
    let next = 0;
    let running = 0;
    await new Promise<void>((resolve) => {
      const startMore = (): void => {
        while (running < Math.max(1, options.parallelism ?? 10) && next < ready.length) {
          const index = ready[next] as number;
          next += 1;
          if (!members.has(index) || outcomes[index] !== undefined) continue;
          const operation = operations[index] as Operation;
          if (options.signal?.aborted) {
            end(operation, { kind: 'left', reason: 'the work was stopped' }, ready);
            continue;
          }
          running += 1;
          options.onStart?.(operation);
          performAndSettle(operation).then(
            () => finish(operation, { kind: 'done' }),
            (error: unknown) => {
              const cause = error instanceof Error ? error : new Error(String(error));
              finish(operation, { kind: 'failed', error: cause });
            },
          );
        }
        if (running === 0) resolve();
      };
      const finish = (operation: Operation, outcome: OperationOutcome): void => {
        running -= 1;
        end(operation, outcome, ready);
        startMore();
      };
      startMore();
    });
  };

  const late = new Set(operations.filter(isLate).map((operation) => operation.index));
  await runPhase(new Set(operations.map(({ index }) => index).filter((index) => !late.has(index))));
  if (!hasFailed && !options.signal?.aborted) await runPhase(late);
  return summarize(operations, outcomes, hasFailed);
}

function summarize(
  operations: readonly Operation[],
  outcomes: readonly (OperationOutcome | undefined)[],
  hasFailed: boolean,
): SolveResult {
  const reason = hasFailed ? 'nothing is deleted after a failure' : 'the work was stopped';
  const whole = outcomes.map((outcome): OperationOutcome => outcome ?? { kind: 'left', reason });
  const done: Operation[] = [];
  const failed: { operation: Operation; error: Error }[] = [];
  const left: { operation: Operation; reason: string }[] = [];
  for (const operation of operations) {
    const outcome = whole[operation.index] as OperationOutcome;
    if (outcome.kind === 'done') done.push(operation);
    else if (outcome.kind === 'failed') failed.push({ operation, error: outcome.error });
    else left.push({ operation, reason: outcome.reason });
  }
  return { outcomes: whole, done, failed, left };
}
