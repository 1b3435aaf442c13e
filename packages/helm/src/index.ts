export type { HelmErrorCode } from './helm-error.ts';
export { HelmError } from './helm-error.ts';
export { SchemaNeeded } from './json-schema/compiler.ts';
export { jsonNodeOf } from './json-schema/json-node-of.ts';
export {
  describeMisfits,
  type SchemaDocuments,
  type SchemaReferences,
} from './json-schema/values-schema.ts';
