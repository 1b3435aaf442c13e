import type { Readable, Writable } from 'node:stream';

/** What was sent is kept up to this, so that another target can get it from the start. */
const maximumHeldBytes = 64 * 1_024;

/**
 * A body that streams through to one target after another. Whoever comes later gets what was already
 * read, as long as that is little; nobody waits for the whole, since a call may go on for hours.
 */
export class ReplayedBody {
  readonly #source: Readable;
  readonly #onChunk: (chunk: Buffer) => void;
  #held: Buffer[] | undefined = [];
  #heldBytes = 0;
  #target: Writable | undefined;
  #isStarted = false;
  #isEnded = false;

  /** @param onChunk - hears of each chunk once, however often it is sent */
  constructor(source: Readable, onChunk: (chunk: Buffer) => void) {
    this.#source = source;
    this.#onChunk = onChunk;
  }

  /** Whether another target could get all of it. */
  get isWhole(): boolean {
    return this.#held !== undefined;
  }

  /** Whether all of it went to the target of now. */
  get isSent(): boolean {
    return this.#isEnded && this.#target !== undefined;
  }

  sendTo(target: Writable): void {
    this.#target = target;
    target.on('drain', () => {
      if (this.#target === target) this.#source.resume();
    });
    for (const chunk of this.#held ?? []) target.write(chunk);
    if (this.#isEnded) {
      target.end();
    } else if (!this.#isStarted) {
      this.#isStarted = true;
      this.#source.on('data', this.#forward);
      this.#source.once('end', this.#finish);
      // Whoever read it before, and found it too long to hold, made it wait.
      this.#source.resume();
    } else if (!target.writableNeedDrain) {
      this.#source.resume();
    }
  }

  /** Nobody takes it now; the client waits. */
  hold(): void {
    this.#target = undefined;
    this.#source.pause();
  }

  /** There will be no other target: what is kept is let go, the rest goes on to the one of now. */
  settle(): void {
    this.#held = undefined;
  }

  readonly #forward = (chunk: Buffer): void => {
    this.#onChunk(chunk);
    this.#keep(chunk);
    if (this.#target?.write(chunk) === false) this.#source.pause();
  };

  readonly #finish = (): void => {
    this.#isEnded = true;
    this.#target?.end();
  };

  #keep(chunk: Buffer): void {
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > maximumHeldBytes) this.#held = undefined;
    else this.#held?.push(chunk);
  }
}
