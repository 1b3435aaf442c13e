import { type Clock, lastKnownState, type Operator, type SharedInformer } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { discardBody, HttpClient, targetOf } from '@waygate/text';
import type { Artifact, SourceStatus } from '../api/source-objects.ts';
import { GitOpsError } from '../gitops-error.ts';
import type { ArtifactStorage } from './artifact-storage.ts';
import { copyArtifact } from './copy-artifact.ts';

interface ArtifactFollowerOptions {
  readonly storage: ArtifactStorage;
  /** Caches of the kinds whose artifacts are followed, by kind. */
  readonly sources: ReadonlyMap<string, SharedInformer<KubeObject>>;
  readonly isOurs: (object: KubeObject) => boolean;
  /** Where the leader serves artifacts; undefined when that is not known. */
  readonly leaderUrl: (signal: AbortSignal) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly onError?: ((error: unknown) => void) | undefined;
}

type Source = KubeObject & { readonly status?: SourceStatus };

/** How many artifacts are copied at a time: the leader has other things to do. */
const copiesAtOnce = 2;
const firstRetryMs = 1_000;
const longestRetryMs = 30_000;
/** A leader that says nothing for so long is not copied from. */
const downloadMs = 120_000;

/**
 * What a standby does: it copies each artifact that the leader makes, as soon as a status tells of it.
 * When it leads, it has what the statuses say, so that nothing is fetched again and no URL is dead.
 */
export class ArtifactFollower {
  readonly name = 'artifact follower';
  readonly #options: ArtifactFollowerOptions;
  readonly #http = new HttpClient();
  /** `kind namespace/name` of what is to be looked at, in the order in which it changed. */
  readonly #changed = new Set<string>();
  readonly #failures = new Map<string, number>();
  /** The digest of what was last copied or found, by key: it is not read through again. */
  readonly #had = new Map<string, string>();
  readonly #waiting = new Set<() => void>();

  constructor(options: ArtifactFollowerOptions) {
    this.#options = options;
    for (const [kind, informer] of options.sources) {
      const note = ({ metadata }: KubeObject) =>
        this.#note(`${kind} ${metadata.namespace}/${metadata.name}`);
      informer.addEventHandler({
        onAdd: note,
        onUpdate: (_old, object) => note(object),
        onDelete: (deleted) => {
          const object = lastKnownState(deleted);
          if (object !== undefined) note(object);
        },
      });
    }
  }

  /** Follows until the signal aborts: at the latest when this process leads itself. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: copiesAtOnce }, () => this.#work(signal)));
    this.#http.close();
  }

  #note(key: string): void {
    this.#changed.add(key);
    for (const wake of this.#waiting) wake();
  }

  async #work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [key] = this.#changed;
      if (key === undefined) {
        await this.#untilNoted(signal);
        continue;
      }
      this.#changed.delete(key);
      try {
        await this.#look(key, signal);
        this.#failures.delete(key);
      } catch (error) {
        if (signal.aborted) return;
        this.#retry(key, error, signal);
      }
    }
  }

  async #look(key: string, signal: AbortSignal): Promise<void> {
    const { storage, sources, isOurs } = this.#options;
    const [kind = '', name = ''] = key.split(' ');
    const [namespace = '', own = ''] = name.split('/');
    const owner = { kind, namespace, name: own };
    const source = sources.get(kind)?.indexer.getByKey(name) as Source | undefined;
    if (source === undefined) {
      this.#had.delete(key);
      await storage.remove(owner);
      return;
    }
    const artifact = source.status?.artifact;
    if (artifact === undefined || !isOurs(source)) return;
    // A path that is not this source's would put one source's files in another's place.
    const place = storage.pathOf({ ...owner, file: 'x' }).slice(0, -'x.tar.gz'.length);
    const file = artifact.path.slice(place.length);
    if (!artifact.path.startsWith(place) || !/^[^/.][^/]*\.tar\.gz$/u.test(file)) return;
    if (this.#had.get(key) === artifact.digest && (await storage.has(artifact))) return;
    if ((await storage.verify(artifact)) !== 'ok') {
      await this.#copy(artifact, signal);
      await storage.collectGarbage(owner, artifact.path);
    }
    this.#had.set(key, artifact.digest);
  }

  async #copy(artifact: Artifact, signal: AbortSignal): Promise<void> {
    const { storage, leaderUrl } = this.#options;
    const leader = await leaderUrl(signal);
    const url = leader === undefined ? artifact.url : `${leader}/${artifact.path}`;
    const within = AbortSignal.any([signal, AbortSignal.timeout(downloadMs)]);
    const response = await this.#http.send({ ...targetOf(new URL(url)), signal: within });
    if (response.statusCode !== 200) {
      discardBody(response);
      throw new GitOpsError(
        'WG_GITOPS_DOWNLOAD',
        `the standby cannot copy an artifact: GET ${url} answered ${response.statusCode}`,
      );
    }
    await copyArtifact(storage, artifact, response.body);
  }

  /** Looks again after a pause; the others go on meanwhile. Who is told of it hears it once. */
  #retry(key: string, error: unknown, signal: AbortSignal): void {
    const count = this.#failures.get(key) ?? 0;
    this.#failures.set(key, count + 1);
    if (count === 1) this.#options.onError?.(error);
    const pauseMs = Math.min(firstRetryMs * 2 ** count, longestRetryMs);
    void this.#options.clock.sleep(pauseMs, signal).then((isOver) => {
      if (isOver) this.#note(key);
    });
  }

  #untilNoted(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#waiting.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#waiting.add(end);
      signal.addEventListener('abort', end, { once: true });
    });
  }
}

/** A standby follows; who leads makes the artifacts itself. */
export async function untilElected(
  { manager }: Operator,
  stop: AbortSignal,
  follower: ArtifactFollower,
): Promise<void> {
  const following = new AbortController();
  const end = () => following.abort();
  void manager.elected.then(end);
  stop.addEventListener('abort', end, { once: true });
  if (stop.aborted) end();
  await follower.run(following.signal);
  stop.removeEventListener('abort', end);
}
