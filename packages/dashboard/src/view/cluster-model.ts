import type { Origin, ShownObject } from '../protocol/reference.ts';
import { MultiMap } from './multi-map.ts';
import { objectKey } from './object-key.ts';
import type { SeenObject } from './seen-object.ts';

/** What is known of the cluster's objects, and what leads from one to the other. All by key. */
export class ClusterModel {
  readonly seen = new Map<string, SeenObject>();

  /** Ingresses of a class of ingress-nginx: of one that its controller has, or that is called as its own is. */
  nginxIngresses(): SeenObject[] {
    const all = [...this.seen.values()].filter(({ ingressClass }) => ingressClass !== undefined);
    const classes = new Map(
      all.flatMap(({ object, ingressClass }) =>
        object.kind === 'IngressClass' ? [[object.name, ingressClass]] : [],
      ),
    );
    return all.filter(
      ({ object, ingressClass = '' }) =>
        object.kind === 'Ingress' &&
        (classes.has(ingressClass)
          ? classes.get(ingressClass) === 'k8s.io/ingress-nginx'
          : ingressClass === 'nginx'),
    );
  }
  /** Objects that some Kustomization has applied, whether or not their kind is followed. */
  readonly #applied = new Map<string, { readonly object: ShownObject; applier: string }>();
  /**
   * The revision that an object was last changed by. It is not that of its Kustomization: a commit
   * that did not touch the object changes nothing of what is shown of it.
   */
  readonly #revisions = new Map<string, string>();
  readonly #appliersOf = new MultiMap<string>();

  /** Puts an object, or takes it away; says of which objects something else is to be shown now. */
  change(key: string, now: SeenObject | undefined): ReadonlySet<string> {
    const before = this.seen.get(key);
    const touched = new Set([key]);
    for (const each of [before, now]) if (each?.source) touched.add(objectKey(each.source));
    if (before?.source) this.#appliersOf.delete(objectKey(before.source), key);
    if (now === undefined) this.seen.delete(key);
    else this.seen.set(key, now);
    if (now?.source) this.#appliersOf.add(objectKey(now.source), key);
    this.#changeInventory(key, before, now, touched);
    return touched;
  }

  /** Notes what a reconciliation changed, so that it is shown where each object comes from. */
  noteApplied(revision: string, objects: Iterable<ShownObject>): ReadonlySet<string> {
    const touched = new Set<string>();
    for (const object of objects) {
      const key = objectKey(object);
      if (this.#revisions.get(key) === revision) continue;
      this.#revisions.set(key, revision);
      touched.add(key);
    }
    return touched;
  }

  /** The object with this key, as far as it is known. */
  object(key: string): ShownObject | undefined {
    return this.seen.get(key)?.object ?? this.#applied.get(key)?.object;
  }

  applierOf(key: string): SeenObject | undefined {
    return this.seen.get(this.#applied.get(key)?.applier ?? '');
  }

  /** The Kustomizations of a source. */
  appliersOf(source: string): ReadonlySet<string> {
    return this.#appliersOf.get(source);
  }

  originOf(key: string): Origin | undefined {
    const applier = this.applierOf(key);
    if (applier === undefined) return undefined;
    const revision = this.#revisions.get(key) ?? applier.revision;
    const commit = commitOf(revision);
    return {
      kustomization: applier.object,
      ...(applier.source === undefined ? {} : { source: applier.source }),
      ...(revision === undefined ? {} : { revision }),
      ...(commit === undefined ? {} : { commit }),
    };
  }

  /** Cost follows what differs between two inventories, but for reading both once. */
  #changeInventory(
    key: string,
    before: SeenObject | undefined,
    now: SeenObject | undefined,
    touched: Set<string>,
  ): void {
    if (before?.inventory === now?.inventory) return;
    const had = new Map((before?.inventory ?? []).map((object) => [objectKey(object), object]));
    for (const object of now?.inventory ?? []) {
      const id = objectKey(object);
      const known = this.#applied.get(id);
      if (had.delete(id) && known?.applier === key) continue;
      this.#applied.set(id, { object, applier: key });
      if (now?.revision !== undefined) this.#revisions.set(id, now.revision);
      touched.add(id);
    }
    for (const id of had.keys()) {
      if (this.#applied.get(id)?.applier !== key) continue;
      this.#applied.delete(id);
      this.#revisions.delete(id);
      touched.add(id);
    }
  }
}

/** The commit that a revision of a Git source names, whole: `main@sha1:…`. */
export function commitOf(revision: string | undefined): string | undefined {
  return /(?:^|@)sha1:([0-9a-f]{40})$/.exec(revision ?? '')?.[1];
}
