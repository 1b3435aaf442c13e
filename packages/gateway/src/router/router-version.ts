import {
  type ChangingRouter,
  isStreamRoute,
  type RouteEntry,
  type RouteMatch,
  type RouteRequest,
  type Router,
} from './route-match.ts';

/** A route as it is from now on, or without `entry` that it is gone. */
export interface RouteChange {
  readonly id: string;
  readonly entry: RouteEntry | undefined;
}

interface ChangingPair {
  readonly http: ChangingRouter;
  readonly stream: ChangingRouter;
}

/** What leads from an older version to the next: the changes that take the next one back. */
interface Successor {
  readonly version: RouterVersion;
  readonly undo: readonly RouteChange[];
}

/**
 * The routers of one configuration. All versions share one pair of routers: it is always as the newest
 * has it, so that a change costs no more than what changed. An older version, which only requests that
 * were waiting at the time of a change still have, takes the changes since back for the moment of a
 * look-up. A look-up does not wait, so nobody else sees that.
 */
export class RouterVersion {
  readonly http: Router;
  readonly stream: Router;
  readonly #routers: ChangingPair;
  #successor: Successor | undefined;

  constructor(routers: ChangingPair) {
    this.#routers = routers;
    this.http = { match: (request) => this.#match(routers.http, request) };
    this.stream = { match: (request) => this.#match(routers.stream, request) };
  }

  /** How many routes there are in the newest version. */
  get size(): number {
    return this.#routers.http.size + this.#routers.stream.size;
  }

  /** The next version. Only the newest version can be changed. */
  change(changes: readonly RouteChange[]): RouterVersion {
    const version = new RouterVersion(this.#routers);
    this.#successor = { version, undo: apply(this.#routers, changes) };
    return version;
  }

  #match(router: ChangingRouter, request: RouteRequest): RouteMatch | undefined {
    if (this.#successor === undefined) {
      return router.match(request);
    }
    const redo: (readonly RouteChange[])[] = [];
    for (const undo of this.#undoSteps()) {
      redo.push(apply(this.#routers, undo));
    }
    try {
      return router.match(request);
    } finally {
      for (const step of redo.reverse()) {
        apply(this.#routers, step);
      }
    }
  }

  /** The steps back from the newest version to this one. */
  #undoSteps(): readonly (readonly RouteChange[])[] {
    const steps: (readonly RouteChange[])[] = [];
    let successor = this.#successor;
    while (successor !== undefined) {
      steps.push(successor.undo);
      successor = successor.version.#successor;
    }
    return steps.reverse();
  }
}

/** Makes changes, and returns those that take them back. */
function apply(
  { http, stream }: ChangingPair,
  changes: readonly RouteChange[],
): readonly RouteChange[] {
  const undo: RouteChange[] = [];
  for (const { id, entry } of changes) {
    const isStream = entry !== undefined && isStreamRoute(entry.route);
    const before = http.set(id, isStream ? undefined : entry);
    const streamBefore = stream.set(id, isStream ? entry : undefined);
    undo.push({ id, entry: before ?? streamBefore });
  }
  return undo.reverse();
}
