import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { ListenAddress } from '../listener/listening.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { pickTarget, routeStream } from './stream-route.ts';

interface UdpRelayOptions extends ListenAddress {
  readonly publicPort?: number;
  readonly snapshot: () => Snapshot;
  readonly balancers: BalancerRegistry;
}

interface Session {
  readonly socket: Socket;
  readonly timer: NodeJS.Timeout;
}

/** A client whose target is being found, or is known. */
interface Client {
  session: Session | undefined;
  /** What came before the target was known: it is found in the same turn unless a name is asked for. */
  waiting: Buffer[];
}

/** Addresses in datagrams are easily forged: beyond this the client that was served first goes. */
const maximumSessions = 10_000;
/** So many datagrams of one client wait for its target's name. */
const maximumWaiting = 16;
const idleMs = 60_000;

/** Carries datagrams. Each client address has a socket of its own, so that answers find their way. */
export class UdpRelay {
  readonly #options: UdpRelayOptions;
  readonly #server: Socket;
  /** The oldest first. */
  readonly #clients = new Map<string, Client>();
  #isStopped = false;

  constructor(options: UdpRelayOptions) {
    this.#options = options;
    this.#server = createSocket(isIPv6(options.host) ? 'udp6' : 'udp4');
    this.#server.on('message', (message, from) => this.#relay(message, from));
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
    this.#isStopped = true;
    for (const key of this.#clients.keys()) this.#forget(key);
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #relay(message: Buffer, from: RemoteInfo): void {
    const key = `${from.address} ${from.port}`;
    let client = this.#clients.get(key);
    if (client === undefined) {
      this.#makeRoom();
      client = { session: undefined, waiting: [] };
      this.#clients.set(key, client);
      void this.#open(key, client, from);
    }
    if (client.session !== undefined) {
      client.session.timer.refresh();
      client.session.socket.send(message);
    } else if (client.waiting.length < maximumWaiting) {
      client.waiting.push(message);
    }
  }

  #makeRoom(): void {
    const [oldest] = this.#clients.keys();
    if (this.#clients.size >= maximumSessions && oldest !== undefined) this.#forget(oldest);
  }

  #forget(key: string): void {
    const session = this.#clients.get(key)?.session;
    this.#clients.delete(key);
    if (session !== undefined) {
      clearTimeout(session.timer);
      session.socket.close();
    }
  }

  async #open(key: string, client: Client, from: RemoteInfo): Promise<void> {
    const socket = await this.#connect(from).catch(() => undefined);
    if (this.#isStopped || this.#clients.get(key) !== client) {
      socket?.close();
      return;
    }
    if (socket === undefined) {
      this.#clients.delete(key);
      return;
    }
    const timer = setTimeout(() => this.#forget(key), idleMs).unref();
    client.session = { socket, timer };
    for (const message of client.waiting.splice(0)) socket.send(message);
  }

  /** A socket that is connected to a target for a client, if its datagrams have a route. */
  async #connect(from: RemoteInfo): Promise<Socket | undefined> {
    const { address, port } = this.#server.address();
    const routed = routeStream(this.#options.snapshot(), 'udp', undefined, {
      sourceIp: from.address,
      sourcePort: from.port,
      destinationIp: address,
      destinationPort: this.#options.publicPort ?? port,
    });
    if (routed === undefined) return undefined;
    const destination = await pickTarget(this.#options.balancers, routed, from.address, new Set());
    if (destination.kind === 'none') return undefined;
    const target = destination.address;
    const socket = createSocket(isIPv6(target.ip) ? 'udp6' : 'udp4');
    socket.on('message', (answer) => {
      if (!this.#isStopped) this.#server.send(answer, from.port, from.address);
    });
    return new Promise((resolve) => {
      // An error after this is an answer that nobody listens there: the next datagram may fare better.
      let fail = (): void => {
        socket.close();
        resolve(undefined);
      };
      socket.on('error', () => fail());
      socket.connect(target.port, target.ip, () => {
        fail = () => undefined;
        resolve(socket);
      });
    });
  }
}
