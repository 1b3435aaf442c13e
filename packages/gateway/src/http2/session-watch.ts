import { constants, type ServerHttp2Session } from 'node:http2';
import type { ClientLimits } from '../exchange/client-limits.ts';

/** Frames that ask for an answer and carry nothing: more of them in a second are an attack. */
const maximumControlFrames = 1_000;
/** Requests that a client takes back in a second: each may have reached an upstream. */
const maximumResets = 200;

/** Ends HTTP/2 connections that are not used, and those that are used to keep us busy. */
export class SessionWatch {
  readonly #session: ServerHttp2Session;
  readonly #limits: ClientLimits;
  #streams = 0;
  #hadStreams = false;
  #idleSince = performance.now();
  #controlFrames = 0;
  #resets = 0;

  constructor(session: ServerHttp2Session, limits: ClientLimits) {
    this.#session = session;
    this.#limits = limits;
    session.on('stream', (stream) => {
      this.#hadStreams = true;
      this.#streams += 1;
      stream.once('aborted', () => this.#countReset());
      stream.once('close', () => {
        this.#streams -= 1;
        this.#idleSince = performance.now();
      });
    });
    session.on('ping', () => this.#countControl());
    session.on('remoteSettings', () => this.#countControl());
  }

  get isIdle(): boolean {
    return this.#streams === 0;
  }

  /** Says goodbye; what is under way may end. */
  close(): void {
    this.#session.close();
  }

  destroy(): void {
    this.#session.destroy();
  }

  checkTime(now: number): void {
    this.#controlFrames = 0;
    this.#resets = 0;
    if (this.#streams > 0) return;
    const { keepAliveMs, headTimeoutMs } = this.#limits;
    if (this.#session.closed) {
      // It was told a while ago, and has not gone.
      this.#session.destroy();
    } else if (now - this.#idleSince > (this.#hadStreams ? keepAliveMs : headTimeoutMs)) {
      this.#session.close();
    }
  }

  #countControl(): void {
    this.#controlFrames += 1;
    if (this.#controlFrames > maximumControlFrames) this.#calm();
  }

  #countReset(): void {
    this.#resets += 1;
    if (this.#resets > maximumResets) this.#calm();
  }

  #calm(): void {
    if (!this.#session.destroyed) {
      this.#session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
    }
  }
}
