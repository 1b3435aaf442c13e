import type { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher, Pool } from 'undici';
import type { ConnectionConfig } from '../config/connection-config.ts';
import type { Credentials } from '../config/credentials.ts';
import { KubeError } from '../error.ts';
import { proxyFor } from './no-proxy.ts';
import { dialThroughProxy, proxyAuthorization } from './proxy-dial.ts';
import { isSameMaterial, type TlsMaterial, TlsMaterialSource } from './tls-material.ts';

export interface ConnectionsOptions {
  readonly connectTimeoutMs: number;
  /** Connections for ordinary requests; watches and streams have their own, without a limit. */
  readonly maxConnections: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
}

/** The connections under one TLS material. */
interface Dispatchers {
  readonly requests: Pool;
  /** A connection of its own for each watch: a pool would reconnect when one is left. */
  readonly openStream: () => Client;
}

/** TCP's own probes find a peer that is gone; Node then tries ten times, a second apart. */
const KEEP_ALIVE_DELAY_MS = 30_000;
const IDLE_CONNECTION_MS = 20_000;
const MAX_HEADER_BYTES = 64 * 1024;

/** The connections to one API as one user. New TLS material gets new ones; the old ones run out. */
export class Connections {
  readonly #config: ConnectionConfig;
  readonly #options: ConnectionsOptions;
  readonly #tls: TlsMaterialSource;
  readonly #server: URL;
  readonly #proxy: URL | undefined;
  #current: { readonly material: TlsMaterial; readonly dispatchers: Dispatchers } | undefined;
  readonly #streams = new Set<Client>();
  readonly #retired = new Set<Promise<void>>();
  #isClosed = false;

  /** What stands before every path: the prefix of the server, and its origin for a plain proxy. */
  readonly pathPrefix: string;
  /** Headers for the proxy that every request carries, when it is not a tunnel. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(config: ConnectionConfig, options: ConnectionsOptions) {
    this.#config = config;
    this.#options = options;
    this.#server = parseServer(config.server);
    this.#proxy = proxyOf(config, this.#server, options);
    this.#tls = new TlsMaterialSource(config.tls, options.now);
    const base = this.#server.pathname.replace(/\/+$/, '');
    const isPlainProxy = this.#isPlainProxy();
    this.pathPrefix = isPlainProxy ? `${this.#server.origin}${base}` : base;
    const authorization = isPlainProxy ? proxyAuthorization(this.#proxy as URL) : undefined;
    this.headers = {
      ...(isPlainProxy ? { host: this.#server.host } : {}),
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    };
  }

  get origin(): string {
    return this.#server.origin;
  }

  /** The pool for ordinary requests. */
  async pool(credentials: Credentials): Promise<Dispatcher> {
    return (await this.#dispatchers(credentials)).requests;
  }

  /** A connection for one stream; the caller gives it back to `closeStream`. */
  async openStream(credentials: Credentials): Promise<Client> {
    const stream = (await this.#dispatchers(credentials)).openStream();
    this.#streams.add(stream);
    return stream;
  }

  closeStream(stream: Client): void {
    if (!this.#streams.delete(stream)) return;
    // What it was doing has ended already, or is ended by this.
    stream.destroy().catch(() => {});
  }

  /** Ends everything that is open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const current = this.#current;
    this.#current = undefined;
    await Promise.allSettled([
      current?.dispatchers.requests.destroy(),
      ...[...this.#streams].map((stream) => stream.destroy()),
      ...this.#retired,
    ]);
    this.#streams.clear();
  }

  /** A socket for what is no HTTP: the raw bytes under a WebSocket. */
  async dial(credentials: Credentials): Promise<Socket> {
    const connector = this.#connector(await this.#tls.get(credentials));
    const { protocol, hostname, port, host } = this.#server;
    return new Promise((resolve, reject) => {
      connector({ protocol, hostname, host, port }, (...[error, socket]) =>
        error === null ? resolve(socket as Socket) : reject(error),
      );
    });
  }

  async #dispatchers(credentials: Credentials): Promise<Dispatchers> {
    const material = await this.#tls.get(credentials);
    if (this.#isClosed) throw new KubeError('WG_KUBE_CONNECTION', 'the client is closed');
    if (this.#current !== undefined && isSameMaterial(this.#current.material, material)) {
      return this.#current.dispatchers;
    }
    const before = this.#current;
    this.#current = { material, dispatchers: this.#open(material) };
    if (before !== undefined) this.#retire(before.dispatchers.requests);
    return this.#current.dispatchers;
  }

  /** Lets what runs on an old pool come to its end. */
  #retire(pool: Pool): void {
    const closing = pool.close().finally(() => this.#retired.delete(closing));
    this.#retired.add(closing);
  }

  #isPlainProxy(): boolean {
    return this.#server.protocol === 'http:' && /^https?:$/.test(this.#proxy?.protocol ?? '');
  }

  #open(material: TlsMaterial): Dispatchers {
    const origin = this.#isPlainProxy() ? (this.#proxy as URL).origin : this.#server.origin;
    const connect = this.#isPlainProxy()
      ? buildConnector({ timeout: this.#options.connectTimeoutMs })
      : this.#connector(material);
    const shared = {
      connect,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: 600_000,
    };
    return {
      requests: new Pool(origin, { ...shared, connections: this.#options.maxConnections }),
      openStream: () => new Client(origin, shared),
    };
  }

  #connector(material: TlsMaterial): buildConnector.connector {
    const { tls } = this.#config;
    const timeout = this.#options.connectTimeoutMs;
    const direct = buildConnector({
      timeout,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
      allowH2: false,
      rejectUnauthorized: tls?.insecureSkipTlsVerify !== true,
      ...(material.ca === undefined ? {} : { ca: material.ca }),
      ...(material.certificate === undefined ? {} : { cert: material.certificate }),
      ...(material.key === undefined ? {} : { key: material.key }),
    });
    const named: buildConnector.connector = (options, callback) =>
      direct(
        tls?.serverName === undefined ? options : { ...options, servername: tls.serverName },
        callback,
      );
    const proxy = this.#proxy;
    if (proxy === undefined) return named;
    return (options, callback) => {
      const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
      const host = options.hostname.replace(/^\[|\]$/g, '');
      dialThroughProxy(proxy, { host, port, timeoutMs: timeout }).then(
        (socket) => {
          socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
          if (options.protocol === 'https:') named({ ...options, httpSocket: socket }, callback);
          else callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    };
  }
}

function parseServer(server: string): URL {
  try {
    const url = new URL(server.includes('://') ? server : `https://${server}`);
    if (url.protocol === 'https:' || url.protocol === 'http:') return url;
  } catch (error) {
    throw new KubeError('WG_KUBE_CONFIG', `"${server}" is no address of an API`, { cause: error });
  }
  throw new KubeError('WG_KUBE_CONFIG', `"${server}": the API speaks https or http`);
}

function proxyOf(
  config: ConnectionConfig,
  server: URL,
  options: ConnectionsOptions,
): URL | undefined {
  let proxy: URL | undefined;
  try {
    proxy = proxyFor(server, config.proxyUrl, options.environment);
  } catch (error) {
    throw new KubeError('WG_KUBE_CONFIG', 'the proxy has no usable address', { cause: error });
  }
  if (proxy === undefined || /^(?:https?|socks5h?):$/.test(proxy.protocol)) return proxy;
  throw new KubeError(
    'WG_KUBE_CONFIG',
    `a proxy with ${proxy.protocol}// is not supported; use http, https or socks5`,
  );
}
