import type { DynamicObject } from '@waygate/schema';
import { equalJson, StorageError } from '@waygate/text';
import type { Core } from '../core/core.ts';
import { customResource } from '../crd/custom-resource.ts';
import {
  cleanupFinalizer,
  conditionOf,
  type Definition,
  definitionCollection,
} from '../crd/definition.ts';
import { type TakenNames, takenNames } from '../crd/definition-names.ts';
import { definitionStatus } from '../crd/definition-status.ts';
import type { Resource } from '../resources/resource.ts';
import { plainDeletion } from '../rest/delete-options.ts';
import { deleteObject } from '../rest/object-deletion.ts';
import { updateObject } from '../rest/object-update.ts';
import { ApiError } from '../status/api-error.ts';
import { serverUser } from './bootstrap.ts';

/**
 * Serves what definitions declare: accepts their names, brings their resources into the
 * registry, and takes the objects away with the definition.
 */
export class DefinitionController {
  readonly #core: Core;
  /** What is served right now, by the name of its definition. */
  readonly #served = new Map<string, Resource[]>();
  /** The names that each definition has, as its status tells them. */
  readonly #accepted = new Map<
    string,
    { readonly group: string; readonly names: Definition['status']['acceptedNames'] }
  >();
  #queue: Promise<void> = Promise.resolve();
  #unsubscribe: (() => void)[] = [];
  readonly #retries = new Set<NodeJS.Timeout>();

  constructor(core: Core) {
    this.#core = core;
  }

