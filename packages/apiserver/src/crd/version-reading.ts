import type { DynamicObject } from '@waygate/schema';
import type { Core } from '../core/core.ts';
import type { StoredReading } from '../resources/resource.ts';
import type { Entry } from '../storage/entry.ts';
import { ConversionWebhook } from './conversion-webhook.ts';
import type { Definition, DefinitionVersion } from './definition.ts';
import { fillDefaults, pruneObject } from './pruning.ts';

/**
 * How stored objects become those of one served version. An object that was written in this version
 * since the definition last changed is served as it is; others get the defaults of the version that they
 * are stored in, and lose what the served one does not know, as after each read from etcd. With a webhook, objects of other versions are
 * converted before anybody reads them: {@link StoredReading.prepare}.
 */
export function versionReading(
  core: Core,
  definition: Definition,
  version: DefinitionVersion,
  since: number,
): StoredReading {
  const { group, versions, names, conversion } = definition.spec;
  const stored = versions.find((each) => each.storage)?.name ?? version.name;
  const schema = version.schema?.openAPIV3Schema;
  const schemaOf = (name: string) =>
    versions.find((each) => each.name === name)?.schema?.openAPIV3Schema;
  const versionOf = (entry: Entry) => entry.storedVersion ?? stored;
  const settle = (object: DynamicObject) => {
    pruneObject(object, schema);
    fillDefaults(object, schema);
    return object;
  };
  const isAsStored = (entry: Entry) =>
    versionOf(entry) === version.name && entry.resourceVersion >= since;
  if (conversion?.strategy !== 'Webhook') {
    return {
      isAsStored,
      read(entry) {
        const object = entry.copy();
        if (isAsStored(entry)) return object;
        // The version that it was stored in fills it in, and the one that is asked for has its say
        // of what it knows: nothing is filled in for that one.
        const own = schemaOf(versionOf(entry)) ?? schema;
        pruneObject(object, own);
        fillDefaults(object, own);
        if (own !== schema) pruneObject(object, schema);
        return object;
      },
      ...(stored === version.name
        ? {}
        : {
            async toStorage(object: DynamicObject) {
              const copy = structuredClone(object);
              pruneObject(copy, schemaOf(stored));
              fillDefaults(copy, schemaOf(stored));
              return copy;
            },
          }),
    };
  }
  const webhook = new ConversionWebhook(core, definition);
  /** Kept with the entry: what was converted once is neither asked for again nor kept any longer. */
  const converted = new WeakMap<Entry, DynamicObject>();
  const withVersion = (object: DynamicObject, name: string): DynamicObject => ({
    ...object,
    apiVersion: `${group}/${name}`,
    kind: names.kind,
  });
  return {
    isAsStored,
    read(entry) {
      if (versionOf(entry) === version.name) return settle(entry.copy());
      const object = converted.get(entry);
      if (object === undefined) throw new Error(`${entry.key} was read before it was converted`);
      return structuredClone(object);
    },
    async prepare(entries) {
      const others: Entry[] = [];
      for (const entry of entries) {
        if (versionOf(entry) !== version.name && !converted.has(entry)) others.push(entry);
      }
      if (others.length === 0) return;
      const objects = await webhook.convert(
        others.map((entry) => withVersion(entry.copy(), versionOf(entry))),
        `${group}/${version.name}`,
      );
      for (const [index, entry] of others.entries()) {
        const { kind: _kind, apiVersion: _apiVersion, ...rest } = objects[index] as DynamicObject;
        converted.set(entry, settle(rest as DynamicObject));
      }
    },
    async toStorage(object) {
      if (stored === version.name) return object;
      const [result] = await webhook.convert(
        [withVersion(object, version.name)],
        `${group}/${stored}`,
      );
      return result as DynamicObject;
    },
  };
}
