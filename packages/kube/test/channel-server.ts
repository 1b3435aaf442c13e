import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** The server's side of a channelled WebSocket, as a test plays it. */
export class ChannelPeer {
  readonly url: string;
  readonly #socket: Socket;
  readonly #onMessage: (channel: number, payload: Buffer) => void;
  #buffer = Buffer.alloc(0);
  received = '';

  constructor(socket: Socket, url: string, onMessage: (channel: number, payload: Buffer) => void) {
    this.#socket = socket;
    this.url = url;
    this.#onMessage = onMessage;
    socket
      .on('data', (chunk: Buffer) => this.#read(chunk))
      .on('end', () => socket.end())
      .on('error', () => {});
  }

  send(channel: number, payload: string | Buffer, pieces = 1): void {
    const message = Buffer.concat([Buffer.from([channel]), Buffer.from(payload)]);
    const size = Math.ceil(message.length / pieces);
    for (let at = 0; at < pieces; at++) {
      const isLast = at === pieces - 1;
      this.frame(
        (at === 0 ? 2 : 0) | (isLast ? 0x80 : 0),
        message.subarray(at * size, (at + 1) * size),
      );
    }
  }

  frame(first: number, payload: Buffer): void {
    const head =
      payload.length < 126
        ? Buffer.from([first, payload.length])
        : payload.length < 65536
          ? Buffer.from([first, 126, payload.length >> 8, payload.length & 0xff])
          : Buffer.concat([Buffer.from([first, 127, 0, 0, 0, 0]), uint32(payload.length)]);
    this.#socket.write(Buffer.concat([head, payload]));
  }

  /** The status channel and a close frame, as the API ends a session. */
  finish(status: object): void {
    this.send(3, JSON.stringify(status));
    this.frame(0x88, Buffer.from([0x03, 0xe8]));
  }

  cut(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    while (this.#buffer.length >= 6) {
      let length = (this.#buffer[1] as number) & 0x7f;
      let at = 2;
      if (length === 126) {
        length = this.#buffer.readUInt16BE(2);
        at = 4;
      } else if (length === 127) {
        length = Number(this.#buffer.readBigUInt64BE(2));
        at = 10;
      }
      if (this.#buffer.length < at + 4 + length) return;
      const mask = this.#buffer.subarray(at, at + 4);
      const payload = Buffer.from(this.#buffer.subarray(at + 4, at + 4 + length));
      for (let byte = 0; byte < length; byte++) {
        payload[byte] = (payload[byte] as number) ^ (mask[byte & 3] as number);
      }
      const opcode = (this.#buffer[0] as number) & 0x0f;
      this.#buffer = this.#buffer.subarray(at + 4 + length);
      if (opcode === 2) this.#onMessage(payload[0] as number, payload.subarray(1));
      else if (opcode === 8) this.#socket.end();
      else this.received += `opcode ${opcode}: ${payload.toString()}`;
    }
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export interface ChannelScript {
  /** Refuses the upgrade with this status and body. */
  readonly refuse?: { readonly code: number; readonly body: string };
  readonly protocol?: string;
  readonly onOpen?: (peer: ChannelPeer) => void;
  readonly onMessage?: (peer: ChannelPeer, channel: number, payload: Buffer) => void;
}

export class ChannelServer {
  readonly peers: ChannelPeer[] = [];
  readonly offered: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(script: ChannelScript) {
    this.#server = createServer();
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
      this.offered.push(String(request.headers['sec-websocket-protocol']));
      if (script.refuse !== undefined) {
        const { code, body } = script.refuse;
        socket.end(`HTTP/1.1 ${code} No\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
        return;
      }
      const accept = createHash('sha1')
        .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64');
      const protocol = script.protocol ?? 'v5.channel.k8s.io';
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\nsec-websocket-protocol: ${protocol}\r\n\r\n`,
      );
      const peer: ChannelPeer = new ChannelPeer(socket, request.url ?? '', (channel, payload) =>
        script.onMessage?.(peer, channel, payload),
      );
      this.peers.push(peer);
      script.onOpen?.(peer);
    });
  }

  static async start(script: ChannelScript): Promise<ChannelServer> {
    const server = new ChannelServer(script);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
