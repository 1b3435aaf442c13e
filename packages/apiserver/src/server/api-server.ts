import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@waygate/schema';
import { DirectoryLock, isLoopback, makeStateDirectory, writeWholeFile } from '@waygate/text';
import { type Authorizer, allowAll } from '../access/authorizer.ts';
import { RbacAuthorizer } from '../access/rbac-authorizer.ts';
import { Authenticator, type StaticToken } from '../auth/authenticator.ts';
import { reviewHandlers } from '../auth/review-handlers.ts';
import { TokenIssuer, type TokenIssuerOptions } from '../auth/token-issuer.ts';
import { builtinStrategies, singleMachineStrategies } from '../builtins/strategies.ts';
import { bootstrapObjects } from '../controllers/bootstrap.ts';
import { bootstrapDefinitions, type OwnDefinitions } from '../controllers/bootstrap-definitions.ts';
import { publishOwnEndpoints } from '../controllers/own-endpoints.ts';
import type { Core } from '../core/core.ts';
import type { PodRuntime } from '../core/pod-runtime.ts';
import { definitionStrategy } from '../crd/definition-strategy.ts';
import { Discovery } from '../discovery/discovery.ts';
import { ServerMetrics } from '../discovery/metrics.ts';
import { OpenApi } from '../discovery/open-api.ts';
import { openIdPaths, rootPaths } from '../discovery/plain-paths.ts';
import { builtinResources } from '../resources/builtin-resources.ts';
import { type ClusterSettings, defaultClusterSettings } from '../resources/cluster-settings.ts';
import { Registry } from '../resources/registry.ts';
import { podHandlers } from '../rest/pod-handlers.ts';
import { DiskJournal } from '../storage/disk-journal.ts';
import type { HistoryLimits } from '../storage/event-history.ts';
import { type Journal, MemoryJournal } from '../storage/journal.ts';
import { Store } from '../storage/store.ts';
import { admissionGates } from './gates.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { type ClientTimeouts, Listener } from './listener.ts';
import { RequestHandler } from './request-handler.ts';
import { type ControllerName, controllerNames, startControllers } from './running-controllers.ts';
import { type GivenIdentity, servingIdentity } from './serving-identity.ts';

/** Where the API listens, what it keeps and where, and how far it trusts. */
export interface ApiServerOptions extends GivenIdentity {
  /** Where state is kept. Without it, the server forgets everything when it stops. */
  readonly dataDir?: string;
  /** 0 (the default) takes a free port. */
  readonly port?: number;
  /** Loopback unless told otherwise. */
  readonly host?: string;
  /** The token of the administrator; a random one when not given. */
  readonly adminToken?: string;
  /** Further users. */
  readonly tokens?: readonly StaticToken[];
  /** `RBAC` (the default) or no checks at all. */
  readonly authorization?: 'RBAC' | 'AlwaysAllow';
  /** Whether requests without credentials are let in as system:anonymous. Default true. */
  readonly allowsAnonymous?: boolean;
  /** Plain HTTP instead of TLS: for tests on loopback that want to save the handshake. */
  readonly insecure?: boolean;
  /** Whether endpoints may be on loopback, which Kubernetes refuses: Services are processes here. */
  readonly allowsLoopbackEndpoints?: boolean;
  /** What runs Pods, for their logs and ports. Nothing does by default. */
  readonly podRuntime?: PodRuntime | undefined;
  /** Whether quotas are counted, and so enforced. Default true. */
  readonly countsQuotas?: boolean;
  /** The loops that run, of those that are another process in Kubernetes; all unless told otherwise. */
  readonly controllers?: readonly ControllerName[];
  /** Addresses and ports of Services, and admission plugins that are off. */
  readonly cluster?: Partial<ClusterSettings>;
  /** Who signs the tokens of service accounts. */
  readonly serviceAccountTokens?: TokenIssuerOptions;
  /** The address at which the Service `kubernetes` finds this server; `host` unless told otherwise. */
  readonly advertisedAddress?: string;
  /** How long a client may take to send a request. */
  readonly clientTimeouts?: ClientTimeouts;
  /** Custom resources that are there from the first moment, unchecked: only one's own, known to be good. */
  readonly definitions?: OwnDefinitions;
  /** How much of the past is kept for watches. */
  readonly history?: Partial<HistoryLimits>;
  /** How often watches that ask for bookmarks get one. Default a minute. */
  readonly bookmarkPeriodMs?: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly log?: (line: string) => void;
}

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
  /** A connection for a client in this process: plain HTTP, past the port, with no rights of its own. */
  connect(): Socket;
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
    const store = new Store({
      journal,
      now,
      ...(options.history === undefined ? {} : { history: options.history }),
    });
    this.#store = store;
    const strategies =
      options.allowsLoopbackEndpoints === true ? singleMachineStrategies : builtinStrategies;
    const registry = new Registry(
      builtinResources({
        ...strategies,
        'customresourcedefinitions.apiextensions.k8s.io': definitionStrategy,
      }),
    );
    const core: Core = {
      store,
      registry,
      get admission() {
        return admission;
      },
      get authorizer() {
        return authorizer;
      },
      now,
      uuid: randomUUID,
      randomSuffix,
      log: this.#log,
      settings: { ...defaultClusterSettings, ...options.cluster },
      bookmarkPeriodMs: options.bookmarkPeriodMs ?? 60_000,
      podRuntime: options.podRuntime,
    };
    const tokens = new TokenIssuer(core, {
      ...(options.dataDir === undefined ? {} : { file: join(options.dataDir, 'pki', 'sa.key') }),
      ...options.serviceAccountTokens,
    });
    const adminToken = options.adminToken ?? this.#adminToken();
    const authenticator = new Authenticator(
      [
        { token: adminToken, username: 'admin', groups: ['system:masters'] },
        ...(options.tokens ?? []),
      ],
      [
        (token) => {
          const check = tokens.check(token);
          // A token for others is not one for us.
          return check.kind === 'valid' && tokens.isForUs(check.claims) ? check.user : undefined;
        },
      ],
      options.allowsAnonymous ?? true,
    );
    const rbac = new RbacAuthorizer(store);
    const authorizer: Authorizer = options.authorization === 'AlwaysAllow' ? allowAll : rbac;
    const admission = admissionGates(core, { authorizer, rbac });
    let address = '';
    let isReady = false;
    const metrics = new ServerMetrics(core);
    const handler = new RequestHandler({
      core,
      authenticator,
      authorizer,
      discovery: new Discovery(registry, () => address),
      special: new Map([...reviewHandlers({ authenticator, authorizer, tokens }), ...podHandlers]),
      paths: [
        openIdPaths(tokens, () => address),
        rootPaths(registry),
        metrics.handle,
        new OpenApi(registry).handle,
      ],
      // On loopback every page of the user's browser is a neighbour; with TLS, names are proved.
      ...(isLoopback(host) ? { pages: { host, isNameChecked: options.insecure === true } } : {}),
      health: { isReady: () => isReady, storageProblem: () => store.problem },
      observe: (exchange) => metrics.observe(exchange),
    });
    await bootstrapObjects(core);
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
    const listener = new Listener(listenerOptions, (request, response) =>
      handler.handle(request, response),
    );
    const port = await listener.listen(listenerOptions).catch(async (error: unknown) => {
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
      connect: () => listener.connect(),
      stop: async () => {
        isReady = false;
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

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

function randomSuffix(): string {
  return Array.from(randomBytes(5), (byte) => suffixAlphabet[byte % suffixAlphabet.length]).join(
    '',
  );
}
