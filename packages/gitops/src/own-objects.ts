import {
  isFenced,
  isNotFound,
  type KubeClient,
  KubeError,
  type MergePatch,
  type Resource,
} from '@waygate/kube';
import {
  type Clock,
  deletionHandlingMetaNamespaceKey,
  MutationCache,
  type SharedInformer,
} from '@waygate/runtime';
import type { Kind, KubeObject } from '@waygate/schema';
import { createMergePatch, isObject } from '@waygate/text';
import { finalizer } from './api/annotations.ts';
import { StatusAuthors } from './status-authors.ts';

/**
 * The objects of one kind that a controller reconciles: read from a cache in which its own writes
 * show at once, written only where something differs.
 */
export class OwnObjects<T extends KubeObject & { status?: object }> {
  readonly informer: SharedInformer<T>;
  /** Who wrote the statuses. */
  readonly authors: StatusAuthors;
  readonly #resource: Resource<T>;
  readonly #written: MutationCache<T>;
  readonly #fieldManager: string;

  constructor(options: {
    client: KubeClient;
    kind: Kind<T>;
    informer: SharedInformer<T>;
    fieldManager: string;
    clock: Clock;
  }) {
    this.informer = options.informer;
    this.#resource = options.client.resource(options.kind);
    this.#fieldManager = options.fieldManager;
    this.authors = new StatusAuthors(options.fieldManager);
    this.#written = new MutationCache<T>(options.informer.indexer, {
      capacity: 20_000,
      ttlMs: 600_000,
      clock: options.clock,
    });
    this.informer.addEventHandler({
      onAdd: (object) => this.#written.onAddOrUpdate(object),
      onUpdate: (old, object) => {
        this.#written.onAddOrUpdate(object);
        this.authors.onUpdate(old, object);
      },
      onDelete: (deleted) => this.authors.onDelete(deletionHandlingMetaNamespaceKey(deleted)),
    });
  }

  get(key: string): T | undefined {
    return this.#written.getByKey(key);
  }

  /** Writes what differs of a status. Gives back the object as it is then; undefined when it is gone. */
  async writeStatus(object: T, status: object, signal?: AbortSignal): Promise<T | undefined> {
    const patch = createMergePatch(object.status ?? {}, status);
    if (!isObject(patch) || Object.keys(patch).length === 0) return object;
    const { name = '', namespace } = object.metadata;
    const fieldManager = this.#fieldManager;
    const end = this.authors.begin(object);
    try {
      const now = await this.#resource.status.patch(
        name,
        // What the diff of two statuses says, the kind of status has.
        { status: patch } as object as MergePatch<T>,
        { namespace, fieldManager },
        { signal },
      );
      this.#written.mutation(now);
      end({ written: now });
      return now;
    } catch (error) {
      end(wasRefused(error) ? 'not done' : 'unknown');
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async addFinalizer(object: T, signal?: AbortSignal): Promise<T> {
    const { finalizers = [] } = object.metadata;
    if (finalizers.includes(finalizer)) return object;
    return this.#writeFinalizers(object, [...finalizers, finalizer], signal);
  }

  async removeFinalizer(object: T, signal?: AbortSignal): Promise<void> {
    const { finalizers = [] } = object.metadata;
    if (!finalizers.includes(finalizer)) return;
    try {
      await this.#writeFinalizers(
        object,
        finalizers.filter((one) => one !== finalizer),
        signal,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** The version guards it: the list is replaced as a whole. */
  async #writeFinalizers(object: T, finalizers: string[], signal?: AbortSignal): Promise<T> {
    const { name = '', namespace, resourceVersion } = object.metadata;
    const fieldManager = this.#fieldManager;
    const now = await this.#resource.patch(
      name,
      { metadata: { finalizers, resourceVersion } } as object as MergePatch<T>,
      { namespace, fieldManager },
      { signal },
    );
    this.#written.mutation(now);
    return now;
  }
}

/** Whether a write was not done, for certain: it was not sent, or the API said no. */
function wasRefused(error: unknown): boolean {
  if (isFenced(error)) return true;
  const { statusCode = 500 } = error instanceof KubeError ? error : {};
  return statusCode >= 400 && statusCode < 500;
}
