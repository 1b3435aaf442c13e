import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Sends datagrams, over one socket for each family. Nobody says whether they arrive. */
export class DatagramSender {
  readonly #sockets = new Map<4 | 6, Socket>();
  /** How long the address of a name is used. */
  readonly #addresses = new Map<string, { readonly ip: string; readonly until: number }>();

  /** Resolves once the system has taken them. Rejects if a name is not known or one is too long. */
  async send(host: string, port: number, datagrams: readonly string[]): Promise<void> {
    const ip = await this.#addressOf(host);
    const socket = this.#socket(isIP(ip) === 6 ? 6 : 4);
    for (const datagram of datagrams) {
      await new Promise<void>((resolve, reject) =>
        socket.send(datagram, port, ip, (error) => (error === null ? resolve() : reject(error))),
      );
    }
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
  }

  async #addressOf(host: string): Promise<string> {
    if (isIP(host) !== 0) return host;
    const now = performance.now();
    const known = this.#addresses.get(host);
    if (known !== undefined && known.until > now) return known.ip;
    const { address } = await lookup(host);
    if (this.#addresses.size >= maximumNames) this.#addresses.clear();
    this.#addresses.set(host, { ip: address, until: now + nameLifetimeMs });
    return address;
  }

  #socket(family: 4 | 6): Socket {
    let socket = this.#sockets.get(family);
    if (socket === undefined) {
      socket = createSocket(family === 6 ? 'udp6' : 'udp4');
      // What is said of one datagram is said to who sent it; a refusal that comes later is of no use.
      socket.on('error', () => undefined);
      socket.unref();
      this.#sockets.set(family, socket);
    }
    return socket;
  }
}

const nameLifetimeMs = 30_000;
const maximumNames = 1_000;
