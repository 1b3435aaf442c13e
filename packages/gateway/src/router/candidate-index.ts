import { LinkStore } from './link-store.ts';
import { NumberTable } from './number-table.ts';
import { type Compare, insertSorted, lowerBound } from './sorted-list.ts';
import { emptyHash, hashText, joinHashes, mixHash } from './text-hash.ts';
import { anyKeyHash, hashKey, keyHash, keyKind, type TextKey } from './text-key.ts';

/** What must hold for a candidate to be looked at. A `null` list means that any value may match. */
export interface CandidateKeys {
  readonly hosts: readonly TextKey[] | null;
  readonly paths: readonly TextKey[] | null;
}

const anyKey: readonly null[] = [null];

/**
 * Which sorts of paths a host has, as bits: one for each short length of a prefix, one for all longer
 * ones, and one for each other kind.
 */
const longPrefix = 27;
const anyPath = 1 << 28;
const equalPath = 1 << 29;
const suffixPath = 1 << 30;

/** How often each length occurs among texts that others start or end with. */
class LengthCounts {
  readonly #counts: number[] = [];

  get longest(): number {
    return this.#counts.length - 1;
  }

  has(length: number): boolean {
    return (this.#counts[length] ?? 0) > 0;
  }

  add(length: number, by: 1 | -1): void {
    while (this.#counts.length <= length) {
      this.#counts.push(0);
    }
    this.#counts[length] = (this.#counts[length] ?? 0) + by;
    while (this.#counts.at(-1) === 0) {
      this.#counts.pop();
    }
  }
}

/**
 * Finds, among many candidates, the few that a host and a path may match, in the order in which they
 * are to be tried, in time that does not grow with their number. Candidates are hashed by the texts that
 * their host and path must equal, start or end with; a look-up keeps a running hash of the host and the
 * path, makes no text and no object, and asks only at lengths that there are. Candidates come and go one
 * by one, at a cost that does not grow with the others either.
 *
 * It never leaves out a candidate that matches, and it offers none whose keys do not fit.
 */
export class CandidateIndex<T> {
  readonly #compare: Compare<T>;
  readonly #links = new LinkStore<T>();
  /** By the hash of a host's key, the sorts of its paths. A bit may outlast the last path of its sort. */
  readonly #sorts = new NumberTable();
  /** How many links there are with a host's key: only looked at when something changes. */
  readonly #linkCounts = new NumberTable();
  /** By the hash of both keys, a link, or the complement of the place of a list of links. */
  readonly #places = new NumberTable();
  readonly #lists: (number[] | undefined)[] = [];
  readonly #freeLists: number[] = [];
  readonly #hostPrefixes = new LengthCounts();
  readonly #hostSuffixes = new LengthCounts();
  readonly #pathPrefixes = new LengthCounts();
  readonly #pathSuffixes = new LengthCounts();

  // What the search under way has found. One search ends before the next begins, so that none needs
  // memory of its own.
  #path = '';
  #host = '';
  #secondHost = '';
  #thirdHost = '';
  #foundCount = 0;
  readonly #found: number[] = [];
  readonly #positions: number[] = [];
  #pathHashes = new Int32Array(256);
  #hashedLength = -1;
  #link = -1;

  /** @param compare - negative if the first is to be tried before the second; 0 for the same one only */
  constructor(compare: Compare<T>) {
    this.#compare = compare;
  }

  add(candidate: T, { hosts, paths }: CandidateKeys): void {
    for (const host of hosts ?? anyKey) {
      const hostHash = hashKey(host);
      for (const path of paths ?? anyKey) {
        const link = this.#links.add(candidate, host, path);
        this.#place(joinHashes(hostHash, hashKey(path)), link);
        this.#sorts.set(hostHash, (this.#sorts.get(hostHash) ?? 0) | sortOf(path));
        this.#linkCounts.set(hostHash, (this.#linkCounts.get(hostHash) ?? 0) + 1);
        this.#countLengths(host, path, 1);
      }
    }
  }

