import { setMaxListeners } from 'node:events';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import {
  DirectorySource,
  GitOpsControllers,
  customResourceDefinitions as gitOpsDefinitions,
} from '@waygate/gitops';
import {
  gatewayApiDefinitions,
  IngressController,
  customResourceDefinitions as ingressDefinitions,
} from '@waygate/ingress';
import { AdminClient } from '@waygate/kong';
import { StorageError } from '@waygate/text';
import { appliedHappening } from '../dashboard/applied-happening.ts';
import { ingressHooks } from '../dashboard/ingress-hooks.ts';
import { LocalDashboard } from '../dashboard/local-dashboard.ts';
import { adminTokenFile } from './admin-address.ts';
import { BackendHost } from './backend-host.ts';
import { type EmbeddedApi, portTaken, startEmbeddedApi } from './embedded-api.ts';
import { type EmbeddedGateway, gatewayHost, startGateway } from './embedded-gateway.ts';
import type { GatewayPorts } from './gateway-process.ts';
import { applyObject, installDefinitions } from './install-objects.ts';
import { type ProjectFile, substitutions } from './project-file.ts';
import {
  baseObjects,
  gitRepositories,
  gitRepository,
  kustomizations,
  type ProjectSource,
  projectKustomization,
  projectName,
  systemNamespace,
} from './project-objects.ts';
import type { PortPlan, StateDirectory } from './state-directory.ts';

export interface StackOptions {
  readonly state: StateDirectory;
  /** Ports that were asked for; 0 takes the one of the last run, or any free one. */
  readonly ports: Pick<PortPlan, 'api' | 'http' | 'https' | 'admin' | 'dashboard'>;
  /** Whether the dashboard is served, too. */
  readonly hasDashboard: boolean;
  /** Whose web pages may use the Admin API. */
  readonly adminOrigins: readonly string[];
  readonly project?: { readonly file: ProjectFile; readonly source: ProjectSource } | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  /** Told of what a user should know even without asking for details. */
  readonly tell: (line: string) => void;
}

export interface StackAddresses {
  readonly apiUrl: string;
  readonly httpUrl: string;
  readonly httpsUrl: string;
  readonly adminUrl: string;
  readonly adminTokenFile: string;
  readonly kubeconfig: string;
  /** Opens the dashboard, once. */
  readonly dashboardUrl?: string;
}

/**
 * The whole line: API server and controllers in this process, the gateway and the project's backends in
 * processes of their own, and the project that they carry.
 */
export class Stack {
  readonly #options: StackOptions;
  readonly #controllers = new AbortController();
  readonly #running = new Map<string, Promise<unknown>>();
  #stopping: readonly string[] = [];
  #backends: BackendHost | undefined;
  #api: EmbeddedApi | undefined;
  #gateway: ReturnType<typeof gatewayHost> | undefined;
  #adminClient: AdminClient | undefined;
  #dashboard: LocalDashboard | undefined;

