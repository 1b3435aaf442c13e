import type { CustomResourceDefinition, DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import { type Core, strategyContext } from '../core/core.ts';
import { type Definition, definitionCollection } from '../crd/definition.ts';
import { definitionStatus } from '../crd/definition-status.ts';
import { formatTime } from '../decode/time-text.ts';
import { FieldSet } from '../managed/field-set.ts';
import { applyOwnership } from '../managed/ownership.ts';
import { setManagers, trackUpdate } from '../managed/tracking.ts';
import { apiVersionText, type Resource } from '../resources/resource.ts';
import { emptyObject } from '../typed-schema/empty-object.ts';
import { serverUser } from './bootstrap.ts';

/** Definitions that whoever starts the server brings along. */
export interface OwnDefinitions {
  /** Who applied them, as `managedFields` tells it. */
  readonly fieldManager: string;
  /** Known to be good: nothing checks them, which for schemas with many rules takes longer than all else. */
  readonly objects: readonly CustomResourceDefinition[];
}

/**
 * Stores definitions as if each had been applied and accepted, past all gates, and returns those that are there
 * in another form: what somebody may have changed is for an ordinary apply, which knows of owners.
 */
export async function bootstrapDefinitions(
  core: Core,
  { fieldManager, objects }: OwnDefinitions,
): Promise<readonly CustomResourceDefinition[]> {
  const resource = core.registry.findKind(
    'apiextensions.k8s.io',
    'v1',
    'CustomResourceDefinition',
  ) as Resource;
  const { store } = core;
  // Beside definitions of others a name may be taken: that is for the controller to see.
  const isAlone = store.collection(definitionCollection).size === 0;
  const different: CustomResourceDefinition[] = [];
  const writes: Promise<unknown>[] = [];
  for (const given of objects) {
    const key = given.metadata.name ?? '';
    const found = store.getHead(definitionCollection, key);
    if (found === undefined) {
      const object = appliedDefinition(core, resource, given, fieldManager, isAlone);
      writes.push(
        store.write({ collection: definitionCollection, key, expected: undefined, object }),
      );
    } else if (!equalJson(found.copy().spec, withDefaults(resource, given).spec))
      different.push(given);
  }
  await Promise.all(writes);
  return different;
}

/** The definition as it is stored after an apply; with `isAccepted` also after the controller has seen it. */
function appliedDefinition(
  core: Core,
  resource: Resource,
  given: CustomResourceDefinition,
  fieldManager: string,
  isAccepted: boolean,
): DynamicObject {
  const time = formatTime(core.now());
  const { apiVersion: _apiVersion, kind: _kind, ...configuration } = given;
  const { managers } = applyOwnership(
    {
      live: emptyObject(resource.type) as Record<string, unknown>,
      managers: new Map(),
      type: resource.type,
      reset: resource.strategy.resetFields?.[''] ?? FieldSet.empty,
      manager: {
        manager: fieldManager,
        operation: 'Apply',
        apiVersion: apiVersionText(resource),
        subresource: '',
      },
      time,
    },
    configuration as unknown as Record<string, unknown>,
    true,
  );
  const object = withDefaults(resource, given);
  object.metadata.uid = core.uuid();
  object.metadata.generation = 1;
  object.metadata.creationTimestamp = time;
  setManagers(object, managers);
  resource.strategy.prepareForCreate?.(object, strategyContext(core, serverUser));
  if (isAccepted) accept(core, resource, object, time);
  return object;
}

function accept(core: Core, resource: Resource, object: Definition, time: string): void {
  const { status, metadata, apiVersion } = object;
  const next = definitionStatus(object, core.now());
  // Only the status is compared: the schemas are large, and the same.
  const seen = { apiVersion, metadata: { ...metadata }, status: next } as DynamicObject;
  trackUpdate(resource, { apiVersion, metadata, status } as DynamicObject, seen, {
    fieldManager: 'kube-apiserver',
    subresource: 'status',
    time,
  });
  object.status = next;
  object.metadata.managedFields = seen.metadata.managedFields ?? [];
}

/** A copy as deep as what is changed in it. */
function withDefaults(resource: Resource, given: CustomResourceDefinition): Definition {
  const { metadata, spec } = given;
  const object = {
    ...given,
    metadata: { ...metadata },
    spec: { ...spec, names: { ...spec.names } },
  } as unknown as Definition;
  resource.strategy.applyDefaults?.(object);
  return object;
}
