import type { KongCustomEntityResource } from '../objects/kong-resources.ts';
import { referenceTo } from '../objects/reference.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { toDeclarativeConfig } from '../translate/declarative-config.ts';
import type { KongState } from '../translate/kong-state.ts';
import type { Problem } from '../translate/problem.ts';
import { objectFromTags } from '../translate/tags.ts';

/**
 * Who asks for entities of collections that a gateway does not have: consumer groups of a Kong that
 * is not Enterprise, or entities of a plugin that is not installed. They must not stop the others.
 */
export function locateUnknown(
  collections: readonly string[],
  state: KongState,
  reader: ObjectReader,
): Problem[] {
  const problems: Problem[] = [];
  const document = toDeclarativeConfig(state, { isDbless: true });
  for (const collection of collections) {
    const message = `the gateway has no ${collection}`;
    for (const entity of (document[collection] ?? []) as { tags?: readonly string[] }[]) {
      const object = objectFromTags(entity.tags ?? []);
      if (object === undefined) continue;
      const { group, version, kind, name, namespace, uid } = object;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      problems.push({ object: { apiVersion, kind, namespace, name, uid }, message });
    }
    for (const custom of reader.list<KongCustomEntityResource>('KongCustomEntity'))
      if (custom.spec?.type === collection)
        problems.push({ object: referenceTo(custom), field: 'spec.type', message });
  }
  return problems;
}
