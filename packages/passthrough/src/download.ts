import type { OnReadOpts, Socket } from 'node:net';

/**
 * Where everything is read first. All connections share it: what is in it is copied at once. A read
 * that fills it is taken for the beginning of more.
 */
const scratch = Buffer.allocUnsafeSlow(16 * 1024);
/** One read of a download. It stays in the processor's cache, as it is used again and again. */
const bulkBytes = 256 * 1024;
/** A read below this ends the use of the large buffer: an idle connection must not keep one. */
const fewBytes = bulkBytes / 8;
const maxSpares = 32;
const spares: Buffer[] = [];

/**
 * Carries what a backend sends to the client. Node.js gives every chunk memory of its own, 64 KiB at a
 * time; for the direction that carries most this reads into one large buffer again and again, and reads
 * on only once the client's socket has taken all of it. So no byte is copied here, and none is held
 * beyond one buffer.
 */
export class Download {
  #source: Socket | undefined;
  #sink: Socket | undefined;
  /** Undefined while `scratch` is read into. */
  #bulk: Buffer | undefined;
  #isWriting = false;
  #isClosed = false;

  /** For the options of the backend's socket. */
  readonly onread: OnReadOpts = {
    buffer: () => this.#bulk ?? scratch,
    callback: (length, bytes) => this.#read(length, bytes),
  };

  /** Must be called before the first byte comes, that is, when the backend is connected. */
  start(source: Socket, sink: Socket): void {
    this.#source = source;
    this.#sink = sink;
    source.once('close', () => {
      this.#isClosed = true;
      this.#releaseUnused();
    });
  }

  /** False when nothing more may be read for now. */
  #read(length: number, bytes: Uint8Array): boolean {
    const sink = this.#sink;
    if (sink === undefined || sink.destroyed) return false;
    if (this.#bulk === undefined) {
      const copy = Buffer.from(bytes.subarray(0, length));
      if (length === scratch.length) this.#bulk = spares.pop() ?? Buffer.allocUnsafeSlow(bulkBytes);
      return sink.write(copy) || this.#waitForDrain(sink);
    }
    sink.write(this.#bulk.subarray(0, length), this.#written);
    // Nothing is left in the socket's queue: the system has taken it, and the buffer is free again.
    this.#isWriting = sink.writableLength > 0;
    if (length < fewBytes && !this.#isWriting) this.#release();
    return !this.#isWriting;
  }

  readonly #written = (): void => {
    if (!this.#isWriting || this.#sink!.writableLength > 0) return;
    this.#isWriting = false;
    this.#releaseUnused();
    this.#source!.resume();
  };

  #waitForDrain(sink: Socket): false {
    sink.once('drain', () => this.#source!.resume());
    return false;
  }

  #releaseUnused(): void {
    if (this.#isClosed && !this.#isWriting) this.#release();
  }

  #release(): void {
    if (this.#bulk !== undefined && spares.length < maxSpares) spares.push(this.#bulk);
    this.#bulk = undefined;
  }
}
