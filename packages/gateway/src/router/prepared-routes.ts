import { CopyOnWriteMap } from '../collection/copy-on-write-map.ts';
import type { RouteChange, RouteEntry } from './route-match.ts';

/** Something that a router made of a route. */
interface Prepared {
  readonly entry: RouteEntry;
}

interface PreparedRoute<P> {
  readonly entry: RouteEntry;
  readonly parts: readonly P[];
}

/** What changes lead to: the parts of routes that went, and those that came. */
interface PreparedChange<P extends Prepared> {
  readonly routes: PreparedRoutes<P>;
  readonly removed: readonly P[];
  readonly added: readonly P[];
}

/** The routes of a router with what it made of them. It is immutable. */
export class PreparedRoutes<P extends Prepared> {
  readonly #prepare: (entry: RouteEntry) => readonly P[];
  readonly #byId: CopyOnWriteMap<PreparedRoute<P>>;

  constructor(
    prepare: (entry: RouteEntry) => readonly P[],
    byId: CopyOnWriteMap<PreparedRoute<P>> = CopyOnWriteMap.of(),
  ) {
    this.#prepare = prepare;
    this.#byId = byId;
  }

  /** Prepares what came. A route of which only the service changed is not prepared again. */
  change(changes: readonly RouteChange[]): PreparedChange<P> {
    const removed: P[] = [];
    const added: P[] = [];
    const changed: [string, PreparedRoute<P> | undefined][] = [];
    for (const [id, entry] of new Map(changes.map((change) => [change.id, change.entry]))) {
      const known = this.#byId.get(id);
      if (known === undefined && entry === undefined) continue;
      const after = entry === undefined ? undefined : this.#prepared(entry, known);
      removed.push(...(known?.parts ?? []));
      added.push(...(after?.parts ?? []));
      changed.push([id, after]);
    }
    return {
      routes: new PreparedRoutes(this.#prepare, this.#byId.change(changed)),
      removed,
      added,
    };
  }

  #prepared(entry: RouteEntry, known: PreparedRoute<P> | undefined): PreparedRoute<P> {
    const parts =
      known?.entry.route === entry.route
        ? known.parts.map((part) => ({ ...part, entry }))
        : this.#prepare(entry);
    return { entry, parts };
  }
}
