import type { Socket } from 'node:net';
import { type ConnectionEnds, plainAddress } from '@waygate/text';

/** The ends of a socket. Its own address is asked of the system only by those who tell it a backend. */
export class SocketEnds implements ConnectionEnds {
  readonly sourceAddress: string;
  readonly sourcePort: number;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.sourceAddress = plainAddress(socket.remoteAddress ?? '');
    this.sourcePort = socket.remotePort ?? 0;
  }

  get destinationAddress(): string {
    return plainAddress(this.#socket.localAddress ?? '');
  }

  get destinationPort(): number {
    return this.#socket.localPort ?? 0;
  }
}
