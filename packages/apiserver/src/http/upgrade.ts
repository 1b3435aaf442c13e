import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A connection that its client wants to speak another protocol on. */
interface ConnectionUpgrade {
  /** What the client sent already. */
  readonly head: Buffer;
  /** Answers with these bytes, and hands over the connection. */
  take(response: ServerResponse, answer: string): Duplex;
}

const upgrades = new WeakMap<IncomingMessage, ConnectionUpgrade>();

/** The other protocol that a request asks for; undefined when it is an ordinary request. */
export function upgradeOf(request: IncomingMessage): ConnectionUpgrade | undefined {
  return upgrades.get(request);
}

/**
 * Makes an ordinary request of one that asks for another protocol: it is judged and answered as others
 * are, unless a handler takes the connection.
 */
export function offerUpgrade(
  request: IncomingMessage,
  response: ServerResponse,
  socket: Duplex,
  head: Buffer,
): void {
  upgrades.set(request, {
    head,
    take(from, answer) {
      from.detachSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
      socket.write(answer);
      return socket;
    },
  });
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  response.once('finish', () => socket.end());
}
