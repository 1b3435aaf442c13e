import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterArrivals } from '@waygate/text';
import type { BalancerAddress } from '../balancer/balancer-address.ts';
import { FastCgiAnswer } from '../fastcgi/fastcgi-answer.ts';
import { type ConnectionOwner, UpstreamConnection } from '../http1/upstream-connection.ts';
import { UpstreamError } from '../http1/upstream-error.ts';
import { sentServerName } from '../tls/sent-server-name.ts';
import { checkIdentity } from './check-identity.ts';

/** How to speak TLS to an upstream. */
export interface UpstreamTls {
  readonly isVerified: boolean;
  readonly ca: readonly string[];
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** Which connections to an address may be used for each other. */
interface ConnectionKind {
  readonly tls: UpstreamTls | undefined;
  /** Tells different TLS settings apart without holding their keys. */
  readonly tlsKey: string;
  readonly serverName: string;
  /** What the certificate must be for, if that is not the name that is sent. */
  readonly identity?: readonly string[];
}

/** What a new connection is for. */
interface OpenOptions {
  /** It will be handed over, so its bytes must come as events. */
  readonly isForUpgrade: boolean;
  /** Its bytes are FastCGI; hears what the application complains of. */
  readonly onComplaint?: (text: string) => void;
}

/** As Kong's `upstream_keepalive_idle_timeout`, `…_max_requests` and `…_pool_size`. */
const idleMs = 60_000;
const maximumRequests = 10_000;
const maximumIdle = 512;

/** Every plain connection reads into this: what came is used or copied before the next read. */
const sharedBuffer = Buffer.allocUnsafeSlow(64 * 1_024);

/** Reads what comes as FastCGI. Such a connection is for one request: it is never idle. */
function readFastCgi(
  connection: UpstreamConnection,
  onComplaint: (text: string) => void,
): (bytes: Buffer) => boolean {
  const answer = new FastCgiAnswer({ onBytes: connection.take, onComplaint });
  return (bytes) => {
    try {
      return answer.feed(bytes);
    } catch (error) {
      connection.refuse(error);
      return true;
    }
  };
}

/** The connections to one address that are alike. */
class ConnectionPool implements ConnectionOwner {
  readonly #address: BalancerAddress;
  readonly #kind: ConnectionKind;
  /** The one that was used last is used next, so that those not needed grow old. */
  readonly #idle: UpstreamConnection[] = [];
  readonly #all = new Set<UpstreamConnection>();
  #isClosed = false;

  constructor(address: BalancerAddress, kind: ConnectionKind) {
    this.#address = address;
    this.#kind = kind;
  }

