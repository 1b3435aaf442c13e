export {
  AdminClient,
  type AdminClientOptions,
  type AdminMethod,
  type KongInfo,
  type RequestOptions,
} from './admin/admin-client.ts';
export type { AdminTls } from './admin/connection-pool.ts';
export {
  applyPlan,
  type PreparedSync,
  type PrepareOptions,
  prepareSync,
  rollbackPlan,
} from './admin/prepare-sync.ts';
export { type ReadStateOptions, readState } from './admin/read-state.ts';
export { flatConfig, type LoadProblem, type LoadResult, sendConfig } from './admin/send-config.ts';
export {
  type PluginSchemaFinder,
  readServerSchemas,
  type ServerSchemas,
} from './admin/server-schemas.ts';
export { type ValidateOnlineOptions, validateOnline } from './admin/validate-online.ts';
export { createWorkspace, listWorkspaces, workspaceExists } from './admin/workspace.ts';
export type {
  DeclarativeConfig,
  DeclarativeInfo,
  DeclarativeReference,
} from './entity/declarative-config.ts';
export type * from './entity/entities.ts';
export {
  type CollectionName,
  type EntityKind,
  type EntityReference,
  entityKind,
  entityKinds,
  findEntityKind,
  type OnDelete,
} from './entity/entity-kinds.ts';
export {
  type DeclaredEntity,
  type FlattenRules,
  flattenDeclarative,
  type MisshapenPart,
  type Nestings,
  nestingsOf,
  pathOf,
} from './entity/flatten-declarative.ts';
export { conversionPairs, findConversion } from './file/conversions.ts';
export {
  type Conversion,
  convertToVersion3,
  findFormatProblem,
  findLegacyPaths,
} from './file/convert-config.ts';
export {
  type Diagnostic,
  type DiagnosticCode,
  type DiagnosticPolicy,
  findDiagnostics,
  parseDiagnosticCodes,
} from './file/diagnostics.ts';
export { type DumpOptions, dumpConfig } from './file/dump-config.ts';

export { type ParsedYaml, parseDeckYaml, parseKongYaml } from './file/parse-yaml.ts';
export {
  mergeContents,
  parseContent,
  type ReadFilesOptions,
  type ReadFilesResult,
  readFiles,
  stateFilesAt,
} from './file/read-files.ts';
export { sanitizeConfig } from './file/sanitize-config.ts';
export { withoutDefaults } from './file/without-defaults.ts';
export { writeDeckYaml, writeJson } from './file/write-yaml.ts';
export { KongError, type KongErrorCode, type KongErrorDetails } from './kong-error.ts';
export { describedSchema } from './schema/described-schema.ts';
export type { EntityCheck, EntitySchema, FieldSchema, FieldTable } from './schema/field-schema.ts';
export { fillFields } from './schema/fill-defaults.ts';
export {
  type NginxVariable,
  nginxVariables,
  unknownNginxVariable,
} from './schema/nginx-variable.ts';
export { passwordHashProblem } from './schema/password-hash-form.ts';
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
  type FieldError,
  type FieldErrors,
  type KongErrorBody,
  schemaViolation,
} from './schema/schema-errors.ts';
export {
  findDblessPluginSchema,
  type ResolvedSchema,
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
  offsetAfter,
  type Page,
  type PageRequest,
  type PageResult,
  type TagFilter,
} from './store/page.ts';
export { type StoreError, storeErrors } from './store/store-error.ts';
export {
  type BuildTargetOptions,
  type BuildTargetResult,
  buildTarget,
  buildTargetSteps,
} from './sync/build-target.ts';
export { createPlan, createPlanSteps } from './sync/create-plan.ts';
export { type EqualityOptions, type FieldChange, normalizeEntity } from './sync/entity-equality.ts';

export { guardRoutes, type WaitingService } from './sync/guard-routes.ts';
export { findDoubleHashes } from './sync/hashed-secret.ts';
export { KongEntities } from './sync/kong-entities.ts';
export {
  countOperations,
  type Operation,
  type OperationKind,
  type Plan,
} from './sync/operation.ts';
export { findDrift, parsePlan, type SavedPlan, serializePlan } from './sync/plan-file.ts';
export { type ReportedRun, reportJson } from './sync/report-json.ts';
export {
  changeText,
  failureText,
  operationText,
  type ReportOptions,
  summaryText,
} from './sync/report-text.ts';
export { runInParallel } from './sync/run-in-parallel.ts';
export { maskEntity, masked } from './sync/secrets.ts';
export type { OperationOutcome, SolveOptions, SolveResult } from './sync/solve.ts';
export { atOnce, inTurns, type Steps, type TurnOptions } from './sync/steps.ts';
export type { TargetProblem } from './sync/target-problem.ts';
