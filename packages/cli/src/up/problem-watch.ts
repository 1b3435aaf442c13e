import type { DashboardCore, ProblemRow } from '@waygate/dashboard';
import type { NginxOptions, UnservedRoute } from '@waygate/ingress';
import type { KubeClient } from '@waygate/kube';
import type { IngressHooks } from '../dashboard/ingress-hooks.ts';
import { unservedProblems } from '../dashboard/translation-problems.ts';
import { ChartPlaces } from './chart-places.ts';
import { watchClusterProblems } from './cluster-problems.ts';
import type { LocalServices } from './local-services.ts';
import type { UpProblem } from './problem-board.ts';
import { RouteWatch } from './route-watch.ts';

interface ProblemWatchOptions {
  readonly client: KubeClient;
  readonly nginx: NginxOptions | undefined;
  readonly services: Pick<LocalServices, 'isAbout'>;
  /** The dashboard's view of the cluster, and who reports to it; undefined without a dashboard. */
  readonly view: { readonly core: DashboardCore; readonly hooks: IngressHooks } | undefined;
  /** Whether there is a project that is still to be applied. */
  readonly hasProject: boolean;
  readonly onProblems: (source: string, problems: readonly UpProblem[]) => void;
  readonly onError: (error: unknown) => void;
}

/** Tells what is wrong from where it is known: the routes here, all else by the dashboard's view. */
export class ProblemWatch {
  readonly #options: ProblemWatchOptions;
  readonly #routes: RouteWatch;
  #isApplied: boolean;

  constructor(options: ProblemWatchOptions) {
    const { client, nginx, onError } = options;
    this.#options = options;
    this.#isApplied = !options.hasProject;
    this.#routes = new RouteWatch({
      client,
      nginx,
      isApplied: () => this.#isApplied,
      onUnserved: (routes) => this.#onUnserved(routes),
      onError,
    });
  }

  /** The project was applied: what is not there then is missing. */
  noteApplied(): void {
    if (this.#isApplied) return;
    this.#isApplied = true;
    this.#routes.look();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, view, services, onProblems } = this.#options;
    const isKnown = (row: ProblemRow): boolean => services.isAbout(row) || isWaitingForSource(row);
    const onCluster = (problems: readonly UpProblem[]): void => onProblems('cluster', problems);
    await Promise.all([
      this.#routes.run(signal),
      view && watchClusterProblems(view.core, new ChartPlaces(client), isKnown, onCluster, signal),
    ]);
  }

  /** The dashboard shows them among all others, and so they come back with these. */
  #onUnserved(routes: readonly UnservedRoute[]): void {
    const { view, onProblems } = this.#options;
    if (view === undefined) onProblems('routes', routes.map(problemOf));
    else view.hooks.setUnserved(unservedProblems(routes));
  }
}

/** What keeps the source from coming is a problem of the source; until it comes there is none. */
function isWaitingForSource({ object, message }: ProblemRow): boolean {
  if (object?.kind === 'HelmRelease') return /^\w+ '[^']*' is not ready/.test(message);
  return object?.kind === 'Kustomization' && message.startsWith('Source artifact not found');
}

function problemOf({ object, field, message, fix }: UnservedRoute): UpProblem {
  const { kind, metadata } = object;
  const name = `${kind} ${metadata.namespace}/${metadata.name}`;
  return { key: `${name} ${field}`, object: name, field, message, fix };
}
