import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** Datagrams to a port of a pod lead to a port of this machine, and answers back to who asked. */
export class UdpForward {
  readonly #outer = createSocket('udp4');
  readonly #inner = new Map<string, Socket>();

  async start(address: string, port: number, target: number): Promise<void> {
    this.#outer.on('message', (message, from) => {
      this.#socketFor(from).send(message, target, '127.0.0.1');
    });
    this.#outer.bind(port, address);
    await once(this.#outer, 'listening');
  }

  stop(): void {
    this.#outer.close();
    for (const socket of this.#inner.values()) socket.close();
  }

  #socketFor({ address, port }: RemoteInfo): Socket {
    const key = `${address} ${port}`;
    let socket = this.#inner.get(key);
    if (socket === undefined) {
      socket = createSocket('udp4');
      socket.on('message', (answer) => this.#outer.send(answer, port, address));
      this.#inner.set(key, socket);
    }
    return socket;
  }
}

/** Stands in for the suite's CoreDNS, of which it wants any answer: every name is known, and has no address. */
export class EmptyDns {
  readonly #socket = createSocket('udp4');

  async start(address: string, port: number): Promise<void> {
    this.#socket.on('message', (question, from) => {
      const answer = Buffer.from(question);
      // An answer, with recursion, without an error.
      answer.writeUInt16BE(0x8180, 2);
      this.#socket.send(answer, from.port, from.address);
    });
    this.#socket.bind(port, address);
    await once(this.#socket, 'listening');
  }

  stop(): void {
    this.#socket.close();
  }
}
