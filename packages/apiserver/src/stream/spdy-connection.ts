import { Duplex } from 'node:stream';
import { HeaderPacker, HeaderUnpacker } from './spdy-headers.ts';

/** What frames are about, by their number in SPDY/3.1. */
const frames = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const finFlag = 1;
/** A frame that is longer was not sent by a client of ours: they send 64 KiB at most. */
const mostFrameBytes = 4 * 1024 * 1024;
const mostStreams = 1_000;

/** One stream of a connection, with the headers it was opened with. */
export interface SpdyStream {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Duplex;
}

/**
 * The server's side of SPDY/3.1, as much of it as `kubectl port-forward` speaks: streams that the client
 * opens, data both ways, pings. There is no flow control in the clients; a stream that is not read holds
 * up its connection.
 */
export class SpdyConnection {
  readonly #socket: Duplex;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #bodies = new Map<number, StreamBody>();
  readonly #unpacker = new HeaderUnpacker();
  readonly #packer = new HeaderPacker();

  constructor(socket: Duplex, onStream: (stream: SpdyStream) => void) {
    this.#socket = socket;
    this.#onStream = onStream;
  }

  /** Serves the connection until either side ends it. */
  async run(head: Buffer): Promise<void> {
    let rest: Buffer = head;
    try {
      rest = await this.#takeFrames(rest);
      for await (const chunk of this.#socket) {
        rest = await this.#takeFrames(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]));
      }
    } catch {
      // A client that went away or sent nonsense: nobody is left to tell.
    } finally {
      this.#socket.destroy();
      for (const body of this.#bodies.values()) body.destroy();
      this.#unpacker.close();
      this.#packer.close();
    }
  }

  async #takeFrames(bytes: Buffer): Promise<Buffer> {
    let at = 0;
    while (bytes.length - at >= 8) {
      const length = bytes.readUIntBE(at + 5, 3);
      if (length > mostFrameBytes) throw new Error('a frame is too long');
      if (bytes.length - at < 8 + length) break;
      await this.#takeFrame(bytes.subarray(at, at + 8), bytes.subarray(at + 8, at + 8 + length));
      at += 8 + length;
    }
    return bytes.subarray(at);
  }

  async #takeFrame(head: Buffer, body: Buffer): Promise<void> {
    const flags = head.readUInt8(4);
    if ((head.readUInt8(0) & 0x80) === 0) {
      await this.#takeData(head.readUInt32BE(0), body, flags);
      return;
    }
    const type = head.readUInt16BE(2);
    if (type === frames.synStream) await this.#open(body, flags);
    else if (type === frames.ping) this.#control(frames.ping, Buffer.from(body));
    else if (type === frames.rstStream) this.#bodies.get(body.readUInt32BE(0))?.destroy();
    else if (type === frames.goAway) this.#socket.end();
  }

  async #takeData(id: number, data: Buffer, flags: number): Promise<void> {
    const body = this.#bodies.get(id);
    if (body === undefined) return;
    if (data.length > 0) await body.receive(Buffer.from(data));
    if ((flags & finFlag) !== 0) body.push(null);
  }

  async #open(block: Buffer, flags: number): Promise<void> {
    if (this.#bodies.size >= mostStreams) throw new Error('there are too many streams');
    const id = block.readUInt32BE(0) & 0x7fffffff;
    const headers = await this.#unpacker.unpack(block.subarray(10));
    const body = new StreamBody((data, isLast) => this.#send(id, data, isLast));
    this.#bodies.set(id, body);
    body.once('close', () => this.#bodies.delete(id));
    body.on('error', () => undefined);
    if ((flags & finFlag) !== 0) body.push(null);
    const reply = Buffer.alloc(4);
    reply.writeUInt32BE(id);
    this.#control(frames.synReply, Buffer.concat([reply, await this.#packer.pack()]));
    this.#onStream({ headers, body });
  }

  #control(type: number, body: Buffer): void {
    const head = Buffer.alloc(8);
    head.writeUInt16BE(0x8003, 0);
    head.writeUInt16BE(type, 2);
    head.writeUIntBE(body.length, 5, 3);
    if (this.#socket.writable) this.#socket.write(Buffer.concat([head, body]));
  }

  #send(id: number, data: Buffer, isLast: boolean): Promise<void> {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(id, 0);
    head.writeUInt8(isLast ? finFlag : 0, 4);
    head.writeUIntBE(data.length, 5, 3);
    return new Promise((resolve) => {
      if (!this.#socket.writable) resolve();
      else this.#socket.write(Buffer.concat([head, data]), () => resolve());
    });
  }
}

/** The bytes of a stream, with the pace of who reads them. */
class StreamBody extends Duplex {
  readonly #send: (data: Buffer, isLast: boolean) => Promise<void>;
  #wanted: (() => void) | undefined;

  constructor(send: (data: Buffer, isLast: boolean) => Promise<void>) {
    super({ allowHalfOpen: true });
    this.#send = send;
  }

  /** Resolves when there is room for more. */
  receive(data: Buffer): Promise<void> {
    if (this.destroyed || this.push(data)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wanted = resolve;
    });
  }

  override _read(): void {
    this.#wanted?.();
    this.#wanted = undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    void this.#send(chunk, false).then(() => done());
  }

  override _final(done: () => void): void {
    void this.#send(Buffer.alloc(0), true).then(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this._read();
    done(error);
  }
}
