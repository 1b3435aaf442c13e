import type { NginxOptions } from '@waygate/ingress';
import type { RouterFlavor } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import type { Tracer } from '@waygate/runtime';
import type { RunLogSubject } from '../runs/run-log.ts';
import type { PortPlan } from '../runs/run-registry.ts';
import type { EarlyProcesses } from './early-processes.ts';
import type { GatewayAddressBook } from './gateway-address-book.ts';
import type { OpenProject } from './open-project.ts';
import type { UpProblem } from './problem-board.ts';
import type { StateDirectory } from './state-directory.ts';

export interface StackOptions {
  readonly state: StateDirectory;
  /** Ports that were asked for; 0 takes the one of the last run, or any free one. */
  readonly ports: Pick<PortPlan, 'api' | 'http' | 'https' | 'admin' | 'dashboard'>;
  /** Whether the dashboard is served, too. */
  readonly hasDashboard: boolean;
  /** Whose web pages may use the Admin API. */
  readonly adminOrigins: readonly string[];
  readonly routerFlavor: RouterFlavor;
  /** Gives each Gateway an address to itself, if that is wanted. */
  readonly gatewayAddresses?: GatewayAddressBook | undefined;
  /** Serves Ingresses of ingress-nginx' class, too. */
  readonly nginx?: NginxOptions | undefined;
  /** The ports of an earlier run: taken again where they are free. */
  readonly lastPorts: PortPlan;
  readonly project?: OpenProject | undefined;
  /** Those of its processes that run already. */
  readonly early: EarlyProcesses;
  /** Told of each revision on its way, where somebody asked for that. */
  readonly tracer?: Tracer | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string, level?: 'info' | 'error', about?: RunLogSubject) => void;
  /** Told of what a user should know even without asking for details. */
  readonly tell: (line: string) => void;
  /**
   * Told when the API answers, with a signal that aborts before the API stops; nothing of the project comes before
   * what it returns has resolved.
   */
  readonly onApi: (client: KubeClient, stopping: AbortSignal) => Promise<unknown>;
  /** Told of each line that a process behind a Service prints. */
  readonly onLine: (label: string, text: string) => void;
  /** Told of what is wrong now, by who finds it so. */
  readonly onProblems: (source: string, problems: readonly UpProblem[]) => void;
  /** Told of which processes run behind Services, and of the ports. */
  readonly onProcesses: (now: {
    readonly processIds: readonly number[];
    readonly ports: PortPlan;
    readonly following?: string;
  }) => void;
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
