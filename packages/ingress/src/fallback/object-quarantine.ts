import type { KubeObject } from '@waygate/schema';
import type { ObjectChange } from '../translate/incremental/cluster-translator.ts';
import { affectedBy } from './exclude-broken.ts';
import { type FallbackReport, fallbackReport } from './fallback-report.ts';
import { dependenciesOf, idOf, type ObjectId } from './object-graph.ts';

/**
 * Stands between the cluster and the translation. Objects that a gateway refused are held back, so
 * that the others can go live: an object that was good before stays in its last good version, one
 * that never was is left out with everything that depends on it. It gets its next chance when it, or
 * something that it depends on, changes.
 */
export class ObjectQuarantine {
  readonly #ingressClass: string;
  /** The cluster as it is. */
  readonly #cluster = new Map<ObjectId, KubeObject>();
  /** The version of each object that gateways last took. */
  readonly #good = new Map<ObjectId, KubeObject>();
  /** Refused, in exactly this version. */
  readonly #broken = new Map<ObjectId, KubeObject>();
  /** Left out of the translation because they, or what they depend on, are broken. */
  #excluded: ReadonlySet<ObjectId> = new Set();
  /** What the translation has of objects that changed since the last pass began. */
  readonly #pending = new Map<ObjectId, KubeObject | undefined>();
  /** And of those that a pass that has not ended well yet brings to the gateways. */
  readonly #underWay = new Map<ObjectId, KubeObject | undefined>();

  constructor(ingressClass: string) {
    this.#ingressClass = ingressClass;
  }

  get brokenCount(): number {
    return this.#broken.size;
  }

  get excludedCount(): number {
    return this.#excluded.size;
  }

  /** For people: what is held back, and because of what. */
  report(): FallbackReport {
    return fallbackReport({
      cluster: this.#cluster,
      broken: this.#broken,
      excluded: this.#excluded,
      ingressClass: this.#ingressClass,
    });
  }

  isExcluded(id: ObjectId): boolean {
    return this.#excluded.has(id);
  }

  objects(): Iterable<KubeObject> {
    return this.#cluster.values();
  }

  objectOf(id: ObjectId): KubeObject | undefined {
    return this.#cluster.get(id);
  }

  /** Takes a change of the cluster; returns what the translation is to be told. */
  admit(change: ObjectChange): ObjectChange[] {
    const { type, object } = change;
    const id = idOf(object);
    if (id === undefined) return [];
    if (type === 'put') this.#cluster.set(id, object);
    else {
      this.#cluster.delete(id);
      this.#good.delete(id);
    }
    const dependencies = this.#broken.size === 0 ? [] : dependenciesOf(object, this.#ingressClass);
    const concernsBroken =
      this.#broken.has(id) ||
      (this.#excluded.size > 0 && dependencies.some((one) => this.#excluded.has(one))) ||
      [...this.#broken.values()].some((one) =>
        dependenciesOf(one, this.#ingressClass).includes(id),
      );
    if (!concernsBroken && !this.#excluded.has(id)) {
      this.#pending.set(id, type === 'put' ? object : undefined);
      return [change];
    }
    this.#release(id);
    return this.#settle([id]);
  }

  /** Gateways refused these objects; returns what the translation is to be told. */
  reject(ids: Iterable<ObjectId>): ObjectChange[] {
    const added: ObjectId[] = [];
    for (const id of ids) {
      const object = this.#cluster.get(id);
      if (object === undefined) continue;
      // Refused although it is held back: then what stands in for it is no better.
      if (this.#broken.get(id) === object && !this.#good.delete(id)) continue;
      this.#broken.set(id, object);
      added.push(id);
    }
    return added.length === 0 ? [] : this.#settle(added);
  }

  /** A pass begins: what the translation was told until now goes to the gateways. */
  begin(): void {
    for (const [id, object] of this.#pending) this.#underWay.set(id, object);
    this.#pending.clear();
  }

  /** Gateways took everything that was told before the pass began. */
  accepted(): void {
    for (const [id, object] of this.#underWay) {
      if (object === undefined) this.#good.delete(id);
      else this.#good.set(id, object);
    }
    this.#underWay.clear();
  }

  /** A change of a broken object, or of what it depends on, is its next chance. */
  #release(id: ObjectId): void {
    for (const [broken, object] of this.#broken) {
      const isConcerned = broken === id || dependenciesOf(object, this.#ingressClass).includes(id);
      if (isConcerned) this.#broken.delete(broken);
    }
  }

  /** Works out anew who is excluded, and says what that changes for the translation. */
  #settle(touched: readonly ObjectId[]): ObjectChange[] {
    const hopeless = new Set<ObjectId>();
    for (const [id, object] of this.#broken) {
      const good = this.#good.get(id);
      if (good === undefined || good === object) hopeless.add(id);
    }
    const before = this.#excluded;
    this.#excluded =
      hopeless.size === 0
        ? hopeless
        : affectedBy([...this.#cluster.values()], hopeless, this.#ingressClass);
    const ids = new Set([...touched, ...before, ...this.#excluded, ...this.#broken.keys()]);
    return [...ids].flatMap((id) => this.#tell(id));
  }

  #tell(id: ObjectId): ObjectChange[] {
    const actual = this.#cluster.get(id);
    const good = this.#good.get(id);
    const effective = this.#broken.has(id) && good !== undefined ? good : actual;
    if (effective === undefined || this.#excluded.has(id)) {
      const known = actual ?? good;
      this.#pending.set(id, undefined);
      return known === undefined ? [] : [{ type: 'delete', object: known }];
    }
    this.#pending.set(id, effective);
    return [{ type: 'put', object: effective }];
  }
}
