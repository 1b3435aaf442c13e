import { setMaxListeners } from 'node:events';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RefusedListener } from '@waygate/gateway';
import { customResourceDefinitions as gitOpsDefinitions } from '@waygate/gitops';
import {
  gatewayApiDefinitions,
  IngressController,
  customResourceDefinitions as ingressDefinitions,
} from '@waygate/ingress';
import { AdminClient } from '@waygate/kong';
import { StorageError } from '@waygate/text';
import { appliedHappening } from '../dashboard/applied-happening.ts';
import { IngressHooks } from '../dashboard/ingress-hooks.ts';
import { LocalDashboard } from '../dashboard/local-dashboard.ts';
import { type ProjectFile, substitutions } from '../project/project-file.ts';
import { type PortPlan, stateHome } from '../runs/run-registry.ts';
import { adminTokenFile } from './admin-address.ts';
import { type EmbeddedApi, portTaken, startEmbeddedApi } from './embedded-api.ts';
import { type EmbeddedGateway, gatewayHost, startGateway } from './embedded-gateway.ts';
import { startGitOps } from './embedded-gitops.ts';
import { followBranch } from './follow-branch.ts';
import { FurtherPorts } from './further-ports.ts';
import type { GatewayPorts } from './gateway-process.ts';
import { applyObject, fieldManager, installDefinitions } from './install-objects.ts';
import { LocalServices } from './local-services.ts';
import type { OpenProject } from './open-project.ts';
import { ProblemWatch } from './problem-watch.ts';
import { baseObjects, kustomizations, projectKustomization } from './project-objects.ts';
import type { StackAddresses, StackOptions } from './stack-options.ts';
import { allStarted, pickPort, resolvable } from './start-order.ts';

/** For how long a project that does not come keeps back what only looks on. */
const appliedMostMs = 2_000;
/** From a project that was applied until its routes are served, where that does not show: it may have none. */
const routedMostMs = 600;

/**
 * The whole line: API server and controllers in this process, the gateway and the project's backends in
 * processes of their own, and the project that they carry.
 */
export class Stack {
  readonly #options: StackOptions;
  readonly #controllers = new AbortController();
  readonly #running = new Map<string, Promise<unknown>>();
  #stopping: readonly string[] = [];
  readonly #services: LocalServices;
  #ports: PortPlan;
  #substitutes: ReadonlyMap<string, number> = new Map();
  #api: EmbeddedApi | undefined;
  #gateway: ReturnType<typeof gatewayHost> | undefined;
  readonly #further = new FurtherPorts(
    async (ports) => (await this.#gateway?.call(ports)) as readonly RefusedListener[],
  );
  #adminClient: AdminClient | undefined;
  #dashboard: LocalDashboard | undefined;
  #hooks: IngressHooks | undefined;
  #problems: ProblemWatch | undefined;
  readonly #applied = resolvable();
  /** The gateway was given something after the project was applied. */
  readonly #routed = resolvable();
  #isApplied = false;

