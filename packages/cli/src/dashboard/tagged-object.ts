import type { ShownObject } from '@waygate/dashboard';
import { objectFromTags } from '@waygate/ingress';

/** The object that an entity of the gateway was made from, by its tags. */
export function taggedObject(tags: readonly string[]): ShownObject | undefined {
  const object = objectFromTags(tags);
  if (object === undefined || object.name === 'UNKNOWN') return undefined;
  const { version, kind, namespace, name } = object;
  const group = object.group === 'core' ? '' : object.group;
  return { group, version, kind, namespace, name };
}
