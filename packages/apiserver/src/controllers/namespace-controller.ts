import type { DynamicObject } from '@waygate/schema';
import type { Core } from '../core/core.ts';
import { formatTime } from '../decode/time-text.ts';
import type { Resource } from '../resources/resource.ts';
import { Controller } from './controller.ts';
import { ControllerWriter } from './writer.ts';

/** Empties a namespace that is to go, and then lets it. */
export class NamespaceController extends Controller {
  readonly #writer: ControllerWriter;

  constructor(core: Core) {
    super(core);
    this.#writer = new ControllerWriter(core);
  }

  start(): void {
    for (const entry of this.core.store.collection('namespaces').entries())
      this.enqueue(entry.name);
    this.follow('namespaces', (event) => this.enqueue(event.entry.name));
  }

  protected async reconcile(name: string): Promise<void> {
    const entry = this.core.store.get('namespaces', name);
    if (entry?.object.metadata.deletionTimestamp === undefined) return;
    const remaining: Resource[] = [];
    for (const resource of this.#contents()) {
      const collection = this.core.store.collection(resource.collection);
      for (const item of collection.entries(name)) {
        await this.#writer.delete(resource, item.namespace, item.name, {
          propagationPolicy: 'Background',
          gracePeriodSeconds: 0,
        });
      }
      if (collection.entries(name).length > 0) remaining.push(resource);
    }
    await this.#writeConditions(name, remaining);
    if (remaining.length > 0) {
      for (const resource of remaining) this.#waitFor(name, resource.collection);
      return;
    }
    await this.#finalize(name);
  }

  /** Each stored resource once, whatever its versions. */
  #contents(): Resource[] {
    const byCollection = new Map<string, Resource>();
    for (const resource of this.core.registry.all()) {
      if (
        resource.isNamespaced &&
        resource.verbs.includes('delete') &&
        !byCollection.has(resource.collection)
      ) {
        byCollection.set(resource.collection, resource);
      }
    }
    return [...byCollection.values()];
  }

  #waitFor(name: string, collection: string): void {
    const unsubscribe = this.core.store.subscribe(collection, (event) => {
      if (event.type !== 'DELETED' || event.entry.namespace !== name) return;
      unsubscribe();
      this.enqueue(name);
    });
    this.onStop(unsubscribe);
  }

  async #writeConditions(name: string, remaining: readonly Resource[]): Promise<void> {
    const time = formatTime(this.core.now());
    const condition = (type: string, isProblem: boolean, reason: string, message: string) => ({
      type,
      status: isProblem ? 'True' : 'False',
      lastTransitionTime: time,
      reason,
      message,
    });
    const counts = remaining.map((resource) => {
      const count = this.core.store.collection(resource.collection).entries(name).length;
      const place =
        resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
      return `${place.includes('.') ? place : `${place}.`} has ${count} resource instances`;
    });
    const finalizers = new Map<string, number>();
    for (const resource of remaining) {
      for (const item of this.core.store.collection(resource.collection).entries(name)) {
        for (const each of item.object.metadata.finalizers ?? [])
          finalizers.set(each, (finalizers.get(each) ?? 0) + 1);
      }
    }
    const held = [...finalizers].map(([each, count]) => `${each} in ${count} resource instances`);
    const isHeld = remaining.length > 0;
    const namespaces = this.#writer.resource('', 'v1', 'namespaces');
    await this.#writer.update(
      namespaces,
      '',
      name,
      (current) => {
        const status = (current.status ?? {}) as Record<string, unknown>;
        if (!isHeld && status.conditions === undefined) return;
        current.status = {
          ...status,
          phase: 'Terminating',
          conditions: [
            condition(
              'NamespaceDeletionDiscoveryFailure',
              false,
              'ResourcesDiscovered',
              'All resources successfully discovered',
            ),
            condition(
              'NamespaceDeletionGroupVersionParsingFailure',
              false,
              'ParsedGroupVersions',
              'All legacy kube types successfully parsed',
            ),
            condition(
              'NamespaceDeletionContentFailure',
              false,
              'ContentDeleted',
              'All content successfully deleted, may be waiting on finalization',
            ),
            isHeld
              ? condition(
                  'NamespaceContentRemaining',
                  true,
                  'SomeResourcesRemain',
                  `Some resources are remaining: ${counts.join(', ')}`,
                )
              : condition(
                  'NamespaceContentRemaining',
                  false,
                  'ContentRemoved',
                  'All content successfully removed',
                ),
            held.length > 0
              ? condition(
                  'NamespaceFinalizersRemaining',
                  true,
                  'SomeFinalizersRemain',
                  `Some content in the namespace has finalizers remaining: ${held.join(', ')}`,
                )
              : condition(
                  'NamespaceFinalizersRemaining',
                  false,
                  'ContentHasNoFinalizers',
                  'All content-preserving finalizers finished',
                ),
          ],
        };
      },
      'status',
    );
  }

  async #finalize(name: string): Promise<void> {
    const namespaces = this.#writer.resource('', 'v1', 'namespaces');
    await this.#writer.update(namespaces, '', name, removeFinalizer, 'finalize');
  }
}

function removeFinalizer(current: DynamicObject): void {
  const spec = (current.spec ?? {}) as { finalizers?: string[] };
  const finalizers = (spec.finalizers ?? []).filter((each) => each !== 'kubernetes');
  current.spec = finalizers.length === 0 ? {} : { ...spec, finalizers };
}
