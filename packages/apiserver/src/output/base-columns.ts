import { ageText } from '@waygate/text';
import type { TableColumn } from '../resources/resource.ts';

/** A column of a built-in kind: of texts, and shown always, unless `more` says otherwise. */
export function column(
  name: string,
  cell: TableColumn['cell'],
  more: Pick<TableColumn, 'priority'> & Partial<Pick<TableColumn, 'type'>> = {},
): TableColumn {
  return { name, type: 'string', ...more, cell };
}

const nameDescription = 'The name, unique in its namespace.';
const createdDescription = 'When the object was created, by the clock of the server.';

export const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: nameDescription,
  cell: (object) => object.metadata.name ?? '',
};

export const ageColumn: TableColumn = {
  name: 'Age',
  type: 'string',
  description: createdDescription,
  cell: (object, now) => ageText(object.metadata.creationTimestamp, now),
};

/** The second column of kinds that have no printer. */
export const createdAtColumn: TableColumn = {
  name: 'Created At',
  type: 'date',
  description: createdDescription,
  cell: (object) => object.metadata.creationTimestamp ?? '<unknown>',
};
