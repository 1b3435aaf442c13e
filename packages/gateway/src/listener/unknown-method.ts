import { Duplex } from 'node:stream';

/** A request whose method Node's parser does not know. */
export interface UnknownMethod {
  readonly method: string;
  /** The head with a method that Node knows in its place, on a connection that ends with it. */
  readonly head: Buffer;
}

const maximumHeadBytes = 32 * 1_024;

/**
 * nginx takes any method of capital letters; Node's parser only those it knows. Reads the head of a
 * request that Node gave up on. Undefined if it is no such request, is not complete, or has a body:
 * what follows a head that was read twice cannot be trusted.
 */
export function readUnknownMethod(bytes: Buffer): UnknownMethod | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1 || end > maximumHeadBytes || bytes.length > end + 4) {
    return undefined;
  }
  const head = bytes.toString('latin1', 0, end);
  const match = /^([A-Z][A-Z_-]*) (\S+ HTTP\/1\.[01]\r\n[\s\S]*)$/.exec(head);
  if (match === null || /\r\n(?:transfer-encoding|content-length)\s*:/i.test(head)) {
    return undefined;
  }
  const rest = (match[2] ?? '').replace(/\r\nconnection\s*:[^\r]*/gi, '');
  return {
    method: match[1] ?? '',
    head: Buffer.from(`GET ${rest}\r\nConnection: close\r\n\r\n`, 'latin1'),
  };
}

/** A connection that brings one head and carries the answer to another connection. */
export class HeadRelay extends Duplex {
  readonly #client: Duplex;
  #head: Buffer | undefined;

  constructor(client: Duplex, head: Buffer) {
    super();
    this.#client = client;
    this.#head = head;
    client.once('close', () => this.destroy());
  }

  override _read(): void {
    if (this.#head !== undefined) {
      this.push(this.#head);
      this.#head = undefined;
    }
  }

  override _write(
    chunk: Buffer,
    encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    this.#client.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#client.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#client.end();
    done(error);
  }
}
