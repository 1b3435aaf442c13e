import type { DynamicObject } from '@waygate/schema';
import type { Resource, StrategyContext } from '../resources/resource.ts';

/**
 * Makes of what was sent to a status endpoint what it may change: the status, and of built-in kinds
 * most of the metadata, which Kubernetes lets through there.
 */
export function keepAllButStatus(
  next: DynamicObject,
  old: Readonly<DynamicObject>,
  resource: Resource,
  context: StrategyContext,
): void {
  const { status, metadata } = next;
  for (const field of Object.keys(next))
    if (field !== 'kind' && field !== 'apiVersion') delete next[field];
  const { status: _status, ...rest } = structuredClone(old) as DynamicObject;
  Object.assign(next, rest);
  if (status !== undefined) next.status = status;
  next.metadata = resource.isCustom
    ? customMetadata(metadata, rest.metadata)
    : builtinMetadata(metadata, rest.metadata, resource.strategy.keptByStatus ?? []);
  resource.strategy.prepareStatusUpdate?.(next, old, context);
}

type Metadata = DynamicObject['metadata'];

/** Of a custom resource, only the books on who wrote what. */
function customMetadata(sent: Metadata, before: Metadata): Metadata {
  const { managedFields: _managedFields, ...metadata } = before;
  return {
    ...metadata,
    ...(sent.managedFields === undefined ? {} : { managedFields: sent.managedFields }),
    ...(sent.resourceVersion === undefined ? {} : { resourceVersion: sent.resourceVersion }),
  };
}

function builtinMetadata(sent: Metadata, before: Metadata, kept: readonly string[]): Metadata {
  const metadata = { ...sent } as Record<string, unknown>;
  for (const field of kept) {
    const value = (before as Record<string, unknown>)[field];
    if (value === undefined) delete metadata[field];
    else metadata[field] = value;
  }
  return metadata as Metadata;
}