  constructor(options: StackOptions) {
    this.#options = options;
    // One listener for each part that runs: their number is no leak.
    setMaxListeners(0, this.#controllers.signal);
  }

  get client(): EmbeddedApi['client'] {
    if (this.#api === undefined) throw new Error('the stack has not been started');
    return this.#api.client;
  }

  /** Starts everything, or nothing: what was started before a failure is stopped again. */
  async start(): Promise<StackAddresses> {
    try {
      return await this.#start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Stops in the order of the line: first what acts, then what it acts on. */
  async stop(): Promise<void> {
    this.#controllers.abort();
    await Promise.allSettled(this.#running.values());
    await this.#adminClient?.close();
    this.#stopping = ['the gateway'];
    await this.#gateway?.stop();
    this.#stopping = ['the Kubernetes API'];
    await this.#api?.stop();
    this.#stopping = ['the backends'];
    await this.#backends?.stop();
    this.#stopping = [];
  }

  /** What has not stopped yet. */
  get stopping(): readonly string[] {
    return this.#running.size > 0 ? [...this.#running.keys()] : this.#stopping;
  }

  async #start(): Promise<StackAddresses> {
    const { state, log } = this.#options;
    const before = state.readPorts();
    const pick = (wanted: number, last: number): number => (wanted === 0 ? last : wanted);
    const { ports } = this.#options;
    const token = state.secret(adminTokenFile);
    const [backends, api, gateway] = await allStarted([
      this.#startBackends(before),
      this.#startApi(pick(ports.api, before.api)),
      this.#startGateway(
        {
          http: pick(ports.http, before.http),
          https: pick(ports.https, before.https),
          admin: pick(ports.admin, before.admin),
        },
        token.value,
      ),
    ]);
    const kubeconfig = state.write('kubeconfig', api.server.kubeconfig);
    const signal = this.#controllers.signal;
    await installDefinitions(
      api.client,
      [...ingressDefinitions(), ...gatewayApiDefinitions(), ...gitOpsDefinitions()],
      signal,
    );
    for (const [kind, object] of baseObjects()) await applyObject(api.client, kind, object, signal);
    const headers = { 'Kong-Admin-Token': token.value };
    this.#adminClient = new AdminClient({ url: gateway.adminUrl, headers });
    await this.#startDashboard(api, pick(ports.dashboard, before.dashboard));
    this.#startIngress(api, this.#adminClient);
    this.#startGitOps(api);
    // Only the next run asks for them: a full disk keeps nobody from starting.
    try {
      state.writePorts({
        api: api.server.port,
        ...gateway.ports,
        dashboard: this.#dashboard?.port ?? before.dashboard,
        backends: Object.fromEntries(backends.ports),
      });
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      log(`${error.message}; the next run takes other ports`);
    }
    await this.#applyProject(api, backends);
    log('everything is started');
    return {
      apiUrl: api.server.url,
      httpUrl: `http://127.0.0.1:${gateway.ports.http}`,
      httpsUrl: `https://127.0.0.1:${gateway.ports.https}`,
      adminUrl: gateway.adminUrl,
      adminTokenFile: token.path,
      kubeconfig,
      ...(this.#dashboard && { dashboardUrl: this.#dashboard.openingUrl() }),
    };
  }

  async #startBackends(before: PortPlan): Promise<BackendHost> {
    const { project, env, log } = this.#options;
    this.#backends = new BackendHost();
    const order = {
      backends: project?.file.backends ?? [],
      directory: project?.source.directory ?? '.',
      preferredPorts: before.backends,
    };
    await this.#backends.start(order, log, env);
    return this.#backends;
  }

  async #startApi(port: number): Promise<EmbeddedApi> {
    const { state, log } = this.#options;
    const dataDirectory = state.isKept ? state.of('api') : undefined;
    this.#api = await startEmbeddedApi({ dataDirectory, port, log });
    return this.#api;
  }

  async #startGateway(ports: GatewayPorts, token: string): Promise<EmbeddedGateway> {
    const { state, log, tell, env, adminOrigins } = this.#options;
    // On disk even when nobody asked to keep it: a gateway that is started again knows its routes.
    const directory = state.of('gateway');
    this.#gateway = gatewayHost({ directory, ports, token, adminOrigins, env, log, tell });
    return startGateway(this.#gateway);
  }

  async #startDashboard(api: EmbeddedApi, port: number): Promise<void> {
    if (!this.#options.hasDashboard) return;
    const { project, log } = this.#options;
    const dashboard = new LocalDashboard({
      client: api.client,
      admin: this.#adminClient,
      port,
      cluster: project === undefined ? 'waygate up' : basename(project.source.directory),
      user: userInfo().username,
      previews: { directory: this.#options.state.of('previews'), defaultNamespace: 'default' },
      onError: (error) => log(`dashboard: ${textOf(error)}`),
    });
    await dashboard.listen().catch((error: NodeJS.ErrnoException) => {
      throw portTaken(error, 'the dashboard', port, '--dashboard-port');
    });
    this.#dashboard = dashboard;
    this.#run('the dashboard', dashboard.run(this.#controllers.signal));
  }

  #startIngress(api: EmbeddedApi, kongAdmin: AdminClient): void {
    const core = this.#dashboard?.core;
    const controller = new IngressController({
      client: api.client,
      kongAdmin,
      ...(core && ingressHooks(core)),
      leaderElection: false,
      publishStatusAddress: ['127.0.0.1'],
      onLog: ({ level, message }) => {
        if (level !== 'debug') this.#options.log(`ingress: ${message}`);
      },
    });
    this.#run('the ingress controller', controller.run(this.#controllers.signal));
  }

  #startGitOps(api: EmbeddedApi): void {
    const core = this.#dashboard?.core;
    const onError = (error: unknown): void => this.#options.log(`gitops: ${textOf(error)}`);
    const controllers = new GitOpsControllers({
      client: api.client,
      storageDirectory: this.#options.state.of('artifacts'),
      // The project is the user's own, on the user's own machine.
      allowFileUrls: true,
      watchFileUrls: true,
      defaultNamespace: 'default',
      onApplied: core && ((applied) => core.noteApplied(appliedHappening(applied))),
      onError,
    });
    const { signal } = this.#controllers;
    this.#run('the GitOps controllers', controllers.run(signal));
    const source = this.#options.project?.source;
    if (source?.kind !== 'ExternalArtifact') return;
    const directory = new DirectorySource({
      client: api.client,
      storage: controllers.storage,
      directory: source.directory,
      name: projectName,
      namespace: systemNamespace,
      onError,
    });
    this.#run(
      'the directory',
      controllers.ready.then(() => directory.run(signal)),
    );
  }

  async #applyProject(api: EmbeddedApi, backends: BackendHost): Promise<void> {
    const { project } = this.#options;
    if (project === undefined) return;
    const { signal } = this.#controllers;
    const { source, file } = project;
    if (source.kind === 'GitRepository')
      await applyObject(api.client, gitRepositories, gitRepository(source), signal);
    const variables = substitutions(file, backends.ports);
    const kustomization = projectKustomization(source, file.path, variables);
    await applyObject(api.client, kustomizations, kustomization, signal);
  }

  #run(what: string, task: Promise<unknown>): void {
    const ended = task
      .catch((error: unknown) => {
        if (!this.#controllers.signal.aborted)
          this.#options.log(`${what} stopped: ${textOf(error)}`);
      })
      .finally(() => this.#running.delete(what));
    this.#running.set(what, ended);
  }
}

/** Waits for all of them even when one fails, so that what is to be stopped then is known. */
async function allStarted<T extends readonly unknown[]>(
  parts: { [K in keyof T]: Promise<T[K]> },
): Promise<T> {
  await Promise.allSettled(parts);
  return Promise.all(parts) as unknown as Promise<T>;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
