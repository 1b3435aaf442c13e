import type { AddressInfo, Server, Socket } from 'node:net';
import { type ListenPlace, listenOn } from '@waygate/text';

/** Where to listen. Port 0 takes any free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Listens, and says where: a port 0 is a free one. */
export async function startListening(server: Server, place: ListenPlace): Promise<ListenAddress> {
  await listenOn(server, place);
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port };
}

/** Takes no more connections, and after `graceMs` ends those that are still there. */
export async function stopListening(
  server: Server,
  sockets: ReadonlySet<Socket>,
  graceMs: number,
): Promise<void> {
  const destroy = () => {
    for (const socket of sockets) socket.destroy();
  };
  const timer = setTimeout(destroy, graceMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearTimeout(timer);
  destroy();
}
