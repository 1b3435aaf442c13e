import { apiVersionOf, type KubeObject, parseApiVersion } from '@waygate/schema';
import type { ObjectReference } from '../objects/reference.ts';
import { annotationList, annotationsOf } from './annotations.ts';

/**
 * The tags that lead from a Kong entity back to the object that it was made from. Kong's error
 * answers quote them, so that a rejection can be pinned on an object; trace follows them too.
 *
 * ```ts
 * tagsOf({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web', namespace: 'shop' } }); // ['k8s-name:web', 'k8s-namespace:shop', 'k8s-kind:Ingress', 'k8s-group:networking.k8s.io', 'k8s-version:v1']
 * ```
 */
export function tagsOf(object: KubeObject, ruleNames: readonly string[] = []): string[] {
  const { group, version } = parseApiVersion(object.apiVersion ?? '');
  const { name, namespace, uid } = object.metadata;
  const tags: string[] = [];
  if (name) tags.push(`k8s-name:${name}`);
  if (namespace) tags.push(`k8s-namespace:${namespace}`);
  if (object.kind) tags.push(`k8s-kind:${object.kind}`);
  if (uid) tags.push(`k8s-uid:${uid}`);
  if (group) tags.push(`k8s-group:${group}`);
  if (version) tags.push(`k8s-version:${version}`);
  const add = (tag: string) => {
    if (!tags.includes(tag)) tags.push(tag);
  };
  for (const rule of ruleNames) if (rule !== '') add(`k8s-named-route-rule:${rule}`);
  // Nobody can pass an entity off as made from another object.
  for (const tag of annotationList(annotationsOf(object), 'tags') ?? [])
    if (!tag.startsWith('k8s-')) add(tag);
  return tags;
}

/** What stands in the place of a Service's tags when none of a rule's Services exists. */
export const unknownServiceTags: readonly string[] = [
  'k8s-name:UNKNOWN',
  'k8s-namespace:UNKNOWN',
  'k8s-kind:Service',
  'k8s-uid:00000000-0000-0000-0000-000000000000',
  'k8s-group:core',
  'k8s-version:v1',
];

/** An object as tags name it. */
interface TaggedObject {
  readonly name: string;
  readonly namespace: string;
  readonly kind: string;
  readonly uid: string;
  readonly group: string;
  readonly version: string;
}

/**
 * The object that a list of `k8s-*` tags points to, or undefined when they do not name one.
 *
 * ```ts
 * objectFromTags(['k8s-name:web', 'k8s-namespace:shop', 'k8s-kind:Ingress', 'k8s-group:networking.k8s.io', 'k8s-version:v1']); // { name: 'web', kind: 'Ingress', namespace: 'shop', uid: '', group: 'networking.k8s.io', version: 'v1' }
 * ```
 */
export function objectFromTags(tags: readonly string[] = []): TaggedObject | undefined {
  const value = (prefix: string) =>
    tags.find((tag) => tag.startsWith(prefix))?.slice(prefix.length) ?? '';
  const name = value('k8s-name:');
  const kind = value('k8s-kind:');
  if (name === '' || kind === '') return undefined;
  return {
    name,
    kind,
    namespace: value('k8s-namespace:'),
    uid: value('k8s-uid:'),
    group: value('k8s-group:'),
    version: value('k8s-version:'),
  };
}

/** The same, as an Event is written on it. */
export function referenceFromTags(tags?: readonly string[]): ObjectReference | undefined {
  const object = objectFromTags(tags);
  if (object === undefined) return undefined;
  const { group, version, kind, name, namespace, uid } = object;
  return { apiVersion: apiVersionOf(group, version), kind, namespace, name, uid };
}