  /** Takes a candidate out that was added with the same keys. */
  remove(candidate: T, { hosts, paths }: CandidateKeys): void {
    for (const host of hosts ?? anyKey) {
      const hostHash = hashKey(host);
      for (const path of paths ?? anyKey) {
        const hash = joinHashes(hostHash, hashKey(path));
        const link = this.#unplace(hash, candidate, host, path);
        if (link === undefined) {
          continue;
        }
        this.#links.remove(link);
        this.#countLengths(host, path, -1);
        const count = (this.#linkCounts.get(hostHash) ?? 1) - 1;
        if (count === 0) {
          this.#linkCounts.delete(hostHash);
          this.#sorts.delete(hostHash);
        } else {
          this.#linkCounts.set(hostHash, count);
        }
      }
    }
  }

  /** Begins a search; {@link next} brings its candidates. A host may be written in up to three ways. */
  search(path: string, host: string, secondHost = host, thirdHost = host): void {
    this.#path = path;
    this.#host = host;
    this.#secondHost = secondHost;
    this.#thirdHost = thirdHost;
    this.#foundCount = 0;
    this.#hashedLength = -1;
    this.#link = -1;
    this.#collectHost(host);
    if (secondHost !== host) {
      this.#collectHost(secondHost);
    }
    if (thirdHost !== host && thirdHost !== secondHost) {
      this.#collectHost(thirdHost);
    }
    this.#collectPaths(anyKeyHash);
  }

  /** The next candidate in order. One that several keys led to may come several times. */
  next(): T | undefined {
    let best: T | undefined;
    let bestIndex = -1;
    for (let index = 0; index < this.#foundCount; index += 1) {
      const link = this.#head(index);
      if (link === -1) {
        continue;
      }
      const head = this.#links.candidate(link);
      if (best === undefined || this.#compare(head, best) < 0) {
        best = head;
        bestIndex = index;
      }
    }
    if (bestIndex !== -1) {
      this.#link = this.#head(bestIndex);
      this.#positions[bestIndex] = (this.#positions[bestIndex] ?? 0) + 1;
    }
    return best;
  }

  /** The part of the path that the last candidate's key stands for, if that starts the path. */
  get pathText(): string | undefined {
    const length = this.#link === -1 ? undefined : this.#links.pathLength(this.#link);
    return length === undefined ? undefined : this.#path.slice(0, length);
  }

  /** The link that is to be tried next among those of a place, or -1. */
  #head(index: number): number {
    const place = this.#found[index] ?? 0;
    const position = this.#positions[index] ?? 0;
    if (place >= 0) {
      return position === 0 ? place : -1;
    }
    const list = this.#lists[~place] as readonly number[];
    let at = position;
    while (at < list.length && !this.#fits(list[at] as number)) {
      at += 1;
    }
    this.#positions[index] = at;
    return at < list.length ? (list[at] as number) : -1;
  }

  #fits(link: number): boolean {
    return (
      this.#links.fits(link, this.#host, this.#path) ||
      (this.#secondHost !== this.#host && this.#links.fits(link, this.#secondHost, this.#path)) ||
      (this.#thirdHost !== this.#host && this.#links.fits(link, this.#thirdHost, this.#path))
    );
  }

  #collectHost(host: string): void {
    this.#collectPaths(keyHash(keyKind.equal, hashText(host)));
    this.#collectAffixes(host, this.#hostPrefixes, false);
    this.#collectAffixes(host, this.#hostSuffixes, true);
  }

  #collectAffixes(host: string, lengths: LengthCounts, isSuffix: boolean): void {
    const end = Math.min(host.length, lengths.longest);
    const kind = isSuffix ? keyKind.suffix : keyKind.prefix;
    let hash = emptyHash;
    for (let length = 0; length <= end; length += 1) {
      if (length > 0) {
        hash = mixHash(hash, host.charCodeAt(isSuffix ? host.length - length : length - 1));
      }
      if (lengths.has(length)) {
        this.#collectPaths(keyHash(kind, hash));
      }
    }
  }

  /** Looks for the path under one key of the host. */
  #collectPaths(hostHash: number): void {
    const sorts = this.#sorts.get(hostHash);
    if (sorts === undefined) {
      return;
    }
    if ((sorts & anyPath) !== 0) {
      this.#probe(joinHashes(hostHash, anyKeyHash));
    }
    if ((sorts & equalPath) !== 0) {
      const hash = this.#hashPath(this.#path.length);
      this.#probe(joinHashes(hostHash, keyHash(keyKind.equal, hash)));
    }
    if ((sorts & suffixPath) !== 0) {
      this.#collectPathSuffixes(hostHash);
    }
    const end = Math.min(this.#path.length, this.#pathPrefixes.longest);
    for (let length = 0; length <= end; length += 1) {
      const bit = 1 << Math.min(length, longPrefix);
      if ((sorts & bit) !== 0 && this.#pathPrefixes.has(length)) {
        this.#probe(joinHashes(hostHash, keyHash(keyKind.prefix, this.#hashPath(length))));
      }
    }
  }

