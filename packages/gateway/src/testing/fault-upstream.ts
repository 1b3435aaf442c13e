import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import type { CertificatePair } from '../tls/default-certificate.ts';

/** What an upstream does with a connection; called once its client has said something. */
export type Misbehaviour = (socket: Socket) => void;

/** A server that does not do what it should. */
export interface FaultUpstream {
  readonly port: number;
  /** Connections so far, and those that are still open. */
  readonly accepted: () => number;
  readonly open: () => number;
  close(): Promise<void>;
}

export async function startFaultUpstream(
  misbehave: Misbehaviour,
  options: { readonly tls?: CertificatePair; readonly isAtOnce?: boolean } = {},
): Promise<FaultUpstream> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const serve = (socket: Socket): void => {
    socket.on('error', () => undefined);
    // The gateway closes a connection as a whole: its end is the end.
    socket.once('end', () => socket.destroy());
    if (options.isAtOnce === true) misbehave(socket);
    else socket.once('data', () => misbehave(socket));
  };
  const track = (socket: Socket): void => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  const server: Server =
    options.tls === undefined
      ? createServer({ allowHalfOpen: true }, serve)
      : createTlsServer({ ...options.tls, ALPNProtocols: ['h2', 'http/1.1'] }, serve);
  server.on('connection', track);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    accepted: () => accepted,
    open: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Breaks a connection off. */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Sends a text again and again, as fast as the other side takes it. */
export function repeat(socket: Socket, text: string): void {
  const block = text.repeat(Math.ceil(65_536 / text.length));
  const send = (): void => {
    while (!socket.destroyed && socket.write(block, 'latin1')) {
      // There is room for more.
    }
  };
  socket.on('drain', send);
  send();
}
