export type * from './api/apps.ts';
export type * from './api/core.ts';
export type * from './api/machinery.ts';
export type * from './api/meta.ts';
export type * from './api/networking.ts';
export type * from './api/pod.ts';
export type * from './api/rbac.ts';
export {
  type BuiltInResource,
  type BuiltInSubresource,
  builtInResources,
  findBuiltInResource,
} from './built-in-resource.ts';
export { quantities } from './cel/quantity-library.ts';
export { SchemaError, type SchemaErrorCode } from './error.ts';
export {
  apiVersionOf,
  type GroupVersionKind,
  type GroupVersionResource,
  parseApiVersion,
} from './group-version.ts';
export { type IntOrString, parseIntOrString, scaledIntOrPercent } from './int-or-string.ts';
export { defineKind, type Kind, type Scope } from './kind.ts';
export { kinds } from './kinds.ts';
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
export {
  definitionNameOf,
  fieldSchema,
  type OpenApiDocument,
  openApiV2,
  openApiV3,
  openApiV3Paths,
  patchSchemaOf,
  patchSchemaOfNode,
  schemaNamed,
  schemaOf,
} from './open-api.ts';
export { Quantity, type QuantityFormat } from './quantity.ts';
export {
  type ListType,
  type OpenApiSchema,
  type ResolveReference,
  SchemaNode,
} from './schema-node.ts';
export {
  applyStrategicMergePatch,
  type PatchField,
  type PatchSchema,
} from './strategic-merge-patch.ts';
export { createThreeWayMergePatch } from './three-way-merge-patch.ts';
export { type DefinitionTypesOptions, typesOfDefinitions } from './typescript/definition-types.ts';
