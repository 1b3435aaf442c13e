import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DirectoryLock, isLoopback, makeStateDirectory, writeWholeFile } from '@waygate/text';
import { type Authorizer, allowAll } from '../access/authorizer.ts';
import { RbacAuthorizer } from '../access/rbac-authorizer.ts';
import { EscalationCheck } from '../admission/escalation.ts';
import { LimitRanger } from '../admission/limit-ranger.ts';
import { MutatingPolicyAdmission } from '../admission/mutating-policy-admission.ts';
import { NamespaceLifecycle } from '../admission/namespace-lifecycle.ts';
import { ParameterCheck } from '../admission/parameter-check.ts';
import { PolicyAdmission } from '../admission/policy-admission.ts';
import { QuotaAdmission } from '../admission/quota-admission.ts';
import { SigningCheck } from '../admission/signing-check.ts';
import { WebhookAdmission } from '../admission/webhook-admission.ts';
import { Authenticator, type StaticToken } from '../auth/authenticator.ts';
import { reviewHandlers } from '../auth/review-handlers.ts';
import { issuer, TokenIssuer } from '../auth/token-issuer.ts';
import { builtinStrategies, singleMachineStrategies } from '../builtins/strategies.ts';
import { bootstrapObjects } from '../controllers/bootstrap.ts';
import { DefinitionController } from '../controllers/definition-controller.ts';
import { EndpointsController } from '../controllers/endpoints-controller.ts';
import { GarbageCollector } from '../controllers/garbage-collector.ts';
import { NamespaceContentsController } from '../controllers/namespace-contents.ts';
import { NamespaceController } from '../controllers/namespace-controller.ts';
import { publishOwnEndpoints } from '../controllers/own-endpoints.ts';
import { QuotaController } from '../controllers/quota-controller.ts';
import { RoleAggregationController } from '../controllers/role-aggregation.ts';
import { TokenSecretController } from '../controllers/token-secrets.ts';
import { AdmissionChain } from '../core/admission.ts';
import type { Core } from '../core/core.ts';
import { definitionStrategy } from '../crd/definition-strategy.ts';
import { Discovery } from '../discovery/discovery.ts';
import { ServerMetrics } from '../discovery/metrics.ts';
import { OpenApi } from '../discovery/open-api.ts';
import { openIdPaths, rootPaths } from '../discovery/plain-paths.ts';
import { builtinResources } from '../resources/builtin-resources.ts';
import { Registry } from '../resources/registry.ts';
import { podHandlers } from '../rest/pod-handlers.ts';
import { DiskJournal } from '../storage/disk-journal.ts';
import type { HistoryLimits } from '../storage/event-history.ts';
import { type Journal, MemoryJournal } from '../storage/journal.ts';
import { Store } from '../storage/store.ts';
import { CertificateAuthority } from '../tls/certificate-authority.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { type ClientTimeouts, Listener } from './listener.ts';
import { RequestHandler } from './request-handler.ts';

/** Where the API listens, what it keeps and where, and how far it trusts. */
export interface ApiServerOptions {
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
  /** Whether quotas are counted, and so enforced. Default true. */
  readonly countsQuotas?: boolean;
  /** How long a client may take to send a request. */
  readonly clientTimeouts?: ClientTimeouts;
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
      bookmarkPeriodMs: options.bookmarkPeriodMs ?? 60_000,
    };
    const tokens = new TokenIssuer(
      core,
      options.dataDir === undefined ? undefined : join(options.dataDir, 'pki', 'sa.key'),
    );
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
          return check.kind === 'valid' && check.claims.aud.includes(issuer)
            ? check.user
            : undefined;
        },
      ],
      options.allowsAnonymous ?? true,
    );
    const rbac = new RbacAuthorizer(store);
    const authorizer: Authorizer = options.authorization === 'AlwaysAllow' ? allowAll : rbac;
    const admission = new AdmissionChain([
      new NamespaceLifecycle(store),
      new LimitRanger(store),
      // Policies before webhooks, those that change as well as those that judge.
      new MutatingPolicyAdmission(core, authorizer),
      new PolicyAdmission(core, authorizer),
      new WebhookAdmission(core, authorizer),
      // After all that change an object: what they put in is given by the same user.
      ...(authorizer === rbac ? [new EscalationCheck(rbac), new ParameterCheck(core)] : []),
      new SigningCheck(authorizer),
      // Last, so that nothing is charged for what another gate refuses.
      new QuotaAdmission(store),
    ]);
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
    const tls = options.insecure === true ? undefined : await this.#tls(host, now);
    const controllers = [
      new DefinitionController(core),
      new NamespaceController(core),
      new NamespaceContentsController(core, tls?.ca ?? ''),
      new GarbageCollector(core),
      new EndpointsController(core),
      new RoleAggregationController(core),
      ...(options.countsQuotas === false ? [] : [new QuotaController(core)]),
      new TokenSecretController(core, tokens, tls?.ca ?? ''),
    ];
    for (const controller of controllers) controller.start();
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
      for (const controller of controllers) await controller.stop();
      await store.close();
      throw error;
    });
    const shownHost = host.includes(':') ? `[${host}]` : host;
    address = `${shownHost}:${port}`;
    const url = `${tls === undefined ? 'http' : 'https'}://${address}`;
    if (options.allowsLoopbackEndpoints === true || !isLoopback(host))
      await publishOwnEndpoints(core, host, port);
    isReady = true;
    const caCertificate = tls?.ca ?? '';
    return {
      url,
      port,
      caCertificate,
      adminToken,
      kubeconfig: kubeconfigText({ url, caCertificate, token: adminToken }),
      stop: async () => {
        isReady = false;
        await listener.close();
        for (const controller of controllers) await controller.stop();
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

  async #tls(host: string, now: () => number) {
    const { dataDir } = this.#options;
    const authority =
      dataDir === undefined
        ? await CertificateAuthority.create(now)
        : await CertificateAuthority.open(join(dataDir, 'pki'), now);
    const names = new Set([
      host,
      '127.0.0.1',
      'localhost',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
    ]);
    names.delete('0.0.0.0');
    const { certificate, privateKey } = await authority.issueServer([...names]);
    return { certificate, privateKey, ca: authority.pem };
  }
}

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

function randomSuffix(): string {
  return Array.from(randomBytes(5), (byte) => suffixAlphabet[byte % suffixAlphabet.length]).join(
    '',
  );
}
