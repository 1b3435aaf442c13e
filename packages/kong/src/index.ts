export type {
  KongAcl,
  KongBasicAuthCredential,
  KongCredentialBase,
  KongHmacAuthCredential,
  KongJwtCredential,
  KongKeyAuthCredential,
  KongMtlsAuthCredential,
  KongOauth2Credential,
} from './entity/credentials.ts';
export type {
  DeclarativeCertificate,
  DeclarativeConfig,
  DeclarativeConsumer,
  DeclarativeConsumerGroup,
  DeclarativeCredentials,
  DeclarativeInfo,
  DeclarativeKeySet,
  DeclarativePlugin,
  DeclarativeReference,
  DeclarativeRoute,
  DeclarativeService,
  DeclarativeUpstream,
} from './entity/declarative-config.ts';
export type {
  JsonObject,
  JsonValue,
  KongActiveHealthcheck,
  KongCaCertificate,
  KongCertificate,
  KongCidrPort,
  KongConsumer,
  KongConsumerGroup,
  KongEntityBase,
  KongHashInput,
  KongHealthchecks,
  KongKey,
  KongKeySet,
  KongPassiveHealthcheck,
  KongPlugin,
  KongProtocol,
  KongReference,
  KongRoute,
  KongService,
  KongSni,
  KongTarget,
  KongUpstream,
  KongVault,
} from './entity/entities.ts';
export {
  type CollectionName,
  type EntityKind,
  type EntityReference,
  entityKind,
  entityKinds,
  findEntityKind,
  type OnDelete,
  referencesTo,
} from './entity/entity-kinds.ts';
export type { EntityCheck, EntitySchema, FieldSchema, FieldTable } from './schema/field-schema.ts';
export { fillFields } from './schema/fill-defaults.ts';
export { normalizeHost, normalizeTarget } from './schema/host-name.ts';
export {
  findPluginSchema,
  findSchema,
  parseSchema,
  pluginNames,
  type RouterFlavor,
  type WireSchema,
  wireSchema,
} from './schema/schema-catalog.ts';
export {
  errorLines,
  type KongErrorBody,
  type SchemaError,
  type SchemaErrors,
  schemaViolation,
} from './schema/schema-errors.ts';
export {
  type ResolvedSchema,
  resolveSchema,
  type ValidateOptions,
  type ValidationMode,
  type ValidationResult,
  validateEntity,
} from './schema/validate-entity.ts';
export type { StoredEntity } from './store/entity-collection.ts';
export {
  type DeleteResult,
  type EntityChange,
  EntityStore,
  type EntityStoreOptions,
  type ParentFilter,
  type WriteResult,
} from './store/entity-store.ts';
export {
  hasTags,
  offsetAfter,
  type Page,
  type PageRequest,
  type PageResult,
  parseTagFilter,
  type TagFilter,
} from './store/page.ts';
export { type StoreError, shownKey, storeErrors } from './store/store-error.ts';
