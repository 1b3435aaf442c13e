import type { Readable } from 'node:stream';

/** A request as a listener brings it, over whichever version of HTTP it came. */
export interface ServerRequest {
  readonly method: string;
  readonly target: string;
  /** The host and port of a target in absolute form. */
  readonly authority?: string | undefined;
  readonly httpVersion: string;
  readonly httpVersionMajor: 1 | 2;
  /** Name, value, name, value… */
  readonly rawHeaders: string[];
  /** Undefined if there is none, and of length 0. */
  readonly body: Readable | undefined;
  /** The bytes that will come, if the client said so. */
  readonly contentLength: number | undefined;
  /** Whether all of the body is here already, where that is known. */
  readonly isBodyWhole?: boolean;
  readonly expectsContinue: boolean;
  /** The protocol that the client asks to change to. */
  readonly upgrade: string | undefined;
  /** Name, value… behind the body; complete once the body has ended. */
  readonly trailers: readonly string[];
}
