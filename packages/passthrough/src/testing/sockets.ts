import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Endpoint } from '../config.ts';

/** A TCP server on loopback that keeps what it was sent, lets a test answer, and ends when its client does. */
export interface TestBackend {
  readonly endpoint: Endpoint;
  readonly sockets: readonly Socket[];
  /** Waits for the n-th connection. */
  connection(index: number): Promise<Socket>;
  close(): Promise<void>;
}

export async function startBackend(onConnection?: (socket: Socket) => void): Promise<TestBackend> {
  const sockets: Socket[] = [];
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.once('end', () => setImmediate(() => socket.end()));
    onConnection?.(socket);
    sockets.push(socket);
    server.emit('accepted');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: { address: '127.0.0.1', port: (server.address() as AddressInfo).port },
    sockets,
    async connection(index) {
      while (sockets.length <= index) await once(server, 'accepted');
      return sockets[index]!;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A port on which nothing listens. */
export async function closedEndpoint(): Promise<Endpoint> {
  const backend = await startBackend();
  await backend.close();
  return backend.endpoint;
}

export async function dial(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Waits for the socket to be gone, in whatever way: unlike events.once, a reset is not a failure. */
export async function gone(socket: Socket): Promise<void> {
  socket.once('end', () => socket.destroy());
  socket.resume();
  if (!socket.closed) await anyOf(socket, ['close']);
}

function anyOf(socket: Socket, names: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const name of names) socket.off(name, done);
      resolve();
    };
    for (const name of names) socket.once(name, done);
  });
}

/** Reads until `length` bytes are there, or to the end of the stream when no length is given. */
export async function read(socket: Socket, length = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < length) {
    const chunk = socket.read() as Buffer | null;
    if (chunk !== null) {
      chunks.push(chunk);
      total += chunk.length;
    } else if (socket.readableEnded || socket.destroyed) {
      break;
    } else {
      await anyOf(socket, ['readable', 'end', 'close']);
    }
  }
  return Buffer.concat(chunks);
}
