import type { DynamicObject } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { classAnnotation } from '../view/seen-object.ts';

/** Fields of a spec that the view reads: of sources and of what applies them. */
const specFields = [
  'suspend',
  'url',
  'sourceRef',
  'chartRef',
  'chart',
  'ingressClassName',
  'controller',
];
const statusFields = ['conditions', 'parents', 'artifact', 'lastAppliedRevision', 'inventory'];

/**
 * As much of an object as is kept for pages that show many. Whatever else it holds, secrets among it, is
 * not in the memory of the dashboard at all: a page of one object reads it as the person who looks.
 */
export function slimObject(object: DynamicObject): DynamicObject {
  const {
    name,
    namespace,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp,
    annotations,
  } = object.metadata;
  const ingressClass = annotations?.[classAnnotation];
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      generation,
      creationTimestamp,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(ingressClass === undefined ? {} : { annotations: { [classAnnotation]: ingressClass } }),
    },
    ...picked('spec', object.spec, specFields),
    ...picked('status', object.status, statusFields),
  } as DynamicObject;
}

function picked(name: string, part: unknown, fields: readonly string[]): object {
  if (!isObject(part)) return {};
  const kept = fields.filter((field) => part[field] !== undefined);
  if (kept.length === 0) return {};
  return { [name]: Object.fromEntries(kept.map((field) => [field, part[field]])) };
}
