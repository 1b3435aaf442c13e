import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@waygate/schema';
import {
  DirectoryLock,
  isLoopback,
  makeStateDirectory,
  type Send,
  writeWholeFile,
} from '@waygate/text';
import { bootstrapApiServices } from '../controllers/api-services.ts';
import { bootstrapObjects } from '../controllers/bootstrap.ts';
import { bootstrapDefinitions } from '../controllers/bootstrap-definitions.ts';
import { publishOwnEndpoints } from '../controllers/own-endpoints.ts';
import { DiskJournal } from '../storage/disk-journal.ts';
import { type Journal, MemoryJournal } from '../storage/journal.ts';
import { Store } from '../storage/store.ts';
import type { ApiServerOptions } from './api-server-options.ts';
import { assembleServer } from './assemble-server.ts';
import type { RequestListener } from './http2-door.ts';
import { InsideDoor } from './inside-door.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { Listener } from './listener.ts';
import { type ControllerName, controllerNames, startControllers } from './running-controllers.ts';
import { servingIdentity } from './serving-identity.ts';

/** A server that is up. */
export interface RunningApiServer {
  readonly url: string;
  readonly port: number;
  /** A kubeconfig for the administrator. It holds a secret. */
  readonly kubeconfig: string;
  /** PEM; empty when the server is insecure. */
  readonly caCertificate: string;
  readonly adminToken: string;
  /** Those of the definitions brought along that are stored in another form: for the caller to apply. */
  readonly differentDefinitions: readonly CustomResourceDefinition[];
  /** Answers a client in this process, past the port: like any other, and with no rights of its own. */
  readonly answer: Send;
  stop(): Promise<void>;
}

/**
 * The embedded Kubernetes API.
 *
 * ```ts
 * const server = await new ApiServer().start();
 * // … kubectl --kubeconfig <(echo "$kubeconfig") get namespaces
 * await server.stop();
 * ```
 */
export class ApiServer {
  readonly #options: ApiServerOptions;
  #store: Store | undefined;

  constructor(options: ApiServerOptions = {}) {
    this.#options = options;
  }

  /** @throws StorageError when another process has the data directory, or what is in it is damaged */
  async start(): Promise<RunningApiServer> {
    const { dataDir } = this.#options;
    if (dataDir === undefined) return this.#start(new MemoryJournal(), async () => undefined);
    makeStateDirectory(dataDir);
    const lock = await DirectoryLock.acquire(dataDir);
    let journal: DiskJournal | undefined;
    try {
      journal = await DiskJournal.open({ dataDir, log: this.#log });
      return await this.#start(journal, () => lock.release());
    } catch (error) {
      await journal?.close();
      await lock.release();
      throw error;
    }
  }

  get #log(): (line: string) => void {
    return this.#options.log ?? ((line) => process.stderr.write(`${line}\n`));
  }

  async #start(journal: Journal, unlock: () => Promise<void>): Promise<RunningApiServer> {
    const options = this.#options;
    const now = options.now ?? Date.now;
    const host = options.host ?? '127.0.0.1';
    const { history } = options;
    const store = new Store({ journal, now, ...(history === undefined ? {} : { history }) });
    this.#store = store;
    const adminToken = options.adminToken ?? this.#adminToken();
    let address = '';
    let isReady = false;
    const { core, tokens, handler } = assembleServer(store, {
      options: { ...options, now, host, adminToken, log: this.#log },
      address: () => address,
      isReady: () => isReady,
    });
    await bootstrapObjects(core);
    await bootstrapApiServices(core);
    const { definitions } = options;
    const differentDefinitions =
      definitions === undefined ? [] : await bootstrapDefinitions(core, definitions);
    const tls =
      options.insecure === true
        ? undefined
        : await servingIdentity(options, { dataDir: options.dataDir, host, now });
    const caCertificate = tls?.ca ?? '';
    const controllers = startControllers({ core, tokens, caCertificate }, chosen(options));
    const listenerOptions = {
      host,
      port: options.port ?? 0,
      ...(tls === undefined ? {} : { tls }),
      ...(options.clientTimeouts === undefined ? {} : { timeouts: options.clientTimeouts }),
    };
    const onRequest: RequestListener = (request, response) => handler.handle(request, response);
    const listener = new Listener(listenerOptions, onRequest);
    const inside = new InsideDoor(onRequest);
    const port = await listener.listen().catch(async (error: unknown) => {
      // A port that is taken must not leave loops and an open store behind.
      await controllers.stop();
      await store.close();
      throw error;
    });
    const shownHost = host.includes(':') ? `[${host}]` : host;
    address = `${shownHost}:${port}`;
    const url = `${tls === undefined ? 'http' : 'https'}://${address}`;
    const advertised = options.advertisedAddress ?? host;
    if (options.allowsLoopbackEndpoints === true || !isLoopback(advertised))
      await publishOwnEndpoints(core, advertised, port);
    isReady = true;
    return {
      url,
      port,
      caCertificate,
      adminToken,
      differentDefinitions,
      kubeconfig: kubeconfigText({ url, caCertificate, token: adminToken }),
      answer: inside.answer,
      stop: async () => {
        isReady = false;
        inside.close();
        await listener.close();
        await controllers.stop();
        await store.close();
        await unlock();
      },
    };
  }

  /** Drops the history of watches up to now, as a compaction of etcd would. */
  compact(): void {
    this.#store?.compact();
  }

  /** Kept with the data, so that a kubeconfig outlives a restart. */
  #adminToken(): string {
    const { dataDir } = this.#options;
    if (dataDir === undefined) return randomBytes(24).toString('base64url');
    const file = join(dataDir, 'admin.token');
    if (existsSync(file)) return readFileSync(file, 'utf8').trim();
    const token = randomBytes(24).toString('base64url');
    writeWholeFile(file, `${token}\n`);
    return token;
  }
}

function chosen({ controllers, countsQuotas }: ApiServerOptions): readonly ControllerName[] {
  const names = controllers ?? controllerNames;
  return countsQuotas === false
    ? names.filter((name) => name !== 'resourcequota-controller')
    : names;
}
