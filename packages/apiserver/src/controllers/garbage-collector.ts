import type { OwnerReference } from '@waygate/schema';
import type { Core } from '../core/core.ts';
import type { Resource } from '../resources/resource.ts';
import type { Entry } from '../storage/entry.ts';
import type { StoreEvent } from '../storage/event-history.ts';
import { Controller } from './controller.ts';
import { ControllerWriter } from './writer.ts';

/** An object in the graph: where it is, and who owns it. */
interface Node {
  readonly collection: string;
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly OwnerReference[];
}

/**
 * Deletes what its owners left behind. The graph follows the store's events, so the cost of a
 * change is that of its own owners and dependents.
 */
export class GarbageCollector extends Controller {
  readonly #writer: ControllerWriter;
  readonly #nodes = new Map<string, Node>();
  /** The uids of the dependents of an owner's uid. */
  readonly #dependents = new Map<string, Set<string>>();
  readonly #followed = new Set<string>();

  constructor(core: Core) {
    super(core);
    this.#writer = new ControllerWriter(core);
  }

  start(): void {
    this.#followAll();
    this.onStop(this.core.registry.onChange(() => this.#followAll()));
  }

  #followAll(): void {
    for (const { collection, verbs } of this.core.registry.all()) {
      if (!verbs.includes('delete') || this.#followed.has(collection)) continue;
      // Events come and go by themselves and own nothing.
      if (collection === 'events') continue;
      this.#followed.add(collection);
      for (const entry of this.core.store.collection(collection).entries())
        this.#add(collection, entry);
      this.follow(collection, (event) => this.#onEvent(event));
    }
  }

  #onEvent(event: StoreEvent): void {
    const uid = event.entry.head.uid ?? '';
    if (event.type === 'DELETED') {
      this.#forget(uid);
      for (const dependent of this.#dependents.get(uid) ?? []) this.enqueue(dependent);
      return;
    }
    this.#add(event.collection, event.entry);
  }

  #add(collection: string, entry: Entry): void {
    const metadata = entry.head;
    const uid = metadata.uid ?? '';
    const owners = metadata.ownerReferences ?? [];
    this.#forget(uid);
    this.#nodes.set(uid, { collection, namespace: entry.namespace, name: entry.name, owners });
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid) ?? new Set();
      dependents.add(uid);
      this.#dependents.set(owner.uid, dependents);
    }
    const isBusy =
      metadata.deletionTimestamp !== undefined &&
      (metadata.finalizers ?? []).some(
        (each) => each === 'orphan' || each === 'foregroundDeletion',
      );
    if (owners.length > 0 || isBusy) this.enqueue(uid);
  }

