import type { JsonObject } from '@waygate/text';

/** An object that an empty server takes as it is, and the collection that it goes to. */
export interface SoundObject {
  readonly collection: string;
  readonly object: JsonObject;
}

/** The rules and subjects of roles and bindings. */
export const rules = [
  { apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'] },
];
/** Whom a binding is for. */
export const subjects = [{ kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' }];

/** An object with the metadata that all have, by the path of its collection. */
export function sound(collection: string, kind: string, rest: JsonObject): SoundObject {
  const version = collection
    .replace(/^\/apis?\//, '')
    .replace(/\/(?:namespaces\/[^/]+\/)?[^/]+$/, '');
  const { metadata, ...others } = rest;
  return {
    collection,
    object: {
      apiVersion: version,
      kind,
      metadata: {
        name: 'a',
        labels: { app: 'a' },
        annotations: { note: 'n' },
        finalizers: ['example.com/f'],
        ...((metadata ?? {}) as JsonObject),
      },
      ...others,
    },
  };
}