  /** Serves what is stored; then follows changes. */
  start(): void {
    const { store } = this.#core;
    const stored = store
      .collection(definitionCollection)
      .entries()
      .map((entry) => ({ entry, definition: entry.copy() as Definition }));
    for (const { definition } of stored) this.#noteNames(definition);
    for (const { entry, definition } of stored) {
      const isEstablished = conditionOf(definition, 'Established')?.status === 'True';
      if (isEstablished) this.#serve(definition, 0, entry.resourceVersion);
      if (!isEstablished || !this.#isSettled(definition)) this.#enqueue(entry.name);
    }
    this.#unsubscribe.push(
      store.subscribe(definitionCollection, (event) => {
        if (event.type === 'DELETED') {
          this.#withdraw(event.entry.name);
          this.#accepted.delete(event.entry.name);
          this.#lookAgain((event.entry.object as Definition).spec.group);
        }
        this.#enqueue(event.entry.name);
      }),
    );
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#queue;
    for (const timer of this.#retries) clearTimeout(timer);
  }

  #enqueue(name: string): void {
    this.#queue = this.#queue.then(() =>
      this.#reconcile(name).catch((error: unknown) => {
        if (error instanceof StorageError) this.#retryLater(name);
        else if (!(error instanceof ApiError))
          this.#core.log(`apiserver: definition ${name}: ${String(error)}`);
      }),
    );
  }

  /** Names came free in a group, or may have: who was refused for them may have them now. */
  #lookAgain(group: string): void {
    for (const { name, object } of this.#core.store.collection(definitionCollection).entries()) {
      const definition = object as Definition;
      if (definition.spec.group !== group) continue;
      if (conditionOf(definition, 'NamesAccepted')?.status === 'False') this.#enqueue(name);
    }
  }

  /** What a full disk kept from being stored is tried again until there is room. */
  #retryLater(name: string): void {
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.#enqueue(name);
    }, 1000).unref();
    this.#retries.add(timer);
  }

  /** Whether there is nothing to do for it. */
  #isSettled(definition: Definition): boolean {
    if (definition.metadata.deletionTimestamp !== undefined) return false;
    const next = this.#statusOf(definition);
    return equalJson(next, definition.status);
  }

  async #reconcile(name: string): Promise<void> {
    const entry = this.#core.store.get(definitionCollection, name);
    if (entry === undefined) return;
    const definition = entry.copy() as Definition;
    if (definition.metadata.deletionTimestamp !== undefined) {
      await this.#finalize(definition);
      return;
    }
    const status = this.#statusOf(definition);
    const before = this.#accepted.get(name)?.names;
    this.#noteNames({ ...definition, status } as Definition);
    if (before !== undefined && !equalJson(before, status.acceptedNames))
      this.#lookAgain(definition.spec.group);
    // Clients may use the resource as soon as they read that it is established.
    const told = { ...definition, status } as Definition;
    if (
      ['NamesAccepted', 'Established'].every((type) => conditionOf(told, type)?.status === 'True')
    )
      this.#serve(told, entry.resourceVersion, entry.resourceVersion);
    if (JSON.stringify(status) !== JSON.stringify(definition.status)) {
      await this.#writeStatus(name, status);
    }
  }

  #statusOf(definition: Definition): Definition['status'] {
    return definitionStatus(definition, this.#core.now(), this.#takenIn(definition.spec.group));
  }

  /** Two definitions of one group cannot share a kind or a name. */
  #takenIn(group: string): TakenNames {
    const all = [...this.#accepted.values()].filter((each) => each.group === group);
    return takenNames(all.map(({ names }) => names));
  }

  #noteNames({ metadata, spec, status }: Definition): void {
    const names = status?.acceptedNames;
    const name = metadata.name as string;
    if (names === undefined) this.#accepted.delete(name);
    else this.#accepted.set(name, { group: spec.group, names });
  }

  /** `since`: the version in which the definition became what it is. */
  #serve(definition: Definition, resourceVersion: number, since: number): void {
    const name = definition.metadata.name as string;
    const { registry, store } = this.#core;
    const served = definition.spec.versions.filter((version) => version.served);
    const resources = served.map((version) =>
      customResource(this.#core, definition, version, since),
    );
    const known = this.#served.get(name) ?? [];
    if (known.length === 0 && resourceVersion > 0) {
      const [first] = resources;
      if (first !== undefined) store.history.beginCollection(first.collection, resourceVersion);
    }
    for (const old of known) {
      if (!resources.some((each) => each.version === old.version)) registry.remove(old);
    }
    for (const resource of resources) registry.set(resource);
    this.#served.set(name, resources);
  }

  #withdraw(name: string): void {
    for (const resource of this.#served.get(name) ?? []) this.#core.registry.remove(resource);
    this.#served.delete(name);
  }

  /** Deletes the objects, then lets the definition go. */
  async #finalize(definition: Definition): Promise<void> {
    if (!(definition.metadata.finalizers ?? []).includes(cleanupFinalizer)) return;
    const name = definition.metadata.name as string;
    const resource = this.#served.get(name)?.[0];
    const collection = `${definition.spec.group}/${definition.spec.names.plural}`;
    if (resource !== undefined) {
      for (const entry of this.#core.store.collection(collection).entries()) {
        await this.#deleteInstance(resource, entry.namespace, entry.name);
      }
      if (this.#core.store.collection(collection).size > 0) {
        this.#waitForLast(name, collection);
        return;
      }
    }
    await updateObject(this.#core, {
      ...this.#writer(name),
      subresource: 'finalize',
      isTracked: true,
      transform: (current: DynamicObject) => {
        current.metadata.finalizers = (current.metadata.finalizers ?? []).filter(
          (each) => each !== cleanupFinalizer,
        );
        return current;
      },
    });
  }

  /** Instances with finalizers of their own go when their controllers let them. */
  #waitForLast(name: string, collection: string): void {
    const unsubscribe = this.#core.store.subscribe(collection, () => {
      if (this.#core.store.collection(collection).size > 0) return;
      unsubscribe();
      this.#enqueue(name);
    });
    this.#unsubscribe.push(unsubscribe);
  }

  async #deleteInstance(resource: Resource, namespace: string, name: string): Promise<void> {
    try {
      await deleteObject(this.#core, {
        resource,
        namespace,
        name,
        user: serverUser,
        options: plainDeletion,
        warn: () => undefined,
      });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
    }
  }

  async #writeStatus(name: string, status: Definition['status']): Promise<void> {
    await updateObject(this.#core, {
      ...this.#writer(name),
      subresource: 'status',
      transform: (current: DynamicObject) => {
        current.status = status;
        delete current.metadata.resourceVersion;
        return current;
      },
    });
  }

  #writer(name: string) {
    const resource = this.#core.registry.find(
      'apiextensions.k8s.io',
      'v1',
      'customresourcedefinitions',
    ) as Resource;
    return {
      // The server's own writes build on what they just read.
      resource: {
        ...resource,
        strategy: { ...resource.strategy, allowsUnconditionalUpdate: true },
      },
      namespace: '',
      name,
      user: serverUser,
      fieldManager: 'kube-apiserver',
      isDryRun: false,
      warn: () => undefined,
    };
  }
}
