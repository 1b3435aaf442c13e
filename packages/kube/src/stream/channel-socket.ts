import type { Socket } from 'node:net';
import { KubeError } from '../error.ts';
import { encodeFrame, type Frame, FrameReader } from './websocket-frame.ts';
import type { UpgradedSocket } from './websocket-handshake.ts';

/** The largest message that is taken; servers send pieces of at most 32 KiB. */
const maxMessage = 16 * 1024 * 1024;
/** How long the other side may take to close after us. */
const closeWaitMs = 5_000;

export interface ChannelSocketEvents {
  /** False: no more for now, until `resume`. */
  onMessage(channel: number, payload: Buffer): boolean;
  /** Once: when all is over, with the error if it did not end well. */
  onClose(error: Error | undefined): void;
}

/** A WebSocket on which every message starts with the number of its channel. */
export class ChannelSocket {
  readonly protocol: string;
  readonly #socket: Socket;
  readonly #events: ChannelSocketEvents;
  readonly #frames = new FrameReader(maxMessage);
  #fragments: Buffer[] = [];
  #fragmentBytes = 0;
  #isClosing = false;
  #isClosed = false;

  constructor(upgraded: UpgradedSocket, events: ChannelSocketEvents) {
    this.#socket = upgraded.socket;
    this.protocol = upgraded.protocol;
    this.#events = events;
    this.#socket
      .on('data', (chunk: Buffer) => this.#read(chunk))
      .on('error', (error) => this.#finish(error))
      .on('close', () =>
        this.#finish(
          this.#isClosing
            ? undefined
            : Object.assign(new Error('the connection broke off'), { code: 'ECONNRESET' }),
        ),
      );
    // What came with the handshake is read when the owner has its handlers.
    queueMicrotask(() => {
      if (upgraded.rest.length > 0) this.#read(upgraded.rest);
      this.resume();
    });
  }

  /** Calls back when the bytes are out, so that a writer can be held up. */
  send(channel: number, payload: Buffer, done?: (error?: Error | null) => void): void {
    if (this.#isClosed || this.#isClosing) {
      done?.(new KubeError('WG_KUBE_CONNECTION', 'the stream is closed'));
      return;
    }
    const message = Buffer.concat([Buffer.from([channel]), payload]);
    this.#socket.write(encodeFrame('binary', message), done);
  }

  resume(): void {
    if (!this.#isClosed) this.#socket.resume();
  }

  /** Ends in order. */
  close(): void {
    if (this.#isClosed || this.#isClosing) return;
    this.#isClosing = true;
    this.#socket.write(encodeFrame('close', Buffer.from([0x03, 0xe8])));
    setTimeout(() => this.#socket.destroy(), closeWaitMs).unref();
    this.resume();
  }

  destroy(error?: Error): void {
    this.#finish(error);
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.push(chunk)) {
        if (this.#isClosed) return;
        this.#take(frame);
      }
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #take(frame: Frame): void {
    if (frame.opcode === 'ping') this.#socket.write(encodeFrame('pong', frame.payload));
    else if (frame.opcode === 'close') {
      if (!this.#isClosing) this.#socket.write(encodeFrame('close', frame.payload));
      this.#isClosing = true;
      this.#socket.end();
      this.#finish(undefined);
    } else if (frame.opcode !== 'pong') this.#takeData(frame);
  }

  #takeData(frame: Frame): void {
    this.#fragmentBytes += frame.payload.length;
    if (this.#fragmentBytes > maxMessage) {
      throw new KubeError('WG_KUBE_DECODE', `a WebSocket message of over ${maxMessage} bytes`);
    }
    this.#fragments.push(frame.payload);
    if (!frame.isFinal) return;
    const message = Buffer.concat(this.#fragments);
    this.#fragments = [];
    this.#fragmentBytes = 0;
    if (message.length === 0) return;
    const wantsMore = this.#events.onMessage(message[0] as number, message.subarray(1));
    if (!wantsMore) this.#socket.pause();
  }

  #finish(error: Error | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#events.onClose(error);
  }
}
