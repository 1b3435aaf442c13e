import { type ChildProcess, fork } from 'node:child_process';
import { CliError } from '../context.ts';
import { smallFlags } from '../processes/small-flags.ts';
import type { PartCommand, PartReport } from './part-process.ts';

interface PartHostOptions<Order, Started> {
  /** As people call it: `the gateway`. */
  readonly name: string;
  /** The module that the process runs. */
  readonly entry: string;
  /** What to start; after a crash with what was started before, so that ports stay as they are. */
  readonly order: (before: Started | undefined) => Order;
  readonly env: NodeJS.ProcessEnv;
  /** A process of it that waits for its order already. */
  readonly early?: ChildProcess | undefined;
  readonly log: (line: string) => void;
  /** Told of what a user should know: that the part ended, and runs again. */
  readonly tell: (line: string) => void;
}

/** Why a part could not start, as its process told it. */
export class PartError extends CliError {
  readonly code: string | undefined;
  readonly port: number;

  constructor(message: string, code?: string, port = 0) {
    super(message);
    this.code = code;
    this.port = port;
  }
}

const askEveryMs = 1_000;
/** Questions in a row, not seconds: a laptop that slept asks once when it wakes. */
const unansweredMost = 15;
const restartDelayMs = 100;
const restartDelayMostMs = 10_000;
/** A part that ran this long did not die of its start. */
const steadyMs = 5_000;
/** Longer than a part takes to let its requests end. */
const stopMs = 8_000;

/**
 * A part of the stack in a process of its own, so that nothing which holds the others holds it. When it
 * ends without being told, or answers nothing for a quarter of a minute, it is started again.
 */
export class PartHost<Order, Started> {
  readonly #options: PartHostOptions<Order, Started>;
  #early: ChildProcess | undefined;
  #child: ChildProcess | undefined;
  #before: Started | undefined;
  #restart: NodeJS.Timeout | undefined;
  #delayMs = restartDelayMs;
  #isStopping = false;
  /** Calls that wait for their answers. */
  readonly #calls = new Map<number, (value: unknown) => void>();
  #callCount = 0;

  constructor(options: PartHostOptions<Order, Started>) {
    this.#options = options;
    this.#early = options.early;
  }

  async start(): Promise<Started> {
    const { order, name, log } = this.#options;
    const child = this.#process();
    this.#child = child;
    const startedAt = performance.now();
    let unanswered = 0;
    const started = new Promise<Started>((resolve, reject) => {
      child.on('message', (report: PartReport<Started>) => {
        unanswered = 0;
        if (report.type === 'answered') this.#answered(report.id, report.value);
        else if (report.type === 'line') log(`${name}: ${report.line}`);
        else if (report.type === 'started') resolve(report.value);
        else if (report.type === 'failed')
          reject(new PartError(report.message, report.code, report.port));
      });
      child.once('error', reject);
      child.once('exit', () => reject(new PartError(`the process of ${name} ended`)));
    });
    tell(child, { type: 'start', order: order(this.#before) });
    try {
      this.#before = await started;
    } catch (error) {
      await this.#end(child);
      throw error;
    }
    const asking = setInterval(() => {
      unanswered += 1;
      if (unanswered > unansweredMost) child.kill('SIGKILL');
      else tell(child, { type: 'ask' });
    }, askEveryMs);
    const onExit = (): void => {
      clearInterval(asking);
      this.#onEnd(child, performance.now() - startedAt, unanswered > unansweredMost);
    };
    if (isOver(child)) onExit();
    else child.once('exit', onExit);
    return this.#before;
  }

  /** The one that waits, once, else a new one. */
  #process(): ChildProcess {
    const { entry, env } = this.#options;
    const early = this.#early;
    this.#early = undefined;
    return early === undefined || isOver(early) ? forkPart(entry, env) : early;
  }

  /** Asks the part for something; without an answer when it ends before. */
  call(body: unknown): Promise<unknown> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      if (child?.connected !== true) {
        reject(new PartError(`${this.#options.name} does not run`));
        return;
      }
      const id = ++this.#callCount;
      this.#calls.set(id, resolve);
      child.once('exit', () => {
        if (this.#calls.delete(id)) reject(new PartError(`${this.#options.name} ended`));
      });
      tell(child, { type: 'call', id, body });
    });
  }

  #answered(id: number, value: unknown): void {
    const resolve = this.#calls.get(id);
    this.#calls.delete(id);
    resolve?.(value);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    if (this.#child !== undefined) await this.#end(this.#child);
  }

  async #end(child: ChildProcess): Promise<void> {
    if (isOver(child)) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    tell(child, { type: 'stop' });
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
    await exited;
    clearTimeout(timer);
  }

  #onEnd(child: ChildProcess, livedMs: number, wasStuck: boolean): void {
    if (this.#isStopping) return;
    const { name } = this.#options;
    const how = wasStuck
      ? 'answered nothing for a while and was ended'
      : `ended (${child.signalCode ?? `exit code ${child.exitCode}`})`;
    this.#options.tell(`${name} ${how}; it is started again`);
    if (livedMs > steadyMs) this.#delayMs = restartDelayMs;
    this.#restartLater();
  }

  #restartLater(): void {
    const { name, tell: tellUser } = this.#options;
    this.#restart = setTimeout(() => {
      this.start().then(
        () => tellUser(`${name} runs again`),
        (error: Error) => {
          if (this.#isStopping) return;
          tellUser(`${name} could not be started: ${error.message}; it is tried again`);
          this.#restartLater();
        },
      );
    }, this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, restartDelayMostMs);
  }
}

/** Starts the process of a part. It loads its code, and waits for its order. */
export function forkPart(entry: string, env: NodeJS.ProcessEnv): ChildProcess {
  return fork(entry, [], {
    env,
    execArgv: [...process.execArgv, ...smallFlags],
    // A group of its own: the terminal's Ctrl-C goes to the parent, which stops things in order.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** What does not reach a process that is about to end needs no word: that it ended is told. */
function tell<Order>(child: ChildProcess, command: PartCommand<Order>): void {
  if (child.connected) child.send(command, () => undefined);
}

function isOver({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}