  constructor(options: StackOptions) {
    this.#options = options;
    this.#ports = options.lastPorts;
    const { project, env, lastPorts, log, tell } = options;
    this.#services = new LocalServices({
      file: project?.file,
      directory: project?.directory ?? '.',
      env,
      owner: options.early.owner,
      lastPorts: lastPorts.backends,
      onLine: options.onLine,
      tell,
      log,
      onProblems: (problems) => options.onProblems('services', problems),
      onProcesses: () => this.#noteProcesses(),
    });
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
    const parts: readonly [string, () => Promise<unknown> | undefined][] = [
      ['the Admin API client', () => this.#adminClient?.close()],
      ['the gateway', () => this.#gateway?.stop()],
      ['the Kubernetes API', () => this.#api?.stop()],
      ['the processes behind Services', () => this.#services.stop()],
    ];
    for (const [what, end] of parts) {
      this.#stopping = [what];
      // One that fails to stop keeps none of the others running.
      await end()?.catch((error: unknown) => this.#options.log(`${what}: ${textOf(error)}`));
    }
    this.#stopping = [];
  }

  /** What has not stopped yet. */
  get stopping(): readonly string[] {
    return this.#running.size > 0 ? [...this.#running.keys()] : this.#stopping;
  }

  async #start(): Promise<StackAddresses> {
    const { state, ports, lastPorts: before, log } = this.#options;
    const token = state.secret(adminTokenFile);
    const signal = this.#controllers.signal;
    const backends = this.#services.startBackends();
    // The controllers of the project need no gateway, and have much to do before routes can be made.
    const [api, gateway] = await allStarted([
      pickPort(ports.api, before.api).then(async (port) => {
        const started = await this.#startApi(port);
        log('the Kubernetes API is started');
        await this.#makeDashboard(started);
        await this.#installBase(started);
        log('definitions and classes are there');
        this.#startGitOps(started);
        this.#substitutes = await backends;
        log('the backends have their ports');
        await this.#options.onApi(started.client, signal);
        await this.#applyProject(started);
        log('the project is known to the API');
        return started;
      }),
      this.#pickGatewayPorts().then((picked) => this.#startGateway(picked, token.value)),
      backends,
    ]);
    const kubeconfig = state.write('kubeconfig', api.server.kubeconfig);
    log('the gateway is started');
    const headers = { 'Kong-Admin-Token': token.value };
    this.#adminClient = new AdminClient({ url: gateway.adminUrl, headers });
    this.#startIngress(api, this.#adminClient);
    await this.#dashboard?.listen().catch((error: NodeJS.ErrnoException & { port?: number }) => {
      throw portTaken(error, 'the dashboard', error.port ?? 0, '--dashboard-port');
    });
    const services = (): Promise<void> => this.#services.run(api.client, signal);
    // Without anything to run, Services are only looked at.
    if (this.#services.hasBindings) this.#run('what stands in for Services', services());
    const looking = this.#services.hasBindings ? undefined : services;
    this.#run('what looks on', this.#lookOn(this.#watchProblems(api), looking, signal));
    this.#ports = {
      api: api.server.port,
      ...gateway.ports,
      dashboard: this.#dashboard?.port ?? before.dashboard,
      backends: this.#services.ports,
    };
    this.#keepPorts();
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

  /** The ports of this run, once it is started. */
  get portPlan(): PortPlan {
    return { ...this.#ports, backends: { ...this.#ports.backends, ...this.#services.ports } };
  }

  /** What runs behind Services now. */
  get processIds(): readonly number[] {
    return this.#services.processIds;
  }

  /** The project was applied: what is not there then is missing. */
  noteApplied(): void {
    this.#isApplied = true;
    this.#options.log('the project is applied');
    this.#applied.resolve();
    this.#services.noteApplied();
    this.#problems?.noteApplied();
  }

  /** Another `waygate.yaml`: what stands in for Services, and the variables, hold from now on. */
  setProjectFile(file: ProjectFile): void {
    this.#services.setFile(file);
    const { project, log } = this.#options;
    if (project === undefined || this.#api === undefined) return;
    this.#applyKustomization(this.#api, { ...project, file }).catch((error: unknown) =>
      log(`the project could not be applied anew: ${textOf(error)}`),
    );
  }

  async #pickGatewayPorts(): Promise<GatewayPorts> {
    const { ports, lastPorts: before } = this.#options;
    return {
      http: await pickPort(ports.http, before.http),
      https: await pickPort(ports.https, before.https),
      admin: await pickPort(ports.admin, before.admin),
    };
  }

  #noteProcesses(): void {
    const { processIds } = this.#services;
    this.#options.onProcesses({ processIds, ports: this.portPlan });
  }

  #watchProblems(api: EmbeddedApi): ProblemWatch {
    const { onProblems, nginx, project, log } = this.#options;
    const core = this.#dashboard?.core;
    const hooks = this.#hooks;
    this.#problems = new ProblemWatch({
      client: api.client,
      nginx,
      services: this.#services,
      view: core && hooks && { core, hooks },
      // It may be there before the gateway is, and so before anybody watches.
      hasProject: project !== undefined && !this.#isApplied,
      onProblems,
      onError: (error) => log(`the watch for problems: ${textOf(error)}`),
    });
    return this.#problems;
  }

  /** Only the next run asks for them: a full disk keeps nobody from starting. */
  #keepPorts(): void {
    try {
      this.#options.state.writePorts(this.portPlan);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#options.log(`${error.message}; the next run takes other ports`);
    }
  }

  async #startApi(port: number): Promise<EmbeddedApi> {
    const { state, log } = this.#options;
    const dataDirectory = state.isKept ? state.of('api') : undefined;
    this.#api = await startEmbeddedApi({
      dataDirectory,
      port,
      log,
      podRuntime: this.#services.pods,
      definitions: {
        fieldManager,
        objects: [...ingressDefinitions(), ...gatewayApiDefinitions(), ...gitOpsDefinitions()],
      },
    });
    return this.#api;
  }

  async #startGateway(ports: GatewayPorts, token: string): Promise<EmbeddedGateway> {
    const { state, log, tell, env, early, adminOrigins, routerFlavor: flavor } = this.#options;
    // On disk even when nobody asked to keep it: a gateway that is started again knows its routes.
    const directory = state.of('gateway');
    const further = this.#further.all;
    const certificateDirectory = join(stateHome(env), 'tls');
    const order = { directory, certificateDirectory, ports, token, adminOrigins, flavor, further };
    this.#gateway = gatewayHost({ ...order, env, early: early.gateway, log, tell });
    return startGateway(this.#gateway);
  }

  async #makeDashboard(api: EmbeddedApi): Promise<void> {
    const { hasDashboard, project, log, ports, lastPorts } = this.#options;
    if (!hasDashboard) return;
    this.#dashboard = new LocalDashboard({
      client: api.client,
      admin: () => this.#adminClient,
      port: await pickPort(ports.dashboard, lastPorts.dashboard),
      cluster: project === undefined ? 'waygate up' : basename(project.source.directory),
      user: userInfo().username,
      previews: { directory: this.#options.state.of('previews'), defaultNamespace: 'default' },
      onError: (error) => log(`dashboard: ${textOf(error)}`),
    });
  }

  /** What only looks on waits until the project is there: the first request must not wait for it. */
  async #lookOn(
    problems: ProblemWatch,
    services: (() => Promise<void>) | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const wait = (ms: number): Promise<void> =>
      sleep(ms, undefined, { signal }).catch(() => undefined);
    if (this.#options.project !== undefined) {
      await Promise.race([this.#applied.promise, wait(appliedMostMs)]);
      await Promise.race([this.#routed.promise, wait(routedMostMs)]);
    }
    // Also when it is over by now: what listens already is to be closed.
    await Promise.all([this.#dashboard?.run(signal), problems.run(signal), services?.()]);
  }

  #startIngress(api: EmbeddedApi, kongAdmin: AdminClient): void {
    const core = this.#dashboard?.core;
    const { gatewayAddresses: book, nginx, tracer } = this.#options;
    this.#hooks = core && new IngressHooks(core);
    const controller = new IngressController({
      client: api.client,
      kongAdmin,
      tracer,
      onPass: (report) => {
        if (this.#isApplied) this.#routed.resolve();
        this.#hooks?.onPass(report);
      },
      ...(this.#hooks && { onWritten: this.#hooks.onWritten }),
      leaderElection: false,
      publishStatusAddress: ['127.0.0.1'],
      gatewayAddressing: book && this.#further.addressing(book),
      ...(nginx && { translate: { nginx }, openStreamPorts: this.#further.openStreams }),
      onLog: ({ level, message }) => {
        if (level !== 'debug')
          this.#options.log(`ingress: ${message}`, level === 'error' ? 'error' : 'info');
      },
    });
    this.#run('the ingress controller', controller.run(this.#controllers.signal));
  }

  #startGitOps({ client }: EmbeddedApi): void {
    const core = this.#dashboard?.core;
    startGitOps({
      client,
      state: this.#options.state,
      source: this.#options.project?.source,
      tracer: this.#options.tracer,
      onApplied: core && ((applied) => core.noteApplied(appliedHappening(applied))),
      log: this.#options.log,
      run: (what, start) => this.#run(what, start(this.#controllers.signal)),
    });
  }

  /** What is there before the project: definitions, and the classes that routes name. */
  async #installBase({ client, server }: EmbeddedApi): Promise<void> {
    const { signal } = this.#controllers;
    await installDefinitions(client, server.differentDefinitions, signal);
    const objects = baseObjects(this.#options.nginx !== undefined);
    await Promise.all(objects.map(([kind, object]) => applyObject(client, kind, object, signal)));
  }

  async #applyProject(api: EmbeddedApi): Promise<void> {
    const { project } = this.#options;
    if (project === undefined) return;
    if (project.source.kind === 'GitRepository') {
      await followBranch(api.client, project.source, this.#controllers.signal, {
        log: this.#options.log,
        onFollowed: (following) => {
          this.#options.tell(following);
          const { processIds } = this.#services;
          this.#options.onProcesses({ processIds, ports: this.portPlan, following });
        },
      });
    }
    await this.#applyKustomization(api, project);
  }

  async #applyKustomization(api: EmbeddedApi, project: OpenProject): Promise<void> {
    const variables = substitutions(project.file, this.#substitutes);
    const kustomization = projectKustomization(project.source, project.path, variables);
    await applyObject(api.client, kustomizations, kustomization, this.#controllers.signal);
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

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
