import { nameOfKey, type TextKey } from '../collection/text-key.ts';
import { type KeyChange, TextKeyMap } from '../collection/text-key-map.ts';

/** What must hold for a candidate to be looked at. A `null` list means that any value may match. */
export interface CandidateKeys {
  readonly hosts: readonly TextKey[] | null;
  readonly paths: readonly TextKey[] | null;
}

/** A candidate, and the key of its path that led to it. */
interface FoundCandidate<T> {
  readonly candidate: T;
  readonly path: TextKey | null;
}

/** Negative if the first is to be tried before the second; 0 for the same one only. */
type Compare<T> = (one: T, two: T) => number;

/** Candidates with the same keys, in the order in which they are tried. */
type Links<T> = readonly FoundCandidate<T>[];
type Paths<T> = TextKeyMap<Links<T>>;

interface Rules<T> {
  readonly compare: Compare<T>;
  readonly keysOf: (candidate: T) => CandidateKeys;
}

const anyKey: readonly null[] = [null];

/**
 * Finds, among many candidates, the few that a host and a path may match, in the order in which they
 * are to be tried, in time that does not grow with their number: the benchmark "router lookup" asks for
 * that. It is immutable, and the next one shares with it what did not change.
 *
 * It never leaves out a candidate that matches, and it offers none whose keys do not fit.
 */
export class CandidateIndex<T> {
  readonly #rules: Rules<T>;
  readonly #hosts: TextKeyMap<Paths<T>>;

  private constructor(rules: Rules<T>, hosts: TextKeyMap<Paths<T>>) {
    this.#rules = rules;
    this.#hosts = hosts;
  }

  /** An index without candidates. */
  static empty<T>(rules: Rules<T>): CandidateIndex<T> {
    return new CandidateIndex(rules, TextKeyMap.empty());
  }

  /** The index after some went that were in it, and others came. */
  change(removed: readonly T[], added: readonly T[]): CandidateIndex<T> {
    if (removed.length + added.length === 0) return this;
    const hosts = new Map<string, HostChange<T>>();
    for (const candidate of removed) {
      for (const change of this.#changesAt(hosts, candidate)) change.removed.add(candidate);
    }
    for (const candidate of added) {
      for (const change of this.#changesAt(hosts, candidate)) {
        change.added.push({ candidate, path: change.key });
      }
    }
    const changes = [...hosts.values()].map(({ key, paths }): KeyChange<Paths<T>> => {
      const before = this.#hosts.get(key) ?? TextKeyMap.empty<Links<T>>();
      const after = before.change(
        [...paths.values()].map((change) => [change.key, this.#links(before, change)]),
      );
      return [key, after.isEmpty ? undefined : after];
    });
    return new CandidateIndex(this.#rules, this.#hosts.change(changes));
  }

  /** What a path and a host lead to. The host may be written in several ways. */
  search(path: string, host: string, secondHost = host, thirdHost = host): Candidates<T> {
    const hosts: Paths<T>[] = [];
    this.#hosts.find(host, hosts);
    if (secondHost !== host) this.#hosts.find(secondHost, hosts);
    if (thirdHost !== host && thirdHost !== secondHost) this.#hosts.find(thirdHost, hosts);
    const lists: Links<T>[] = [];
    for (const paths of hosts) paths.find(path, lists);
    return new Candidates(lists, this.#rules.compare);
  }

  /** The changes at all keys of a candidate. */
  *#changesAt(hosts: Map<string, HostChange<T>>, candidate: T): Generator<PathChange<T>> {
    const keys = this.#rules.keysOf(candidate);
    for (const host of keys.hosts ?? anyKey) {
      const name = nameOfKey(host);
      const ofHost = hosts.get(name) ?? { key: host, paths: new Map() };
      hosts.set(name, ofHost);
      for (const path of keys.paths ?? anyKey) {
        const pathName = nameOfKey(path);
        const change = ofHost.paths.get(pathName) ?? { key: path, removed: new Set(), added: [] };
        ofHost.paths.set(pathName, change);
        yield change;
      }
    }
  }

  #links(before: Paths<T>, { key, removed, added }: PathChange<T>): Links<T> | undefined {
    const kept = (before.get(key) ?? []).filter(({ candidate }) => !removed.has(candidate));
    const links = [...kept, ...added];
    links.sort((one, two) => this.#rules.compare(one.candidate, two.candidate));
    return links.length === 0 ? undefined : links;
  }
}

interface PathChange<T> {
  readonly key: TextKey | null;
  readonly removed: Set<T>;
  readonly added: FoundCandidate<T>[];
}

interface HostChange<T> {
  readonly key: TextKey | null;
  readonly paths: Map<string, PathChange<T>>;
}

/** What a search found. */
class Candidates<T> {
  readonly #lists: readonly Links<T>[];
  readonly #compare: Compare<T>;
  /** How many of each list have been brought. */
  readonly #positions: number[];

  constructor(lists: readonly Links<T>[], compare: Compare<T>) {
    this.#lists = lists;
    this.#compare = compare;
    this.#positions = lists.map(() => 0);
  }

  /** The next in order. One that several keys led to may come several times. */
  next(): FoundCandidate<T> | undefined {
    let best: FoundCandidate<T> | undefined;
    let bestList = -1;
    for (let list = 0; list < this.#lists.length; list += 1) {
      const head = this.#lists[list]?.[this.#positions[list] ?? 0];
      if (
        head !== undefined &&
        (best === undefined || this.#compare(head.candidate, best.candidate) < 0)
      ) {
        best = head;
        bestList = list;
      }
    }
    if (best !== undefined) this.#positions[bestList] = (this.#positions[bestList] ?? 0) + 1;
    return best;
  }
}
