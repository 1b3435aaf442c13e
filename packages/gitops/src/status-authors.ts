import { metaNamespaceKey } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';

/** Told of a status that somebody else wrote, and by which field manager. */
type ForeignStatusListener = (object: KubeObject, manager: string) => void;

/** How a write of our own came out: the object as it is then, not done, or nobody knows. */
type StatusOutcome = { readonly written: KubeObject } | 'not done' | 'unknown';

/**
 * Tells the statuses that others wrote from our own. We call ourselves what Flux' controllers do, so
 * that a take-over and a return leave all owners of fields as they are; a name alone says nothing. What
 * does: the API notes when a manager last changed a status, and of our own writes it has told us. What
 * is later than those is not ours. Two writes within one second cannot be told apart, and count as ours.
 */
export class StatusAuthors {
  readonly #manager: string;
  readonly #listeners = new Set<ForeignStatusListener>();
  /** When we last wrote each status, as the API told it. */
  readonly #ownTimes = new Map<string, string>();
  /** Statuses of which we do not know whether our last write of them was done. */
  readonly #unknown = new Set<string>();
  /** How many writes of each are under way, and what was seen meanwhile. */
  readonly #writing = new Map<string, { count: number; seen?: KubeObject }>();

  constructor(fieldManager: string) {
    this.#manager = plain(fieldManager);
  }

  /** Calls back for every status that somebody of our name wrote and we did not. */
  onForeign(listener: ForeignStatusListener): void {
    this.#listeners.add(listener);
  }

  /** We are about to write. What is given back is to be called with how it came out. */
  begin({ metadata }: KubeObject): (outcome: StatusOutcome) => void {
    if (this.#listeners.size === 0) return () => undefined;
    const key = metaNamespaceKey({ metadata });
    const writing = this.#writing.get(key) ?? { count: 0 };
    writing.count += 1;
    this.#writing.set(key, writing);
    return (outcome) => {
      if (outcome === 'unknown') this.#unknown.add(key);
      else if (outcome !== 'not done') this.#adopt(key, this.#entryOf(outcome.written)?.time);
      writing.count -= 1;
      if (writing.count > 0) return;
      this.#writing.delete(key);
      if (writing.seen !== undefined) this.#judge(key, writing.seen);
    };
  }

  /** The cache shows a change. */
  onUpdate(old: KubeObject, object: KubeObject): void {
    if (this.#listeners.size === 0) return;
    const time = this.#entryOf(object)?.time;
    const before = this.#entryOf(old)?.time;
    if (time === undefined || (before !== undefined && time <= before)) return;
    const key = metaNamespaceKey(object);
    const writing = this.#writing.get(key);
    // It may be the write whose answer is on its way.
    if (writing === undefined) this.#judge(key, object);
    else writing.seen = object;
  }

  onDelete(key: string): void {
    this.#ownTimes.delete(key);
    this.#unknown.delete(key);
  }

  #judge(key: string, object: KubeObject): void {
    const entry = this.#entryOf(object);
    if (entry === undefined || entry.time <= (this.#ownTimes.get(key) ?? '')) return;
    if (this.#unknown.delete(key)) this.#adopt(key, entry.time);
    else for (const listener of this.#listeners) listener(object, entry.manager);
  }

  #adopt(key: string, time: string | undefined): void {
    if (time === undefined) return;
    this.#unknown.delete(key);
    if (time > (this.#ownTimes.get(key) ?? '')) this.#ownTimes.set(key, time);
  }

  /** The last write of a status by our name. */
  #entryOf({ metadata }: KubeObject): { manager: string; time: string } | undefined {
    let last: { manager: string; time: string } | undefined;
    for (const { manager = '', subresource, time } of metadata.managedFields ?? []) {
      if (subresource !== 'status' || time === undefined) continue;
      if (plain(manager) !== this.#manager) continue;
      if (last === undefined || String(time) > last.time) last = { manager, time: String(time) };
    }
    return last;
  }
}

/** Flux' controllers call themselves with this prefix here and without it there. */
function plain(manager: string): string {
  return manager.replace(/^gotk-/u, '');
}
