import { StorageError } from '@waygate/text';
import { processIdentity } from './process-identity.ts';
import type { RunRecord, RunRegistry } from './run-registry.ts';

/** How long after a change it is written down: a start is many changes. */
const settleMs = 50;

/** Keeps what is written down of one run true, until it is over. */
export class RunJournal {
  readonly #registry: RunRegistry;
  readonly #onProblem: (line: string) => void;
  #record: RunRecord;
  #timer: NodeJS.Timeout | undefined;

  constructor(registry: RunRegistry, record: RunRecord, onProblem: (line: string) => void) {
    this.#registry = registry;
    this.#record = record;
    this.#onProblem = onProblem;
    this.#write();
  }

  /** Other processes run, or other ports are taken. */
  note(
    change: { readonly processIds: readonly number[] } & Partial<
      Pick<RunRecord, 'ports' | 'following'>
    >,
  ): void {
    const { processIds, ...rest } = change;
    const processes = processIds.flatMap((id) => {
      const identity = processIdentity(id);
      return identity === undefined ? [] : [{ id, identity }];
    });
    this.#record = { ...this.#record, ...rest, processes };
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#write();
    }, settleMs);
  }

  /** The run is over. */
  close(): void {
    clearTimeout(this.#timer);
    this.#guarded(() => this.#registry.finish(this.#record));
  }

  #write(): void {
    this.#guarded(() => this.#registry.write(this.#record));
  }

  /** Only comfort hangs on it: a full disk or a home that cannot be written stops nobody. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      const isExpected =
        error instanceof StorageError || (error as NodeJS.ErrnoException).code !== undefined;
      if (!isExpected) throw error;
      this.#onProblem(
        `${(error as Error).message}: other verbs will not find this run by themselves`,
      );
    }
  }
}
