import { isDeepStrictEqual } from 'node:util';
import { FakeClock, RuntimeError, type RuntimeErrorCode } from '@waygate/runtime';
import { fail, type Outcome, pass } from '../driver.ts';

/** One step of a scenario. Its other fields depend on the op. */
export type Step = Record<string, unknown> & { readonly op: string };

export interface Scenario {
  readonly id: string;
  readonly suite: string;
  readonly versions?: string;
  readonly kind?: string;
  readonly config?: Record<string, unknown> | null;
  readonly steps?: readonly Step[];
  readonly server?: unknown;
  readonly options?: Record<string, unknown>;
  readonly expect?: Record<string, unknown>;
  readonly runs?: number;
  readonly watchOnly?: boolean;
  /** Stop is given before the first run. */
  readonly stopFirst?: boolean;
  /** Each run has a reflector of its own on the one store. */
  readonly fresh?: string;
  readonly verb?: string;
  readonly serverRepeat?: unknown;
}

/** What went wrong, or undefined. */
export type Problem = string | undefined;

interface StartedCall {
  isSettled: boolean;
  result: unknown;
  readonly finished: Promise<void>;
}

/**
 * Plays the steps of one scenario on a clock of its own. A suite implements its ops; those that all
 * suites share (`start`, `pending`, `settled`, `settledCount`, `advance`) are here.
 */
export abstract class ScenarioRun {
  protected readonly clock = new FakeClock();
  protected readonly config: Record<string, unknown>;
  private readonly calls = new Map<string, StartedCall>();

  constructor(scenario: Scenario) {
    this.config = scenario.config ?? {};
  }

  /** Does one op and gives its result; a promise that does not settle is a call that blocks. */
  protected abstract perform(step: Step): unknown;

  /** Compares a result with what the step expects. */
  protected check(step: Step, result: unknown): Problem {
    return 'expect' in step ? differs(step.expect, result) : undefined;
  }

  protected advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Whether an op lets time pass itself, and so takes more than the clock's settling. */
  protected movesClock(_step: Step): boolean {
    return false;
  }

  /** Frees what the scenario left behind. */
  async dispose(): Promise<void> {}

  async play(steps: readonly Step[]): Promise<Outcome> {
    try {
      for (const [index, step] of steps.entries()) {
        const problem = await this.step(step);
        if (problem !== undefined) return fail(`step ${index} (${step.op}): ${problem}`);
      }
      return pass;
    } finally {
      await this.dispose();
    }
  }

  private async step(step: Step): Promise<Problem> {
    switch (step.op) {
      case 'start':
        if (step.call === undefined) break;
        this.start(step.as as string, step.call as Step);
        await this.clock.settle();
        return undefined;
      case 'pending':
        return this.call(step.of).isSettled ? 'the call has finished' : undefined;
      case 'settled': {
        const call = this.call(step.of);
        if (!call.isSettled) return 'the call has not finished';
        return 'expect' in step ? differs(step.expect, call.result) : undefined;
      }
      case 'settledCount': {
        const names = step.of as string[];
        return differs(step.expect, names.filter((name) => this.call(name).isSettled).length);
      }
      case 'advance':
        await this.advance(step.ms as number);
        return undefined;
    }
    return this.performAndCheck(step);
  }

  private async performAndCheck(step: Step): Promise<Problem> {
    const call = this.track(step);
    await this.clock.settle();
    if (this.movesClock(step)) await call.finished;
    if (!call.isSettled) return 'the call blocks';
    const thrown = call.result instanceof ThrownError ? call.result : undefined;
    if (typeof step.expectError === 'string') {
      if (thrown !== undefined)
        return isErrorOfKind(thrown.error, step.expectError) ? undefined : thrown.text;
      if (isDeepStrictEqual(call.result, { error: step.expectError })) return undefined;
      const problem = this.check(step, call.result);
      return problem ?? (step.op.startsWith('process') ? undefined : 'no error was raised');
    }
    if (thrown !== undefined) return thrown.text;
    return this.check(step, call.result);
  }

  private start(name: string, step: Step): void {
    this.calls.set(name, this.track(step));
  }

  private track(step: Step): StartedCall {
    const settle = (result: unknown) => {
      call.isSettled = true;
      call.result = result;
    };
    const finished = (async () => this.perform(step))().then(settle, (error) =>
      settle(new ThrownError(error)),
    );
    const call: StartedCall = { isSettled: false, result: undefined, finished };
    return call;
  }

  private call(name: unknown): StartedCall {
    const call = this.calls.get(name as string);
    if (call === undefined) throw new Error(`no call was started as ${String(name)}`);
    return call;
  }
}

class ThrownError {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }

  get text(): string {
    return `threw ${this.error instanceof Error ? `${this.error.name}: ${this.error.message}` : String(this.error)}`;
  }
}

/** The kinds of errors that scenarios name, by our codes. */
const errorKinds: Partial<Record<RuntimeErrorCode, readonly string[]>> = {
  WG_RUNTIME_KEY: ['key', 'keyError', 'format', 'zeroLengthDeltas'],
  WG_RUNTIME_INDEX: ['unknownIndex', 'indexConflict', 'conflict', 'indexerConflict'],
  WG_RUNTIME_INDEX_FUNCTION: ['indexFunction'],
  WG_RUNTIME_TRANSFORM: ['transform', 'transformError'],
  WG_RUNTIME_SYNC_TRACKER: ['negative counter'],
  WG_RUNTIME_STATE: ['stopped', 'started'],
};

function isErrorOfKind(error: unknown, kind: string): boolean {
  const isKnownKind = Object.values(errorKinds).some((kinds) => kinds.includes(kind));
  if (error instanceof UnknownOpError || !isKnownKind) return false;
  return error instanceof RuntimeError && errorKinds[error.code]?.includes(kind) === true;
}

/** Deep comparison; null and undefined are both nothing. */
export function differs(expected: unknown, actual: unknown): Problem {
  const left = expected ?? null;
  const right = actual ?? null;
  if (isDeepStrictEqual(left, right)) return undefined;
  return `expected ${JSON.stringify(left)}, got ${JSON.stringify(right)}`;
}

/** As `differs`, for lists whose order does not count. */
export function differsAsSet(expected: unknown, actual: readonly unknown[]): Problem {
  const sorted = (values: readonly unknown[]) =>
    values.map((value) => JSON.stringify(value)).sort();
  return differs(sorted(expected as unknown[]), sorted(actual));
}

/** Every field of `expected` is the same in `actual`; `actual` may have more. */
export function differsInFields(expected: unknown, actual: unknown): Problem {
  for (const [field, value] of Object.entries(expected as object)) {
    const problem = differs(value, (actual as Record<string, unknown> | undefined)?.[field]);
    if (problem !== undefined) return `${field}: ${problem}`;
  }
  return undefined;
}

/** The driver's own shortcoming: never the error that a scenario expects. */
class UnknownOpError extends Error {}

export function unknownOp(step: Step): never {
  throw new UnknownOpError(`the driver does not know the op ${step.op}`);
}
