import {
  type Environment,
  environmentProxy,
  HttpClient,
  type HttpClientOptions,
  parseProxy,
} from '@waygate/text';
import type { ConnectionConfig } from '../config/connection-config.ts';
import type { Credentials } from '../config/credentials.ts';
import { KubeError } from '../error.ts';
import { isSameMaterial, type TlsMaterial, TlsMaterialSource } from './tls-material.ts';

interface ConnectionsOptions {
  /** Ordinary requests share so many; watches and streams have their own, without a limit. */
  readonly http: Pick<HttpClientOptions, 'connectTimeoutMs' | 'idleTimeoutMs' | 'maxConnections'>;
  readonly environment: Environment;
  readonly now: () => number;
}

/** The connections to one API as one user. New TLS material gets new ones; the old ones run out. */
export class Connections {
  readonly #config: ConnectionConfig;
  readonly #options: ConnectionsOptions;
  readonly #tls: TlsMaterialSource;
  readonly #server: URL;
  readonly #proxy: URL | undefined;
  #current: { readonly material: TlsMaterial; readonly client: HttpClient } | undefined;
  /** Clients of older material on which something may still run. */
  #retired: HttpClient[] = [];
  #isClosed = false;

  /** What stands before every path. */
  readonly pathPrefix: string;

  constructor(config: ConnectionConfig, options: ConnectionsOptions) {
    this.#config = config;
    this.#options = options;
    this.#server = parseServer(config.server);
    this.#proxy = proxyOf(config, this.#server, options);
    this.#tls = new TlsMaterialSource(config.tls, options.now);
    this.pathPrefix = this.#server.pathname.replace(/\/+$/, '');
  }

  get origin(): string {
    return this.#server.origin;
  }

  /** What sends as somebody. */
  async client(credentials: Credentials): Promise<HttpClient> {
    const material = await this.#tls.get(credentials);
    if (this.#isClosed) throw new KubeError('WG_KUBE_CONNECTION', 'the client is closed');
    const before = this.#current;
    if (before !== undefined && isSameMaterial(before.material, material)) return before.client;
    const client = this.#open(material);
    this.#current = { material, client };
    if (before !== undefined) {
      before.client.retire();
      this.#retired = [...this.#retired, before.client].filter(({ isIdle }) => !isIdle);
    }
    return client;
  }

  /** Ends everything that is open. */
  close(): void {
    this.#isClosed = true;
    this.#current?.client.close();
    for (const client of this.#retired) client.close();
  }

  #open({ ca, certificate: cert, key }: TlsMaterial): HttpClient {
    const { tls } = this.#config;
    const isUnverified = tls?.insecureSkipTlsVerify === true;
    return new HttpClient({
      ...this.#options.http,
      tls: { ca, cert, key, serverName: tls?.serverName, isUnverified },
      answer: this.#config.answer,
      proxyFor: () => this.#proxy,
    });
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
  { proxyUrl }: ConnectionConfig,
  server: URL,
  { environment }: ConnectionsOptions,
): URL | undefined {
  try {
    return proxyUrl ? parseProxy(proxyUrl) : environmentProxy(server, environment);
  } catch (error) {
    throw new KubeError('WG_KUBE_CONFIG', (error as Error).message, { cause: error });
  }
}