  #collectPathSuffixes(hostHash: number): void {
    const path = this.#path;
    const end = Math.min(path.length, this.#pathSuffixes.longest);
    let hash = emptyHash;
    for (let length = 0; length <= end; length += 1) {
      hash = length === 0 ? hash : mixHash(hash, path.charCodeAt(path.length - length));
      if (this.#pathSuffixes.has(length)) {
        this.#probe(joinHashes(hostHash, keyHash(keyKind.suffix, hash)));
      }
    }
  }

  /** The hash of the first characters of the path; each character is looked at once in a search. */
  #hashPath(length: number): number {
    if (length >= this.#pathHashes.length) {
      const hashes = new Int32Array(length * 2);
      hashes.set(this.#pathHashes);
      this.#pathHashes = hashes;
    }
    const hashes = this.#pathHashes;
    let at = this.#hashedLength;
    if (at < 0) {
      hashes[0] = emptyHash;
      at = 0;
    }
    while (at < length) {
      hashes[at + 1] = mixHash(hashes[at] ?? 0, this.#path.charCodeAt(at));
      at += 1;
    }
    this.#hashedLength = Math.max(this.#hashedLength, at);
    return hashes[length] ?? 0;
  }

  #probe(hash: number): void {
    const place = this.#places.get(hash);
    if (place === undefined || (place >= 0 && !this.#fits(place))) {
      return;
    }
    this.#found[this.#foundCount] = place;
    this.#positions[this.#foundCount] = 0;
    this.#foundCount += 1;
  }

  readonly #compareLinks = (one: number, two: number): number =>
    one === two
      ? 0
      : this.#compare(this.#links.candidate(one), this.#links.candidate(two)) || one - two;

  #place(hash: number, link: number): void {
    const place = this.#places.get(hash);
    if (place === undefined) {
      this.#places.set(hash, link);
    } else if (place < 0) {
      insertSorted(this.#lists[~place] as number[], link, this.#compareLinks);
    } else {
      const list = [place];
      insertSorted(list, link, this.#compareLinks);
      const at = this.#freeLists.pop() ?? this.#lists.length;
      this.#lists[at] = list;
      this.#places.set(hash, ~at);
    }
  }

  /** Takes a link out of its place, and returns it. */
  #unplace(
    hash: number,
    candidate: T,
    host: TextKey | null,
    path: TextKey | null,
  ): number | undefined {
    const place = this.#places.get(hash);
    if (place === undefined) {
      return undefined;
    }
    if (place >= 0) {
      if (!this.#links.isOf(place, candidate, host, path)) {
        return undefined;
      }
      this.#places.delete(hash);
      return place;
    }
    const list = this.#lists[~place] as number[];
    const first = lowerBound(list, -1, (link) =>
      this.#compare(this.#links.candidate(link), candidate),
    );
    for (let at = first; at < list.length; at += 1) {
      const link = list[at] as number;
      if (this.#links.isOf(link, candidate, host, path)) {
        list.splice(at, 1);
        if (list.length === 1) {
          this.#places.set(hash, list[0] as number);
          this.#lists[~place] = undefined;
          this.#freeLists.push(~place);
        }
        return link;
      }
    }
    return undefined;
  }

  #countLengths(host: TextKey | null, path: TextKey | null, by: 1 | -1): void {
    if (host?.kind === 'prefix') {
      this.#hostPrefixes.add(host.text.length, by);
    } else if (host?.kind === 'suffix') {
      this.#hostSuffixes.add(host.text.length, by);
    }
    if (path?.kind === 'prefix') {
      this.#pathPrefixes.add(path.text.length, by);
    } else if (path?.kind === 'suffix') {
      this.#pathSuffixes.add(path.text.length, by);
    }
  }
}

function sortOf(path: TextKey | null): number {
  switch (path?.kind) {
    case 'equal':
      return equalPath;
    case 'suffix':
      return suffixPath;
    case 'prefix':
      return 1 << Math.min(path.text.length, longPrefix);
    default:
      return anyPath;
  }
}