  /** One that is free, if there is one. */
  takeIdle(): UpstreamConnection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined || !connection.socket.destroyed) return connection;
    }
  }

  open(
    timeoutMs: number,
    { isForUpgrade, onComplaint }: OpenOptions,
    use: (connection: UpstreamConnection) => void,
    fail: (error: UpstreamError) => void,
  ): { cancel(): void } {
    let isSettled = false;
    const isEvented = isForUpgrade || this.#kind.tls !== undefined;
    const socket = this.#connect(isEvented, (bytes) => take(bytes));
    const connection = new UpstreamConnection(socket, this);
    const take = onComplaint === undefined ? connection.take : readFastCgi(connection, onComplaint);
    this.#all.add(connection);
    const late = () => settle(new UpstreamError('WG_GATEWAY_TIMEOUT', 'no connection in time'));
    const timer = setTimeout(() => afterArrivals(late), timeoutMs);
    const settle = (error: UpstreamError | undefined) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      if (error === undefined) {
        use(connection);
      } else {
        socket.destroy();
        fail(error);
      }
    };
    let lastError: Error | undefined;
    socket.on('error', (error) => {
      lastError = error;
      settle(new UpstreamError('WG_GATEWAY_CONNECT', error.message, { cause: error }));
    });
    socket.on('close', () => {
      settle(new UpstreamError('WG_GATEWAY_CONNECT', 'the connection was closed'));
      this.#all.delete(connection);
      connection.onClose(lastError);
    });
    socket.on('end', () => connection.onEnd());
    socket.on('timeout', () => connection.onTimeout());
    if (isEvented) connection.listen(take);
    const isSecure = this.#kind.tls !== undefined;
    socket.once(isSecure ? 'secureConnect' : 'connect', () => settle(undefined));
    return {
      cancel: () => {
        isSettled = true;
        clearTimeout(timer);
        socket.destroy();
      },
    };
  }

  onIdle(connection: UpstreamConnection): void {
    const isWorn = connection.requests >= maximumRequests || this.#idle.length >= maximumIdle;
    if (this.#isClosed || isWorn) {
      connection.socket.destroy();
      return;
    }
    connection.setTimeout(idleMs);
    this.#idle.push(connection);
  }

  onGone(connection: UpstreamConnection): void {
    this.#all.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
  }

  /** Ends what is idle; what is under way ends on its own, and is not kept then. */
  retire(): void {
    this.#isClosed = true;
    for (const connection of this.#idle.splice(0)) connection.socket.destroy();
  }

  destroy(): void {
    this.#isClosed = true;
    for (const connection of this.#all) connection.socket.destroy();
  }

  #connect(isEvented: boolean, take: (bytes: Buffer) => boolean): Socket {
    const { ip, port } = this.#address;
    const { tls, serverName, identity } = this.#kind;
    if (tls === undefined) {
      return connect({
        host: ip,
        port,
        noDelay: true,
        ...(isEvented
          ? {}
          : {
              onread: {
                buffer: sharedBuffer,
                callback: (length: number) => take(sharedBuffer.subarray(0, length)),
              },
            }),
      });
    }
    const socket = connectTls({
      host: ip,
      port,
      rejectUnauthorized: tls.isVerified,
      ALPNProtocols: ['http/1.1'],
      ...sentServerName(serverName),
      ...(identity === undefined
        ? {}
        : {
            checkServerIdentity: (_host, certificate) => checkIdentity(identity, certificate),
          }),
      ...(tls.ca.length === 0 ? {} : { ca: [...tls.ca] }),
      ...(tls.cert === undefined ? {} : { cert: tls.cert }),
      ...(tls.key === undefined ? {} : { key: tls.key }),
    });
    socket.setNoDelay(true);
    return socket;
  }
}

/**
 * Kept-alive connections by address. An address belongs to a target: when the target goes, its idle
 * connections are closed, and the others after what is under way has ended.
 */
export class UpstreamPools {
  readonly #plain = new Map<BalancerAddress, ConnectionPool>();
  readonly #secure = new Map<BalancerAddress, Map<string, ConnectionPool>>();
  #isClosed = false;

  pool(address: BalancerAddress, kind: ConnectionKind): ConnectionPool {
    if (this.#isClosed) throw new UpstreamError('WG_GATEWAY_CONNECT', 'the gateway has stopped');
    return kind.tls === undefined
      ? this.#plainPool(address, kind)
      : this.#securePool(address, kind);
  }

  /** Lets go of addresses that no balancer knows any more. */
  retain(known: Iterable<BalancerAddress>): void {
    // Few of very many addresses have connections: those are looked for, not the others gathered.
    const unknown = new Set([...this.#plain.keys(), ...this.#secure.keys()]);
    for (const address of unknown.size === 0 ? [] : known) {
      if (unknown.delete(address) && unknown.size === 0) return;
    }
    for (const address of unknown) {
      this.#plain.get(address)?.retire();
      this.#plain.delete(address);
      for (const pool of this.#secure.get(address)?.values() ?? []) pool.retire();
      this.#secure.delete(address);
    }
  }

  close(): void {
    this.#isClosed = true;
    const secure = [...this.#secure.values()].flatMap((pools) => [...pools.values()]);
    for (const pool of [...this.#plain.values(), ...secure]) pool.destroy();
    this.#plain.clear();
    this.#secure.clear();
  }

  #plainPool(address: BalancerAddress, kind: ConnectionKind): ConnectionPool {
    let pool = this.#plain.get(address);
    if (pool === undefined) {
      pool = new ConnectionPool(address, kind);
      this.#plain.set(address, pool);
    }
    return pool;
  }

  #securePool(address: BalancerAddress, kind: ConnectionKind): ConnectionPool {
    let pools = this.#secure.get(address);
    if (pools === undefined) {
      pools = new Map();
      this.#secure.set(address, pools);
    }
    const key = `${kind.serverName} ${kind.identity?.join(',') ?? ''} ${kind.tlsKey}`;
    let pool = pools.get(key);
    if (pool === undefined) {
      pool = new ConnectionPool(address, kind);
      pools.set(key, pool);
    }
    return pool;
  }
}

export type { ConnectionPool };
