import type { Clock, Timer } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { GitOpsError } from './gitops-error.ts';
import type { OwnObjects } from './own-objects.ts';

/** A pass that takes longer than this tells what it does. */
const slowMs = 700;

/**
 * Writes the status of one pass: once at the end, and once before it when the pass takes long, so
 * that most passes cost one write and none leaves people in the dark.
 */
export class ProgressWriter<T extends KubeObject & { status?: object }> {
  readonly #objects: OwnObjects<T>;
  readonly #timer: Timer;
  /** What the API has now: the end is compared with this, and not with the beginning. */
  #current: T;
  #writing: Promise<void> = Promise.resolve();

  constructor(objects: OwnObjects<T>, object: T, status: () => object, clock: Clock) {
    this.#objects = objects;
    this.#current = object;
    this.#timer = clock.after(slowMs, () => {
      this.#writing = objects.writeStatus(object, status()).then(
        (written) => {
          if (written !== undefined) this.#current = written;
        },
        // The end is written all the same, and fails if this is more than a hiccup.
        () => undefined,
      );
    });
  }

  /** No more word of progress; waits for one that is on its way. */
  async stop(): Promise<void> {
    this.#timer.cancel();
    await this.#writing;
  }

  /** Writes what has to be known before the pass goes on. @throws when it could not be written */
  async save(status: object, signal: AbortSignal): Promise<void> {
    await this.stop();
    const written = await this.#objects.writeStatus(this.#current, status, signal);
    if (written === undefined) {
      throw new GitOpsError(
        'WG_GITOPS_NOT_FOUND',
        'the object is gone: nothing more is done for it',
      );
    }
    this.#current = written;
  }

  async finish(status: object, signal: AbortSignal): Promise<void> {
    await this.stop();
    await this.#objects.writeStatus(this.#current, status, signal);
  }
}
