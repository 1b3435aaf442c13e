import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** As much as a connection to elsewhere reads ahead. */
const highWaterMark = 64 * 1024;

type Done = (error?: Error | null) => void;

/** One end. It has what Node's HTTP asks of a socket, and nothing of the system's. */
class PairEnd extends Duplex {
  #other: PairEnd | undefined;
  /** A write of the other end that waits for room here. */
  #waiting: Done | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    super({ highWaterMark, allowHalfOpen: true });
  }

  join(other: PairEnd): void {
    this.#other = other;
  }

  override _read(): void {
    const done = this.#waiting;
    this.#waiting = undefined;
    done?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#timer?.refresh();
    if (this.#other === undefined || this.#other.destroyed) {
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      return;
    }
    this.#other.#receive(chunk, done);
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: Done): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'binary', done);
  }

  override _final(done: Done): void {
    this.#other?.push(null);
    done();
  }

  /** The other end reads what was sent, and then finds the connection closed. */
  override _destroy(error: Error | null, done: Done): void {
    clearTimeout(this.#timer);
    const other = this.#other;
    this.#other = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    // Not before those have had their turn who have just been given the head of an answer.
    if (other !== undefined) setImmediate(() => other.#partnerLeft());
    done(error);
    waiting?.();
  }

  #receive(chunk: Buffer, done: Done): void {
    this.#timer?.refresh();
    if (this.push(chunk)) done();
    else this.#waiting = done;
  }

  #partnerLeft(): void {
    if (this.destroyed) return;
    if (this.readableEnded) {
      this.destroy();
      return;
    }
    this.once('end', () => this.destroy());
    if (!this.isEnding) this.push(null);
  }

  /** Whether the end of what comes in has been told already. */
  get isEnding(): boolean {
    return (
      (this as unknown as { readonly _readableState: { readonly ended: boolean } })._readableState
        .ended === true
    );
  }

  setTimeout(timeoutMs: number, onTimeout?: () => void): this {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (timeoutMs > 0) {
      this.#timer = setTimeout(() => this.emit('timeout'), timeoutMs).unref();
      if (onTimeout !== undefined) this.once('timeout', onTimeout);
    } else if (onTimeout !== undefined) this.off('timeout', onTimeout);
    return this;
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/**
 * Two ends of a connection inside this process: what is written to one is read from the other, in order and no
 * faster than it is read. For a client and a server that share a process, at a fraction of what sockets and TLS cost.
 *
 * ```ts
 * const [near, far] = connectedPair();
 * near.end('hello');
 * far.on('data', (chunk) => console.log(String(chunk)));
 * ```
 */
export function connectedPair(): readonly [Socket, Socket] {
  const near = new PairEnd();
  const far = new PairEnd();
  near.join(far);
  far.join(near);
  return [near as unknown as Socket, far as unknown as Socket];
}
