export {
  apiVersionOf,
  type GroupVersionKind,
  type GroupVersionResource,
  parseApiVersion,
} from './group-version.ts';
export { defineKind, type Kind, type Scope } from './kind.ts';
export type {
  DeepReadonly,
  DynamicObject,
  KubeList,
  KubeObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  Status,
  StatusCause,
  StatusDetails,
} from './object.ts';
