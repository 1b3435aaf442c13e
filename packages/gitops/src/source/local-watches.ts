import type { Clock, SharedInformer } from '@waygate/runtime';
import { deletionHandlingMetaNamespaceKey, metaNamespaceKey } from '@waygate/runtime';
import type { GitRepository } from '../api/source-objects.ts';
import { localPath } from '../git/git-url.ts';
import { LocalRepositoryWatch } from '../git/local-repository-watch.ts';

/** Watches the repositories on this machine that GitRepositories name, so that a commit is seen at once. */
export class LocalWatches {
  readonly #onChange: (key: string) => void;
  readonly #clock: Clock;
  readonly #byKey = new Map<string, { url: string; watch: LocalRepositoryWatch }>();

  constructor(onChange: (key: string) => void, clock: Clock) {
    this.#onChange = onChange;
    this.#clock = clock;
  }

  follow(informer: SharedInformer<GitRepository>): void {
    informer.addEventHandler({
      onAdd: (object) => this.#update(object),
      onUpdate: (_old, object) => this.#update(object),
      onDelete: (deleted) => this.#drop(deletionHandlingMetaNamespaceKey(deleted)),
    });
  }

  close(): void {
    for (const key of [...this.#byKey.keys()]) this.#drop(key);
  }

  #update(object: GitRepository): void {
    const key = metaNamespaceKey(object);
    const { url } = object.spec;
    if (this.#byKey.get(key)?.url === url) return;
    this.#drop(key);
    if (!url.startsWith('file://')) return;
    let path: string;
    try {
      path = localPath(url);
    } catch {
      // The reconciler tells what is wrong with the URL.
      return;
    }
    const watch = new LocalRepositoryWatch(path, () => this.#onChange(key), this.#clock);
    this.#byKey.set(key, { url, watch });
    void watch.start();
  }

  #drop(key: string): void {
    this.#byKey.get(key)?.watch.close();
    this.#byKey.delete(key);
  }
}