  #forget(uid: string): void {
    const known = this.#nodes.get(uid);
    if (known === undefined) return;
    for (const owner of known.owners) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
      // An owner that waits for its dependents looks again.
      if (this.#nodes.has(owner.uid)) this.enqueue(owner.uid);
    }
    this.#nodes.delete(uid);
  }

  protected async reconcile(uid: string): Promise<void> {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    const key = node.namespace === '' ? node.name : `${node.namespace}/${node.name}`;
    const entry = this.core.store.get(node.collection, key);
    const resource = this.#resourceOf(node.collection);
    if (entry === undefined || resource === undefined || entry.object.metadata.uid !== uid) return;
    const { metadata } = entry.object;
    if (metadata.deletionTimestamp !== undefined) {
      if ((metadata.finalizers ?? []).includes('orphan')) await this.#orphan(uid, resource, entry);
      else if ((metadata.finalizers ?? []).includes('foregroundDeletion'))
        await this.#foreground(uid, resource, entry);
      return;
    }
    await this.#attend(uid, resource, entry);
  }

  /** An object with owners: gone when none is left, waiting when one of them waits for it. */
  async #attend(uid: string, resource: Resource, entry: Entry): Promise<void> {
    const owners = entry.object.metadata.ownerReferences ?? [];
    if (owners.length === 0) return;
    const solid: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const owner of owners) {
      const found = this.#ownerOf(owner, entry.namespace);
      if (found === 'unknown') return;
      if (found === 'absent') continue;
      const isWaiting =
        found.object.metadata.deletionTimestamp !== undefined &&
        (found.object.metadata.finalizers ?? []).includes('foregroundDeletion');
      (isWaiting ? waiting : solid).push(owner);
    }
    if (solid.length > 0) {
      if (solid.length === owners.length) return;
      const keep = new Set([...solid].map((owner) => owner.uid));
      await this.#writer.update(this.#lenient(resource), entry.namespace, entry.name, (current) => {
        current.metadata.ownerReferences = (current.metadata.ownerReferences ?? []).filter(
          (owner) => keep.has(owner.uid),
        );
      });
      return;
    }
    const hasDependents = (this.#dependents.get(uid)?.size ?? 0) > 0;
    const policy = waiting.length > 0 && hasDependents ? 'Foreground' : 'Background';
    await this.#writer.delete(resource, entry.namespace, entry.name, {
      uid,
      propagationPolicy: policy,
    });
  }

  #ownerOf(owner: OwnerReference, namespace: string): Entry | 'absent' | 'unknown' {
    const slash = owner.apiVersion.indexOf('/');
    const group = slash < 0 ? '' : owner.apiVersion.slice(0, slash);
    const version = owner.apiVersion.slice(slash + 1);
    const resource = this.core.registry.findKind(group, version, owner.kind);
    // A kind that is not served now may be later: nothing is deleted on a guess.
    if (resource === undefined) return 'unknown';
    const key = resource.isNamespaced ? `${namespace}/${owner.name}` : owner.name;
    const entry = this.core.store.get(resource.collection, key);
    return entry === undefined || entry.object.metadata.uid !== owner.uid ? 'absent' : entry;
  }

  /** Cuts the dependents loose, then lets the owner go. */
  async #orphan(uid: string, resource: Resource, entry: Entry): Promise<void> {
    for (const dependent of [...(this.#dependents.get(uid) ?? [])]) {
      const node = this.#nodes.get(dependent);
      const of = node === undefined ? undefined : this.#resourceOf(node.collection);
      if (node === undefined || of === undefined) continue;
      await this.#writer.update(this.#lenient(of), node.namespace, node.name, (current) => {
        const rest = (current.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
        if (rest.length === 0) delete current.metadata.ownerReferences;
        else current.metadata.ownerReferences = rest;
      });
    }
    await this.#removeFinalizer(resource, entry, 'orphan');
  }

  /** Deletes the dependents; the owner goes when those that block it are gone. */
  async #foreground(uid: string, resource: Resource, entry: Entry): Promise<void> {
    let isBlocked = false;
    for (const dependent of [...(this.#dependents.get(uid) ?? [])]) {
      const node = this.#nodes.get(dependent);
      if (node === undefined) continue;
      const blocks = node.owners.some(
        (owner) => owner.uid === uid && owner.blockOwnerDeletion === true,
      );
      this.enqueue(dependent);
      if (blocks) isBlocked = true;
    }
    if (!isBlocked) await this.#removeFinalizer(resource, entry, 'foregroundDeletion');
  }

  async #removeFinalizer(resource: Resource, entry: Entry, finalizer: string): Promise<void> {
    await this.#writer.update(this.#lenient(resource), entry.namespace, entry.name, (current) => {
      const rest = (current.metadata.finalizers ?? []).filter((each) => each !== finalizer);
      if (rest.length === 0) delete current.metadata.finalizers;
      else current.metadata.finalizers = rest;
    });
  }

  #lenient(resource: Resource): Resource {
    return { ...resource, strategy: { ...resource.strategy, allowsUnconditionalUpdate: true } };
  }

  #resourceOf(collection: string): Resource | undefined {
    for (const resource of this.core.registry.all()) {
      if (resource.collection === collection && resource.verbs.includes('delete')) return resource;
    }
    return undefined;
  }
}
