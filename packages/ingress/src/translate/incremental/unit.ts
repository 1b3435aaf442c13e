import type { KubeObject } from '@waygate/schema';
import type { KindId } from '../../objects/kind-id.ts';
import { nameOfObject, type ObjectName } from '../../objects/object-id.ts';
import { namespacedKey } from '../../objects/reference.ts';
import { entryOf } from '../../store/entry-of.ts';
import type { PluginName } from '../plugin-use.ts';
import { isFamily } from '../route-rules.ts';
import type { Family } from '../service-claim.ts';
import type { GlobalPart } from './global-entities.ts';

/** A part of the configuration that is made as a whole and remade as a whole. `key` is unique in its sort. */
export type Unit =
  /** The rules of one object; `key` is `kind namespace/name`. */
  | {
      readonly sort: 'rules';
      readonly key: string;
      readonly family: Family;
      readonly object: ObjectName;
    }
  /** Made from one object; `key` is `namespace/name`. */
  | { readonly sort: 'consumer' | 'group'; readonly key: string; readonly object: ObjectName }
  | { readonly sort: 'service'; readonly key: string }
  /** A virtual host of ingress-nginx' Ingresses; `key` is its name. */
  | { readonly sort: 'nginx server'; readonly key: string }
  | { readonly sort: 'plugin'; readonly key: string; readonly plugin: PluginName }
  /** Not of the configuration, but made from the same objects. */
  | { readonly sort: 'derived'; readonly key: string }
  /** Those that there is one of. */
  | {
      readonly sort: 'certificates' | 'default backend' | 'nginx streams' | GlobalPart;
      readonly key: '';
    };

export type UnitSort = Unit['sort'];
export type UnitOf<Sort extends UnitSort> = Unit & { readonly sort: Sort };

/** The unit that exists because this object does. */
export function unitOf(kind: KindId, object: KubeObject): Unit | undefined {
  const name = nameOfObject(kind, object);
  const key = namespacedKey(name.namespace, name.name);
  if (isFamily(kind)) return { sort: 'rules', key: `${kind} ${key}`, family: kind, object: name };
  if (kind === 'KongConsumer') return { sort: 'consumer', key, object: name };
  return kind === 'KongConsumerGroup' ? { sort: 'group', key, object: name } : undefined;
}

/** Every unit as one object, so that it can be told from others by identity; and which are to be remade. */
export class UnitTable {
  readonly #units = new Map<UnitSort, Map<string, Unit>>();
  /** Every one of them is in `#units`. */
  readonly #dirty = new Map<UnitSort, Set<Unit>>();

  /** The one object that stands for this unit: the given one, when there was none. */
  of(unit: Unit): Unit {
    const units = entryOf(this.#units, unit.sort, () => new Map<string, Unit>());
    const known = units.get(unit.key);
    if (known !== undefined) return known;
    units.set(unit.key, unit);
    return unit;
  }

  /** The unit is to be made, again or for the first time. */
  soil(unit: Unit): void {
    entryOf(this.#dirty, unit.sort, () => new Set<Unit>()).add(this.of(unit));
  }

  isDirty(unit: Unit): boolean {
    return this.#dirty.get(unit.sort)?.has(this.of(unit)) ?? false;
  }

  /** The unit is being made. */
  clean(unit: Unit): void {
    this.#dirty.get(unit.sort)?.delete(this.of(unit));
  }

  /** The units of a sort that are to be made, which they are no longer. */
  take<Sort extends UnitSort>(sort: Sort): readonly UnitOf<Sort>[] {
    const units = this.dirty(sort);
    this.#dirty.delete(sort);
    return units;
  }

  /** The same, without taking them. */
  dirty<Sort extends UnitSort>(sort: Sort): readonly UnitOf<Sort>[] {
    return [...(this.#dirty.get(sort) ?? [])] as UnitOf<Sort>[];
  }

  /** There is nothing left that it could be made from. */
  forget(unit: Unit): void {
    this.#units.get(unit.sort)?.delete(unit.key);
  }
}
