import type { TableColumn } from '../resources/resource.ts';
import { age } from './duration-text.ts';

/** The API's own words; clients show them as help for a column. */
const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';

const createdDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

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
  cell: (object, now) => age(object.metadata.creationTimestamp, now),
};

/** The second column of kinds that have no printer. */
export const createdAtColumn: TableColumn = {
  name: 'Created At',
  type: 'date',
  description: createdDescription,
  cell: (object) => object.metadata.creationTimestamp ?? '<unknown>',
};
