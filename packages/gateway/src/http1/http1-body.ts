import { Readable } from 'node:stream';
import type { BodyDecoder } from './body-decoder.ts';

/** The body of a request while it comes in. Reading from the connection waits for who reads this. */
export class Http1Body extends Readable {
  readonly decoder: BodyDecoder;
  readonly #resume: () => void;
  #isDiscarded = false;

  constructor(decoder: BodyDecoder, resume: () => void) {
    super({ highWaterMark: 64 * 1_024 });
    this.decoder = decoder;
    this.#resume = resume;
    // A client that goes away is told to who reads; without a reader nobody needs to know.
    this.on('error', () => undefined);
  }

  get trailers(): readonly string[] {
    return this.decoder.trailers;
  }

  /** The answer is out: what still comes is read only to find the next request. */
  discard(): void {
    this.#isDiscarded = true;
    this.#resume();
  }

  /**
   * Takes bytes of the connection; returns how many belong to this body. `isFull` is true when no more
   * should be read for now.
   */
  feed(bytes: Buffer): { readonly used: number; readonly isFull: boolean } {
    if (this.decoder.isDone) return { used: 0, isFull: false };
    let isFull = false;
    const used = this.decoder.feed(bytes, (data) => {
      if (!this.#isDiscarded && !this.destroyed && !this.push(data)) isFull = true;
    });
    if (this.decoder.isDone && !this.destroyed) this.push(null);
    return { used, isFull: isFull && !this.decoder.isDone };
  }

  override _read(): void {
    this.#resume();
  }
}
