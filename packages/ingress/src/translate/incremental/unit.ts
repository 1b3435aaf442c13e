import type { KubeObject } from '@waygate/schema';
import type { KindId } from '../../objects/kind-id.ts';
import { keyOf } from '../../objects/reference.ts';
import { isFamily } from '../route-rules.ts';
import type { GlobalPart } from './global-entities.ts';

/** A part of the configuration that is made as a whole and remade as a whole. */
export type Unit =
  | `rules ${string}`
  | `service ${string}`
  | `consumer ${string}`
  | `group ${string}`
  | `plugin ${string}`
  /** Not of the configuration, but made from the same objects. */
  | `derived ${string}`
  | 'certificates'
  | 'default backend'
  | GlobalPart;

/** What follows the sort of a unit: the name of an object, a service, a plugin. */
export function nameOfUnit(unit: Unit): string {
  return unit.slice(unit.indexOf(' ') + 1);
}

/** The unit that exists because this object does. */
export function unitOf(kind: KindId, object: KubeObject): Unit | undefined {
  if (isFamily(kind)) return `rules ${kind} ${keyOf(object)}`;
  if (kind === 'KongConsumer') return `consumer ${keyOf(object)}`;
  return kind === 'KongConsumerGroup' ? `group ${keyOf(object)}` : undefined;
}
