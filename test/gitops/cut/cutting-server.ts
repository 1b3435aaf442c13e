import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What a server says to one request. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** How the end of a body is known: by its length, by its last chunk, or by the end of the connection. */
export const framings = ['length', 'chunked', 'close'] as const;
export type Framing = (typeof framings)[number];

/** Where a server breaks off, counted over all that it sends in one pass, and how. */
export interface Cut {
  readonly at: number;
  readonly framing: Framing;
  /** The connection ends as if all had been said, or is reset. */
  readonly isReset: boolean;
  /** Nobody is answered any more until the next pass. */
  readonly staysDown: boolean;
}

/** A cut after so many bytes, in one of all ways; which one is a matter of the number. */
export function cutAt(at: number, number = at): Cut {
  return {
    at,
    framing: framings[number % 3] as Framing,
    isReset: Math.floor(number / 3) % 2 === 0,
    staysDown: Math.floor(number / 6) % 2 === 0,
  };
}

/** An HTTP server on loopback whose answers end at any byte that it is told. */
export class CuttingServer implements AsyncDisposable {
  /** Bytes that were sent since the pass began. */
  sent = 0;
  /** What happens at the cut; the connection waits for it. */
  onCut: () => Promise<void> | void = () => undefined;
  /** How many they were before the answer that was the last. */
  lastBegan = 0;
  private readonly answer: (request: IncomingMessage, body: Buffer) => Answer | Promise<Answer>;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private cut: Cut | undefined;
  private framing: Framing = 'length';
  private isDown = false;

  private constructor(answer: CuttingServer['answer']) {
    this.answer = answer;
    this.server = createServer((request) => {
      this.serve(request).catch(() => request.socket.destroy());
    });
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  static async start(answer: CuttingServer['answer']): Promise<CuttingServer> {
    const started = new CuttingServer(answer);
    started.server.listen(0, '127.0.0.1');
    await once(started.server, 'listening');
    return started;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Begins a pass, with a cut or without. */
  begin(cut?: Cut, framing: Framing = cut?.framing ?? 'length'): void {
    this.sent = 0;
    this.cut = cut;
    this.framing = framing;
    this.isDown = false;
  }

  private async serve(request: IncomingMessage): Promise<void> {
    const { socket } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.isDown) return void socket.destroy();
    const answer = await this.answer(request, Buffer.concat(chunks));
    const bytes = bytesOf(answer, this.framing, request.method === 'HEAD');
    const { cut } = this;
    const left = cut === undefined ? Number.POSITIVE_INFINITY : cut.at - this.sent;
    const isCut = left < bytes.length;
    const part = isCut ? bytes.subarray(0, Math.max(0, left)) : bytes;
    this.lastBegan = this.sent;
    this.sent += part.length;
    if (!isCut) return void socket.end(part);
    this.cut = undefined;
    this.isDown = cut?.staysDown === true;
    await new Promise<void>((resolve) => socket.write(part, () => resolve()));
    await this.onCut();
    if (cut?.isReset === true) socket.resetAndDestroy();
    else socket.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

function bytesOf(
  { status = 200, headers = {}, body = '' }: Answer,
  framing: Framing,
  isHead: boolean,
) {
  const content = Buffer.from(body);
  const lines = [`HTTP/1.1 ${status} X`, 'Connection: close'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (framing === 'length') lines.push(`Content-Length: ${content.length}`);
  if (framing === 'chunked') lines.push('Transfer-Encoding: chunked');
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  if (isHead) return head;
  if (framing !== 'chunked') return Buffer.concat([head, content]);
  const middle = Math.floor(content.length / 2);
  const parts = [content.subarray(0, middle), content.subarray(middle)].flatMap((part) =>
    part.length === 0
      ? []
      : [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')],
  );
  return Buffer.concat([head, ...parts, Buffer.from('0\r\n\r\n')]);
}
