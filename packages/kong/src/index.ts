export {
  AdminClient,
  type AdminClientOptions,
  type AdminMethod,
  type KongInfo,
  type RequestOptions,
} from './admin/admin-client.ts';
export type { AdminTls } from './admin/connection-pool.ts';
export { flatConfig, type LoadProblem, type LoadResult, loadConfig } from './admin/load-config.ts';
export {
  applyPlan,
  type PreparedSync,
  type PrepareOptions,
  prepareSync,
  rollbackPlan,
  selectTagsOf,
} from './admin/prepare-sync.ts';
export { type ReadStateOptions, readState } from './admin/read-state.ts';
export {
  type PluginSchemaFinder,
  readPluginSchemas,
  readServerSchemas,
  type ServerSchemas,
} from './admin/server-schemas.ts';
export { type ValidateOnlineOptions, validateOnline } from './admin/validate-online.ts';
export { createWorkspace, listWorkspaces, workspaceExists } from './admin/workspace.ts';
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
export { type Conversion, convertToVersion3, findLegacyPaths } from './file/convert-config.ts';
export { type DumpOptions, dumpConfig } from './file/dump-config.ts';
export { expandEnvironment } from './file/env-template.ts';
export { gatherConfig } from './file/gather-config.ts';
export { type ParsedYaml, parseYaml } from './file/parse-yaml.ts';
export {
  mergeContents,
  parseContent,
  type ReadFilesOptions,
  type ReadFilesResult,
  readFiles,
} from './file/read-files.ts';
export { sanitizeConfig } from './file/sanitize-config.ts';
export { withoutDefaults } from './file/without-defaults.ts';
export { writeJson, writeYaml } from './file/write-yaml.ts';
export { KongError, type KongErrorCode, type KongErrorDetails } from './kong-error.ts';
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
export { referenceId } from './store/entity-collection.ts';
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
export {
  type BuildTargetOptions,
  type BuildTargetResult,
  buildTarget,
  buildTargetSteps,
} from './sync/build-target.ts';
export { createPlan, createPlanSteps } from './sync/create-plan.ts';
export {
  type EqualityOptions,
  type FieldChange,
  findChanges,
  normalizeEntity,
} from './sync/entity-equality.ts';
export { entityLabel, nameLookup } from './sync/entity-label.ts';
export { guardRoutes, type WaitingService } from './sync/guard-routes.ts';
export { KongState } from './sync/kong-state.ts';
export {
  countOperations,
  type Operation,
  type OperationKind,
  type Plan,
} from './sync/operation.ts';
export { findDrift, parsePlan, type SavedPlan, serializePlan } from './sync/plan-file.ts';
export { randomId } from './sync/random-id.ts';
export {
  changeText,
  failureText,
  operationText,
  operationTitle,
  type ReportOptions,
  summaryText,
} from './sync/report-text.ts';
export { runInParallel } from './sync/run-in-parallel.ts';
export { isSecret, maskEntity, masked } from './sync/secrets.ts';
export { type OperationOutcome, type SolveOptions, type SolveResult, solve } from './sync/solve.ts';
export { inTurns, type Steps, type TurnOptions } from './sync/steps.ts';
export type { TargetProblem } from './sync/target-problem.ts';
