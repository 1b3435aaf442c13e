import type { Kind, KubeObject } from '@waygate/schema';
import { RuntimeError } from '../runtime-error.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { SharedInformer, type SharedInformerOptions } from './shared-informer.ts';

/** What a factory passes on to every informer that it makes. */
export interface InformerFactoryOptions
  extends Omit<
    SharedInformerOptions<KubeObject>,
    'listerWatcher' | 'indexers' | 'transform' | 'access' | 'expectedType' | 'description'
  > {
  /** How to list and watch a kind, e.g. through a client, in one namespace, with selectors. */
  readonly listerWatcherOf: <T extends KubeObject>(kind: Kind<T>) => ListerWatcher<T>;
  /** Runs on the objects of every kind that has no transform of its own. */
  readonly transform?: <T extends KubeObject>(object: T) => T;
}

/**
 * Makes one informer a kind, however often it is asked for, and starts and stops them together.
 *
 * ```ts
 * const factory = new InformerFactory({ listerWatcherOf: (kind) => listerWatcherOf(client, kind) });
 * const pods = factory.informerFor(kinds.Pod);
 * factory.start(signal);
 * await factory.waitForCacheSync(signal);
 * ```
 */
export class InformerFactory {
  readonly #options: InformerFactoryOptions;
  readonly #informers = new Map<string, SharedInformer<KubeObject>>();
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(options: InformerFactoryOptions) {
    this.#options = options;
  }

  /** The informer of a kind. `options` count for the call that makes it. */
  informerFor<T extends KubeObject>(
    kind: Kind<T>,
    options: Partial<Omit<SharedInformerOptions<T>, 'listerWatcher'>> = {},
  ): SharedInformer<T> {
    const name = `${kind.group}/${kind.version}/${kind.plural}`;
    const known = this.#informers.get(name);
    if (known !== undefined) return known as unknown as SharedInformer<T>;
    if (this.#stopping.signal.aborted)
      throw new RuntimeError('WG_RUNTIME_STATE', 'the informer factory is shut down');
    const { listerWatcherOf, ...shared } = this.#options;
    const informer = new SharedInformer<T>({
      ...(shared as Partial<SharedInformerOptions<T>>),
      listerWatcher: listerWatcherOf(kind),
      description: kind.plural,
      expectedType: { kind: kind.kind },
      ...options,
    });
    this.#informers.set(name, informer as unknown as SharedInformer<KubeObject>);
    return informer;
  }

  /** Starts every informer that does not run yet. May be called again after more were made. */
  start(signal: AbortSignal): void {
    for (const [name, informer] of this.#informers) {
      if (this.#running.has(name)) continue;
      const either = AbortSignal.any([signal, this.#stopping.signal]);
      this.#running.set(name, informer.run(either));
    }
  }

  /** Waits for all that were started; true if every one has synced. */
  async waitForCacheSync(signal?: AbortSignal): Promise<boolean> {
    const started = [...this.#running.keys()].map((name) => this.#informers.get(name)!);
    let haveAllSynced = true;
    // One after the other: they sync side by side all the same, and the signal is listened to once.
    for (const informer of started) {
      if (!(await informer.waitForSync(signal))) haveAllSynced = false;
    }
    return haveAllSynced;
  }

  /** Stops every informer, and resolves when all have stopped. */
  async shutdown(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running.values());
  }
}
