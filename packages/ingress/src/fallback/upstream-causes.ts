import type { KubeObject } from '@waygate/schema';
import { referenceTo } from '../objects/reference.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotation, annotationsOf } from '../translate/annotations.ts';
import type { Problem } from '../translate/problem.ts';
import { objectFromTags } from '../translate/tags.ts';
import type { RefusedEntity } from './locate-refused.ts';

const sources = [
  { kind: 'KongUpstreamPolicy', named: 'upstream-policy' },
  { kind: 'KongIngress', named: 'override' },
] as const;

/**
 * An upstream is tagged with its Service, but how it balances is said elsewhere: who wrote that is to
 * hear what a gateway has against it.
 */
export function upstreamCauses(refused: readonly RefusedEntity[], reader: ObjectReader): Problem[] {
  return refused.flatMap(({ collection, tags, name }) => {
    const owner = collection === 'upstreams' ? objectFromTags(tags) : undefined;
    if (owner?.kind !== 'Service') return [];
    const service = reader.get<KubeObject>('Service', owner.namespace, owner.name);
    if (service === undefined) return [];
    return sources.flatMap(({ kind, named }) => {
      const source = annotation(annotationsOf(service), named);
      const object = source && reader.get<KubeObject>(kind, owner.namespace, source);
      if (!object) return [];
      const message = `invalid upstream${name ? ` ${name}` : ''} of Service ${owner.name}: the gateway refuses it`;
      return [{ object: referenceTo(object), message }];
    });
  });
}
