import type { DynamicObject } from '@waygate/schema';
import type { Resource, TableColumn } from '../resources/resource.ts';
import { ageColumn, createdAtColumn, nameColumn } from './base-columns.ts';

export interface TableOptions {
  /** From `includeObject=`: what of each object goes into its row. */
  readonly includeObject: 'None' | 'Metadata' | 'Object';
  readonly now: number;
  readonly version: string;
}

/** The columns of a resource; kinds without their own have name and age. */
function columnsOf(resource: Resource): readonly TableColumn[] {
  const { columns, hidesNameColumn } = resource.strategy;
  if (columns !== undefined) return hidesNameColumn === true ? columns : [nameColumn, ...columns];
  return resource.isCustom ? [nameColumn, ageColumn] : [nameColumn, createdAtColumn];
}

export function tableOf(
  resource: Resource,
  objects: readonly Readonly<DynamicObject>[],
  listMeta: Readonly<Record<string, unknown>>,
  options: TableOptions,
  hasColumns = true,
): Record<string, unknown> {
  const columns = columnsOf(resource);
  // Kinds that have no printer go through a plainer part of the real server.
  const isBare = resource.strategy.columns === undefined && !resource.isCustom;
  const rows = objects.map((object) => ({
    cells: columns.map((column) => column.cell(object, options.now) ?? null),
    ...rowObject(object, options),
  }));
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata: listMeta,
    columnDefinitions: hasColumns ? columns.map(columnDefinition) : null,
    rows: isBare && rows.length === 0 ? null : rows,
  };
}

function columnDefinition(column: TableColumn) {
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description ?? '',
    priority: column.priority ?? 0,
  };
}

function rowObject(object: Readonly<DynamicObject>, options: TableOptions) {
  switch (options.includeObject) {
    case 'None':
      return { object: null };
    case 'Object':
      return { object };
    case 'Metadata':
      return { object: partialOf(object, options.version) };
  }
}

/** Only the metadata of an object, as `as=PartialObjectMetadata` gives it. */
export function partialOf(object: Readonly<DynamicObject>, version: string) {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object.metadata,
  };
}
