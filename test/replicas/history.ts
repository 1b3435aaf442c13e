import type { KubeClient } from '@waygate/kube';
import { createInformer, lastKnownState } from '@waygate/runtime';
import type { Kind, KubeObject } from '@waygate/schema';

/** What somebody who watches the API saw of objects, change by change. */
export class ObjectHistory implements AsyncDisposable {
  /** Versions of an object that differ from the one before in nothing that anybody asked for. */
  readonly doubled: string[] = [];
  /** The lives of each object: the uid of each. */
  readonly lives = new Map<string, Set<string>>();
  /** The values that a ConfigMap named `counter` had, in order. */
  readonly counted: number[] = [];
  readonly #last = new Map<string, string>();
  readonly #stopping = new AbortController();
  readonly #watching: Promise<unknown>[] = [];

  follow<T extends KubeObject>(client: KubeClient, kind: Kind<T>): void {
    const informer = createInformer(client, kind, {});
    const note = (object: KubeObject) => this.#note(object);
    informer.addEventHandler({
      onAdd: note,
      onUpdate: (old, object) => {
        if (old.metadata.resourceVersion !== object.metadata.resourceVersion) note(object);
      },
      onDelete: (deleted) => {
        const object = lastKnownState(deleted);
        if (object !== undefined) this.#last.delete(nameOf(kind.kind, object));
      },
    });
    this.#watching.push(informer.run(this.#stopping.signal));
  }

  #note(object: KubeObject): void {
    const name = nameOf(object.kind ?? '', object);
    const { uid = '', managedFields: _, resourceVersion: _version, ...metadata } = object.metadata;
    const lives = this.lives.get(name) ?? new Set();
    this.lives.set(name, lives.add(uid));
    const content = JSON.stringify({ ...object, metadata });
    if (this.#last.get(name) === content) this.doubled.push(name);
    this.#last.set(name, content);
    const { data } = object as { data?: Record<string, string> };
    if (object.metadata.name === 'counter') this.counted.push(Number(data?.value));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#watching);
  }
}

const nameOf = (kind: string, { metadata }: KubeObject) => `${kind}/${metadata.name}`;
