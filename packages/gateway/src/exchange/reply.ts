import type { Socket } from 'node:net';

/** The way back to a client, over whichever version of HTTP it speaks. */
export interface Reply {
  readonly isHeadSent: boolean;
  /** Sends status and headers; what follows is written as it comes. */
  sendHead(status: number, headers: string[]): void;
  /** Sends a whole answer at once; a text has one character a byte. For HEAD the body is left out. */
  sendWhole(status: number, headers: string[], body: Buffer | string): void;
  /** Returns false when the client does not keep up: `onDrain` tells when to go on. */
  write(chunk: Buffer): boolean;
  end(trailers: readonly string[]): void;
  /** Tells a client that waits for it (`Expect: 100-continue`) to send its body. */
  sendContinue(): void;
  /** Breaks the answer off, so that the client does not take it for complete. */
  abort(): void;
  /** Sends nothing more after this answer. */
  closeAfter(): void;
  /** Called when the client can take more. */
  onDrain: (() => void) | undefined;
  /** Calls back once the answer is out, or the client is gone. */
  whenClosed(listener: () => void): void;
  /** Hands the connection over to another protocol; undefined if it is not one that can. */
  takeSocket(): { readonly socket: Socket; readonly head: Buffer } | undefined;
}
