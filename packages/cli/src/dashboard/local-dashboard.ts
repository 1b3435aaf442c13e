import { randomBytes } from 'node:crypto';
import {
  Dashboard,
  DashboardCore,
  OneTimeToken,
  type ReportedProblem,
  Sessions,
} from '@waygate/dashboard';
import type { AdminClient } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import { systemClock } from '@waygate/runtime';
import { version } from '../version.ts';
import { followedKinds } from './followed-kinds.ts';
import { gatewayTraceEngine } from './gateway-trace-engine.ts';
import { gitPreviewEngine } from './git-preview-engine.ts';
import { nginxMigrationEngine } from './nginx-migration-engine.ts';
import { taggedObject } from './tagged-object.ts';

interface LocalDashboardOptions {
  readonly client: KubeClient;
  /** The gateway's Admin API, once there is one; absent where there is none to look at. */
  readonly admin: (() => AdminClient | undefined) | undefined;
  readonly port: number;
  /** What the page calls the cluster. */
  readonly cluster: string;
  /** What it calls whoever looks at it. */
  readonly user: string;
  readonly namespace?: string | undefined;
  /** Whose routes the gateway gets; `kong` by default. */
  readonly ingressClass?: string | undefined;
  /** Where what was fetched for previews is kept; without it there are none. */
  readonly previews?:
    | { readonly directory: string; readonly defaultNamespace?: string }
    | undefined;
  /** Looks what cannot be translated, where no controller of this process tells it. */
  readonly reported?: ((signal: AbortSignal) => Promise<readonly ReportedProblem[]>) | undefined;
  readonly onError: (error: unknown) => void;
}

const lookMs = 10_000;

/** The dashboard for whoever sits at this machine: on loopback, with the rights that the client has. */
export class LocalDashboard {
  readonly core: DashboardCore;
  readonly #dashboard: Dashboard;
  readonly #door: OneTimeToken;
  readonly #options: LocalDashboardOptions;
  #port = 0;

  constructor(options: LocalDashboardOptions) {
    this.#options = options;
    const { client, admin, port, cluster, user, namespace, previews, onError } = options;
    this.core = new DashboardCore({
      client,
      kinds: followedKinds,
      namespace,
      gateway: admin,
      objectOf: taggedObject,
      onError,
    });
    // All ports of a host share its cookies: two dashboards must not sign each other out.
    const cookie = `waygate-${randomBytes(4).toString('hex')}`;
    const sessions = new Sessions({ cookie, isSecure: false, clock: systemClock });
    this.#door = new OneTimeToken(sessions, { name: user, key: 'owner', client });
    this.#dashboard = new Dashboard({
      core: this.core,
      signIns: [this.#door],
      port,
      cluster,
      version,
      trace: admin && gatewayTraceEngine(admin),
      preview:
        previews &&
        gitPreviewEngine({
          directory: () => previews.directory,
          allowFileUrls: true,
          ingressClass: options.ingressClass ?? 'kong',
          defaultNamespace: previews.defaultNamespace,
        }),
      migration: nginxMigrationEngine,
      onError,
    });
  }

  get port(): number {
    return this.#port;
  }

  async listen(): Promise<void> {
    this.#port = (await this.#dashboard.listen()).port;
  }

  /** An address that opens the door once. */
  openingUrl(): string {
    return `http://127.0.0.1:${this.#port}/?token=${this.#door.renew()}`;
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.core.run(signal), this.#dashboard.run(signal), this.#looks(signal)]);
  }

  /** Looks again and again, but not so often that it would be what the cluster is busy with. */
  async #looks(signal: AbortSignal): Promise<void> {
    const { reported, onError } = this.#options;
    if (reported === undefined) return;
    for (;;) {
      const startedMs = systemClock.monotonicMs();
      try {
        this.core.setReported(await reported(signal));
      } catch (error) {
        if (signal.aborted) return;
        onError(error);
      }
      const tookMs = systemClock.monotonicMs() - startedMs;
      if (!(await systemClock.sleep(Math.max(lookMs, tookMs * 20), signal))) return;
    }
  }
}
