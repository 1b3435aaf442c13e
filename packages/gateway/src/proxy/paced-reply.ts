import type { Socket } from 'node:net';
import type { Reply } from '../exchange/reply.ts';
import type { Pace } from '../plugin/proxy-manner.ts';

/** A quick client is not woken for less than this many bytes, nor for more. */
const largestStep = 32 * 1_024;

/**
 * A reply whose body goes out no faster than it may. What may not go yet is held, and the writer is told
 * to wait: so what is held is never more than the one chunk that was written last, however long it takes.
 */
export class PacedReply implements Reply {
  readonly #reply: Reply;
  readonly #pace: Pace;
  readonly #startedAt: number;
  readonly #isHead: boolean;
  onDrain: (() => void) | undefined;
  /** What is written and not yet sent. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #sentBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The client does not keep up, whatever it may take. */
  #isFull = false;
  /** The writer waits for {@link onDrain}. */
  #isWaitedFor = false;
  /** Set once all is written. */
  #trailers: readonly string[] | undefined;

  /** @param startedAt - when the request came, by the clock of `performance.now()` */
  constructor(reply: Reply, pace: Pace, startedAt: number, isHead: boolean) {
    this.#reply = reply;
    this.#pace = pace;
    this.#startedAt = startedAt;
    this.#isHead = isHead;
    reply.onDrain = () => {
      this.#isFull = false;
      this.#send();
    };
    reply.whenClosed(() => {
      clearTimeout(this.#timer);
      this.#held = [];
      this.#heldBytes = 0;
    });
  }

  get isHeadSent(): boolean {
    return this.#reply.isHeadSent;
  }

  sendHead(status: number, headers: string[]): void {
    this.#reply.sendHead(status, headers);
  }

  sendWhole(status: number, headers: string[], body: Buffer | string): void {
    if (this.#isHead || body.length <= this.#allowed()) {
      this.#reply.sendWhole(status, headers, body);
      return;
    }
    this.#reply.sendHead(status, headers);
    this.write(typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
    this.end([]);
  }

  write(chunk: Buffer): boolean {
    if (chunk.length > 0) {
      this.#held.push(chunk);
      this.#heldBytes += chunk.length;
      this.#send();
    }
    this.#isWaitedFor = this.#heldBytes > 0 || this.#isFull;
    return !this.#isWaitedFor;
  }

  end(trailers: readonly string[]): void {
    this.#trailers = trailers;
    this.#send();
  }

  sendContinue(): void {
    this.#reply.sendContinue();
  }

  abort(): void {
    this.#reply.abort();
  }

  closeAfter(): void {
    this.#reply.closeAfter();
  }

  whenClosed(listener: () => void): void {
    this.#reply.whenClosed(listener);
  }

  takeSocket(): { readonly socket: Socket; readonly head: Buffer } | undefined {
    return this.#reply.takeSocket();
  }

  /** As in nginx: the first second's worth at once, and then as time goes. */
  #allowed(): number {
    const { bytesPerSecond, freeBytes } = this.#pace;
    const seconds = (performance.now() - this.#startedAt) / 1_000 + 1;
    return Math.floor(bytesPerSecond * seconds) + freeBytes - this.#sentBytes;
  }

  #send(): void {
    while (this.#heldBytes > 0 && !this.#isFull) {
      const allowed = this.#allowed();
      if (allowed < this.#step()) {
        this.#wait(this.#step() - allowed);
        return;
      }
      this.#sendUpTo(allowed);
    }
    if (this.#heldBytes > 0) return;
    if (this.#trailers !== undefined) {
      this.#reply.end(this.#trailers);
    } else if (this.#isWaitedFor && !this.#isFull) {
      this.#isWaitedFor = false;
      this.onDrain?.();
    }
  }

  /** What is worth being woken for: half a second's worth, within bounds. */
  #step(): number {
    const half = Math.ceil(this.#pace.bytesPerSecond / 2);
    return Math.min(this.#heldBytes, half, largestStep);
  }

  #sendUpTo(allowed: number): void {
    const [first] = this.#held;
    if (first === undefined) return;
    const piece = first.length <= allowed ? first : first.subarray(0, allowed);
    if (piece === first) {
      this.#held.shift();
    } else {
      this.#held[0] = first.subarray(allowed);
    }
    this.#heldBytes -= piece.length;
    this.#sentBytes += piece.length;
    this.#isFull = !this.#reply.write(piece);
  }

  #wait(missingBytes: number): void {
    if (this.#timer !== undefined) return;
    const ms = Math.ceil((missingBytes / this.#pace.bytesPerSecond) * 1_000);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, ms);
  }
}
