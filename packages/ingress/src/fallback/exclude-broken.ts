import type { KubeObject } from '@waygate/schema';
import { idOf, type ObjectId } from '../objects/object-id.ts';
import { dependenciesOf } from './object-graph.ts';

/**
 * A cluster without the objects that the gateway rejected, and without what cannot work without them.
 * What is left can go live.
 */
export interface Exclusion {
  readonly kept: KubeObject[];
  /** The broken objects and everything that depends on them. */
  readonly excluded: KubeObject[];
}

export function excludeBroken(
  objects: Iterable<KubeObject>,
  broken: ReadonlySet<ObjectId>,
  ingressClass: string,
): Exclusion {
  const all = [...objects];
  const excluded = affectedBy(all, broken, ingressClass);
  const isExcluded = (object: KubeObject) => excluded.has(idOf(object) ?? '');
  return {
    kept: all.filter((object) => !isExcluded(object)),
    excluded: all.filter(isExcluded),
  };
}

/** The broken objects with all that depend on them, directly or through others. */
export function affectedBy(
  objects: readonly KubeObject[],
  broken: ReadonlySet<ObjectId>,
  ingressClass: string,
): Set<ObjectId> {
  const dependants = new Map<ObjectId, ObjectId[]>();
  for (const object of objects) {
    const id = idOf(object);
    if (id === undefined) continue;
    for (const dependency of dependenciesOf(object, ingressClass)) {
      const known = dependants.get(dependency);
      if (known === undefined) dependants.set(dependency, [id]);
      else known.push(id);
    }
  }
  const affected = new Set<ObjectId>(broken);
  // A set grows while it is walked over: what is added is visited too.
  for (const id of affected)
    for (const dependant of dependants.get(id) ?? []) affected.add(dependant);
  return affected;
}
