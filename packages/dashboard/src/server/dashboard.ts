import type { AddressInfo } from 'node:net';
import type { Session } from '../protocol/pages.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import { topicNames } from '../stream/hub.ts';
import type { ApiCall, ApiHandler } from './api-call.ts';
import { DashboardServer, type DashboardServerOptions } from './dashboard-server.ts';
import { type PageHandlersOptions, pageHandlers } from './page-handlers.ts';
import { streamPage } from './page-stream.ts';
import { Snapshots } from './snapshot.ts';
import { builtPageDirectory } from './static-files.ts';

export interface DashboardOptions
  extends PageHandlersOptions,
    Omit<DashboardServerOptions, 'api' | 'pageDirectory' | 'onError' | 'signIns'> {
  readonly signIns: readonly SignIn[];
  /** What people call the cluster. */
  readonly cluster: string;
  /** Of this program. */
  readonly version: string;
  /** Where the built page lies; beside this package by default. */
  readonly pageDirectory?: string | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * The dashboard as a whole: what is followed, and who is shown it. The room's README shows its use.
 *
 * ```ts
 * const core = new DashboardCore({
 *   client,
 *   kinds: [kinds.Ingress as unknown as Kind],
 *   objectOf: () => undefined,
 * });
 * const sessions = new Sessions({ cookie: 'waygate', isSecure: true, clock: systemClock });
 * const signIns = [new BearerToken(new People(client.config), sessions, systemClock)];
 * const dashboard = new Dashboard({ core, signIns, cluster: 'staging', version: '1' });
 * const { port } = await dashboard.listen();
 * await Promise.all([core.run(signal), dashboard.run(signal)]);
 * ```
 */
export class Dashboard {
  readonly #options: DashboardOptions;
  readonly #snapshots: Snapshots;
  readonly #server: DashboardServer;

  constructor(options: DashboardOptions) {
    this.#options = options;
    const { core, pageDirectory = builtPageDirectory(), onError = () => undefined } = options;
    this.#snapshots = new Snapshots(core.hub, core.clock);
    this.#server = new DashboardServer({
      ...options,
      pageDirectory,
      onError,
      api: this.#handlers(),
    });
  }

  async listen(): Promise<AddressInfo> {
    return this.#server.listen();
  }

  /** Serves until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await this.#server.close();
  }

  #handlers(): ReadonlyMap<string, ApiHandler> {
    const { core } = this.#options;
    const handlers = new Map<string, ApiHandler>([
      ...pageHandlers(this.#options),
      ['GET /api/session', (call) => this.#session(call)],
      ['GET /api/stream', (call) => this.#stream(call)],
    ]);
    for (const topic of topicNames)
      handlers.set(`GET /api/${topic}`, async ({ session }) =>
        this.#snapshots.text(topic, await core.rights.of(session.person)),
      );
    return handlers;
  }

  async #session({ session }: ApiCall): Promise<Session> {
    const { cluster, version, core, migration } = this.#options;
    const { person, csrfToken } = session;
    // An API that cannot be asked keeps nobody from seeing that; what they see is asked for anew.
    const rights = await core.rights.of(person).catch(() => undefined);
    const namespaces = rights && core.namespacesFor(rights);
    return {
      user: person.name,
      csrfToken,
      cluster,
      version,
      ...(namespaces === undefined ? {} : { namespaces }),
      ...(migration !== undefined && rights && core.view.hasNginxIngresses(rights)
        ? { hasMigration: true }
        : {}),
    };
  }

  async #stream({ request, response, url, session, signal, isSignedIn }: ApiCall): Promise<void> {
    const { core } = this.#options;
    const { hub, clock, rights } = core;
    await streamPage(request, response, url, {
      hub,
      clock,
      rights: () => rights.of(session.person),
      newNeeds: () => core.newNeeds,
      isSignedIn,
      signal,
    });
  }
}
