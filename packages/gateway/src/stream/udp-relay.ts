import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { Snapshot } from '../configuration/snapshot.ts';
import type { ListenAddress } from '../listener/http-listener.ts';
import { pickTarget, routeStream } from './stream-route.ts';

export interface UdpRelayOptions extends ListenAddress {
  readonly snapshot: () => Snapshot;
  readonly balancers: BalancerRegistry;
}

interface Session {
  readonly socket: Socket;
  timer: NodeJS.Timeout;
}

/** Clients beyond this are not served: an address in a datagram is easily forged. */
const maximumSessions = 10_000;
const idleMs = 60_000;

/** Carries datagrams. Each client address has a socket of its own, so that answers find their way. */
export class UdpRelay {
  readonly #options: UdpRelayOptions;
  readonly #server: Socket;
  readonly #sessions = new Map<string, Promise<Session | undefined>>();

  constructor(options: UdpRelayOptions) {
    this.#options = options;
    this.#server = createSocket(isIPv6(options.host) ? 'udp6' : 'udp4');
    this.#server.on('message', (message, from) => void this.#relay(message, from));
    this.#server.on('error', () => undefined);
  }

  async start(): Promise<ListenAddress> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.bind(this.#options.port, this.#options.host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const { address, port } = this.#server.address();
    return { host: address, port };
  }

  async stop(): Promise<void> {
    const sessions = await Promise.all(this.#sessions.values());
    for (const session of sessions) {
      clearTimeout(session?.timer);
      session?.socket.close();
    }
    this.#sessions.clear();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #relay(message: Buffer, from: RemoteInfo): Promise<void> {
    const key = `${from.address} ${from.port}`;
    let opening = this.#sessions.get(key);
    if (opening === undefined) {
      if (this.#sessions.size >= maximumSessions) {
        return;
      }
      opening = this.#open(key, from);
      this.#sessions.set(key, opening);
    }
    const session = await opening;
    if (session === undefined) {
      this.#sessions.delete(key);
      return;
    }
    session.timer.refresh();
    session.socket.send(message);
  }

  async #open(key: string, from: RemoteInfo): Promise<Session | undefined> {
    const { address, port } = this.#server.address();
    const routed = routeStream(this.#options.snapshot(), 'udp', undefined, {
      sourceIp: from.address,
      sourcePort: from.port,
      destinationIp: address,
      destinationPort: port,
    });
    if (routed === undefined) {
      return undefined;
    }
    const destination = await pickTarget(this.#options.balancers, routed, from.address, new Set());
    if (destination.kind === 'none') {
      return undefined;
    }
    const target = destination.address;
    const socket = createSocket(isIPv6(target.ip) ? 'udp6' : 'udp4');
    socket.on('message', (answer) => this.#server.send(answer, from.port, from.address));
    await new Promise<void>((resolve) => {
      socket.once('error', () => resolve());
      socket.connect(target.port, target.ip, () => resolve());
    });
    socket.on('error', () => undefined);
    const timer = setTimeout(() => {
      this.#sessions.delete(key);
      socket.close();
    }, idleMs);
    timer.unref();
    return { socket, timer };
  }
}
